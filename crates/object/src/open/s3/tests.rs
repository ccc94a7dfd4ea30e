use super::*;

const KEYS: &[(&str, &str)] = &[("AWS_ACCESS_KEY_ID", "an-id"), ("AWS_SECRET_ACCESS_KEY", "hush")];

/// Opens a place in an environment of some variables.
fn open(place: &str, variables: &[(&str, &str)]) -> Result<(Clients, Options), Error> {
    let mut options = Options::default();
    let clients = clients(&Url::read(place).unwrap(), &owned(variables), &mut options)?;
    Ok((clients, options))
}

/// What the builder of a place's client is told.
fn told(place: &str, variables: &[(&str, &str)]) -> AmazonS3Builder {
    let (url, mut options) = (Url::read(place).unwrap(), Options::default());
    let settings = settings(&url, &owned(variables), &mut options).unwrap();
    let begin = || AmazonS3Builder::new().with_bucket_name(&url.bucket);
    settings.build(&WORDS, begin, AmazonS3Builder::with_config, Ok).unwrap()
}

fn owned(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn refusal(place: &str, variables: &[(&str, &str)]) -> Error {
    let error = open(place, variables).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{place}");
    assert!(error.hint().is_some(), "{place}: {error}");
    let all = format!("{error}{error:?}{}", error.hint().unwrap_or_default());
    assert!(!all.contains("hush"), "{place}: {all}");
    error
}

#[test]
fn options_of_a_place_reach_the_client() {
    let place = "s3://b/p?region=eu-west-1&endpoint=http%3A%2F%2Flocalhost:9000&allow_http=true\
                 &path_style=true&skip_signature=on&connect_timeout=2s&disable_bulk_delete=true\
                 &server_side_encryption=aws:kms&sse_kms_key_id=a-key&aws_unsigned_payload=true";
    let client = told(place, &[]);
    let is_told = |key: &str| client.get_config_value(&key.parse().unwrap());
    for (key, value) in [
        ("bucket", "b"),
        ("region", "eu-west-1"),
        ("aws_endpoint_url_s3", "http://localhost:9000"),
        ("allow_http", "true"),
        ("virtual_hosted_style_request", "false"),
        ("skip_signature", "on"),
        ("connect_timeout", "2s"),
        ("disable_bulk_delete", "true"),
        ("server_side_encryption", "aws:kms"),
        ("sse_kms_key_id", "a-key"),
        ("unsigned_payload", "true"),
    ] {
        assert_eq!(is_told(key).as_deref(), Some(value), "{key}");
    }
    let (clients, _) = open(place, &[]).unwrap();
    assert_eq!(clients.reads.to_string(), "AmazonS3(b)");
    assert_eq!(clients.writes.to_string(), "AmazonS3(b)");
}

#[test]
fn our_own_options_are_taken_out_and_the_place_stands_above_the_environment() {
    let place = "s3://b?region=r&timeout=45s&deadline=2m&unquoted_tags=true&path_style=1";
    let (_, options) = open(place, KEYS).unwrap();
    let seconds = |time: std::time::Duration| time.as_millis();
    assert_eq!(seconds(options.request_timeout), 45_000);
    assert_eq!(seconds(options.deadline), 120_000);
    assert!(options.unquoted_tags);

    let variables = [KEYS, &[("AWS_TIMEOUT", "500ms"), ("AWS_REGION", "elsewhere")]].concat();
    let (_, options) = open("s3://b", &variables).unwrap();
    assert_eq!(seconds(options.request_timeout), 500);
    let (_, options) = open("s3://b?timeout=1m", &variables).unwrap();
    assert_eq!(seconds(options.request_timeout), 60_000);
    let region = |place: &str| told(place, &variables).get_config_value(&Key::Region);
    assert_eq!(region("s3://b").as_deref(), Some("elsewhere"));
    assert_eq!(region("s3://b?region=here").as_deref(), Some("here"));
}

#[test]
fn variables_are_read_as_the_clouds_own_programs_read_them() {
    let variables = [
        KEYS,
        &[
            ("AWS_DEFAULT_REGION", "us-west-2"),
            ("AWS_SESSION_TOKEN", "a-token"),
            ("AWS_ENDPOINT_URL", "https://general"),
            ("AWS_ROLE_ARN", "arn:x"),
            ("AWS_BUCKET", "other"),
            ("AWS_CONDITIONAL_PUT", "disabled"),
            ("AWS_READ_TIMEOUT", "1s"),
            ("AWS_NO_SUCH_THING", "x"),
            ("HOME", "/root"),
        ],
    ]
    .concat();
    let client = told("s3://b", &variables);
    let is_told = |key| client.get_config_value(&key).unwrap_or_default();
    assert_eq!(is_told(Key::Region), "us-west-2");
    assert_eq!(is_told(Key::AccessKeyId), "an-id");
    assert_eq!(is_told(Key::Token), "a-token");
    assert_eq!(is_told(Key::S3Endpoint), "https://general");
    assert_eq!(is_told(Key::RoleArn), "arn:x");
    assert_eq!(is_told(Key::Bucket), "b", "the place says it");
    assert_eq!(is_told(Key::ConditionalPut), "etag", "without conditions there is no store");
    assert_eq!(is_told(Key::Client(ClientConfigKey::ReadTimeout)), "");
}

#[test]
fn of_several_addresses_the_closest_counts() {
    let variables =
        [("AWS_ENDPOINT_URL", "https://general"), ("AWS_ENDPOINT_URL_S3", "https://of-s3")];
    let address = |place: &str, variables| {
        told(place, variables).get_config_value(&Key::S3Endpoint).unwrap_or_default()
    };
    assert_eq!(address("s3://b", &variables), "https://of-s3");
    assert_eq!(address("s3://b", &variables[..1]), "https://general");
    assert_eq!(address("s3://b?endpoint=https://of-place", &variables), "https://of-place");
    assert_eq!(address("s3://b?endpoint_url=https://of-place", &variables), "https://of-place");
    assert_eq!(address("s3://b?endpoint=https://h&path_style=false", &[]), "https://b.h");
    assert_eq!(address("s3://b?endpoint=https://b.h&path_style=no", &[]), "https://b.h");
}

#[test]
fn a_region_is_guessed_only_where_a_server_is_named() {
    assert!(refusal("s3://b", KEYS).clause().contains("the region"));
    assert!(open("s3://b?endpoint=https://localhost:9000", KEYS).is_ok());
    assert!(open("s3://b?region=eu-west-1", KEYS).is_ok());
    assert!(open("s3://b", &[KEYS, &[("AWS_DEFAULT_REGION", "r")]].concat()).is_ok());
}

#[test]
fn an_address_without_encryption_must_be_allowed() {
    for place in ["s3://b?endpoint=http://localhost:9000", "s3://b?endpoint=http://h&allow_http=0"]
    {
        assert!(refusal(place, KEYS).clause().contains("without encryption"));
    }
    let by_variable = [KEYS, &[("AWS_ENDPOINT_URL", "http://h"), ("AWS_ALLOW_HTTP", "1")]].concat();
    assert!(open("s3://b", &by_variable).is_ok());
    assert!(refusal("s3://b", &by_variable[..3]).clause().contains("AWS_ENDPOINT_URL"));
}

#[test]
fn what_does_not_fit_is_named_and_no_value_is_repeated() {
    for (place, named) in [
        ("s3://b?secret_access_key=hush", "`secret_access_key`"),
        ("s3://b?aws_session_token=hush", "`aws_session_token`"),
        ("s3://b?sse_customer_key_base64=hush", "`sse_customer_key_base64`"),
        ("s3://b?role_arn=hush", "`role_arn` can't be said"),
        ("s3://b?regoin=hush", "`regoin` is no option of s3:"),
        ("s3://b?bucket=hush", "`bucket` is no option"),
        ("s3://b?conditional_put=hush", "`conditional_put` is no option"),
        ("s3://b?HUSH=hush", "an option that s3: places do not have"),
        ("s3://b?hush1=x", "an option that s3: places do not have"),
        ("s3://b?region=hush&aws_region=hush", "`aws_region` stands there twice"),
        ("s3://b?timeout=hush", "`timeout`"),
        ("s3://b?timeout=0s", "`timeout`"),
        ("s3://b?deadline=99999999999999999999s", "`deadline`"),
        ("s3://b?unquoted_tags=hush", "`unquoted_tags`"),
        ("s3://b?path_style=hush", "`path_style`"),
        ("s3://b?endpoint=hush", "`endpoint` is no address"),
        ("s3://b?endpoint=https://id:hush@h", "`endpoint` holds credentials"),
        ("s3://b?region=r&proxy_url=http://id:hush@h", "`proxy_url` holds credentials"),
        ("s3://b?region=r&imdsv1_fallback=hush", "`imdsv1_fallback`"),
        ("s3://b?region=r&checksum_algorithm=hush", "`checksum_algorithm`"),
        ("s3://b?region=r&connect_timeout=hush", "`connect_timeout`"),
        ("s3://b?region=r&server_side_encryption=hush", "`server_side_encryption`"),
    ] {
        // Without keys, so that all of the client's own options are read.
        let error = refusal(place, &[]);
        assert!(error.clause().contains(named), "{place}: {error}");
    }
    let hint = refusal("s3://b?access_key_id=hush", &[]);
    assert!(hint.hint().unwrap().contains("AWS_ACCESS_KEY_ID"));
    assert!(refusal("s3://b?regoin=x", &[]).hint().unwrap().contains("region, endpoint"));
    assert!(refusal("s3://b?pool_idle_timeout=x", &[]).hint().unwrap().contains("AWS_POOL_IDLE"));
    let variables = [("AWS_ALLOW_HTTP", "hush"), ("AWS_SECRET_ACCESS_KEY", "hush")];
    let place = "s3://b?endpoint=https://h";
    assert!(refusal(place, &variables).clause().contains("AWS_ALLOW_HTTP"));
    assert!(refusal(place, &variables[1..]).clause().contains("one half of the credentials"));
}
