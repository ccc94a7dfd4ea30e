use super::*;

/// A service account as Google writes it, without a key that would sign anything.
const ACCOUNT: &str = r#"{"private_key": "hush", "private_key_id": "hush", "client_email": "a@b",
    "disable_oauth": true}"#;

fn open(place: &str, variables: &[(&str, &str)]) -> Result<(Clients, Options), Error> {
    let mut options = Options::default();
    let clients = clients(&Url::read(place).unwrap(), &owned(variables), &mut options)?;
    Ok((clients, options))
}

fn owned(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn options_and_variables_reach_the_client() {
    let url = Url::read("gs://b/p?endpoint=http://localhost:4443&allow_http=true").unwrap();
    let variables =
        [("SERVICE_ACCOUNT", "/a"), ("GOOGLE_BUCKET", "other"), ("GOOGLE_CONNECT_TIMEOUT", "2s")];
    let settings = settings(&url, &owned(&variables), &mut Options::default()).unwrap();
    let said = |key| settings.of(&key).map(|(_, value)| value);
    assert_eq!(said(Key::BaseUrl), Some("http://localhost:4443"));
    assert_eq!(said(Key::ServiceAccount), Some("/a"));
    assert_eq!(said(Key::Bucket), None, "the place says it");
    assert_eq!(said(Key::Client(ClientConfigKey::ConnectTimeout)), Some("2s"));

    let account = [("GOOGLE_SERVICE_ACCOUNT_KEY", ACCOUNT)];
    let (clients, options) = open("gs://b?timeout=10s&skip_signature=true", &account).unwrap();
    assert_eq!(clients.writes.to_string(), "GoogleCloudStorage(b)");
    assert_eq!(options.request_timeout.as_millis(), 10_000);
}

#[test]
fn what_does_not_fit_is_named_and_no_value_is_repeated() {
    let broken = ACCOUNT.replace(r#""a@b""#, "7");
    let account = [("GOOGLE_SERVICE_ACCOUNT_KEY", broken.as_str())];
    let missing = [("GOOGLE_APPLICATION_CREDENTIALS", "/no/such/hush")];
    for (place, variables, named) in [
        ("gs://b", &account[..], "GOOGLE_SERVICE_ACCOUNT_KEY"),
        ("gs://b", &missing[..], "GOOGLE_APPLICATION_CREDENTIALS"),
        ("gs://b?bearer_token=hush", &[], "`bearer_token`"),
        ("gs://b?service_account=/hush", &[], "`service_account` can't be said"),
        ("gs://b?region=hush", &[], "`region` is no option of gs:"),
        ("gs://b?path_style=hush", &[], "`path_style` is no option"),
        ("gs://b?endpoint=http://hush", &[], "`endpoint` names a server"),
        ("gs://b?allow_http=hush", &[], "`allow_http`"),
    ] {
        let error = open(place, variables).unwrap_err();
        assert!(error.clause().contains(named), "{place}: {error}");
        let all = format!("{error}{error:?}{}", error.hint().unwrap());
        assert!(!all.contains("hush"), "{place}: {all}");
    }
}
