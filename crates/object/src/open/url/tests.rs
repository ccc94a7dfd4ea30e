use super::*;

/// Cloud, bucket, account, prefix.
type Parts = (Cloud, &'static str, Option<&'static str>, &'static str);

#[test]
fn a_place_has_a_bucket_a_prefix_and_options() {
    use Cloud::{Azure, Gcs, S3};
    let good: [(&str, Parts); 14] = [
        ("s3://acme-agents/prod", (S3, "acme-agents", None, "prod")),
        ("s3a://acme.agents/prod/eu/", (S3, "acme.agents", None, "prod/eu")),
        ("s3://b", (S3, "b", None, "")),
        ("s3://b/", (S3, "b", None, "")),
        ("s3://b?region=eu-west-1", (S3, "b", None, "")),
        ("s3://b/p?", (S3, "b", None, "p")),
        ("gs://b_1/p", (Gcs, "b_1", None, "p")),
        ("az://c/p", (Azure, "c", None, "p")),
        ("az://$root/p", (Azure, "$root", None, "p")),
        ("abfs://c@acct.dfs.core.windows.net/p", (Azure, "c", Some("acct"), "p")),
        ("abfss://c@acct.blob.core.windows.net", (Azure, "c", Some("acct"), "")),
        ("s3://b/a%20b/%C3%BC", (S3, "b", None, "a b/ü")),
        ("s3://b/a%2Fb", (S3, "b", None, "a/b")),
        ("s3://b/100%2525", (S3, "b", None, "100%25")),
    ];
    for (text, (cloud, bucket, account, prefix)) in good {
        let url = Url::read(text).unwrap();
        let parts = (url.cloud, &*url.bucket, url.account.as_deref(), url.prefix.as_ref());
        assert_eq!(parts, (cloud, bucket, account, prefix), "{text}");
    }
}

#[test]
fn options_are_decoded_once_and_keep_their_order() {
    let url = Url::read("s3://b?endpoint=http%3A%2F%2Fh:1/x&&a=1=2&b=+%2526").unwrap();
    let told: Vec<_> = url.parameters.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(told, [("endpoint", "http://h:1/x"), ("a", "1=2"), ("b", "+%26")]);
}

#[test]
fn what_is_no_place_is_refused_with_the_part_and_a_way_out_and_is_not_repeated() {
    let long = format!("s3://b/{}", "secret/".repeat(40));
    for (text, part) in [
        ("", "no place in object storage"),
        ("secret", "no place in object storage"),
        ("s3:bucket", "no place in object storage"),
        ("S3://secret/p", "no place in object storage"),
        ("gcs://secret", "no place in object storage"),
        ("s3://", "names no bucket"),
        ("s3:///prefix", "names no bucket"),
        ("az://?account=secret", "names no container"),
        ("s3://key:secret@bucket/p", "holds no credentials"),
        ("s3://secret@bucket", "holds no credentials"),
        ("az://key:secret@acct.dfs.core.windows.net/p", "holds no credentials"),
        ("az://secret@example.org/p", "holds no credentials"),
        ("gs://secret@acct.dfs.core.windows.net/p", "holds no credentials"),
        ("s3://secret:9000/bucket", "not a server"),
        ("s3://sec%72et/p", "a sign that no name"),
        ("s3://secret name/p", "a sign that no name"),
        ("s3://../secret", "a sign that no name"),
        ("az://c@sec/ret.dfs.core.windows.net", "holds no credentials"),
        ("s3://b/p#secret", "no fragment"),
        ("s3://b/secret//p", "an empty segment"),
        ("s3://b//secret", "an empty segment"),
        ("s3://b/secret//", "an empty segment"),
        ("s3://b/secret/../p", "a segment of dots"),
        ("s3://b/secret/%2e%2E/p", "a segment of dots"),
        ("s3://b/./secret", "a segment of dots"),
        ("s3://b/secret%00", "a control character"),
        ("s3://b/secret\n", "a control character"),
        ("s3://b/secret%5C", "a backslash"),
        ("s3://b/secret%", "two hex digits"),
        ("s3://b/secret%zz", "two hex digits"),
        ("s3://b/secret%FF", "not UTF-8"),
        (long.as_str(), "longer than"),
        ("s3://b?secret", "has no value"),
        ("s3://b?a=%", "two hex digits"),
    ] {
        let error = Url::read(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{text}");
        assert!(error.clause().contains(part), "{text}: {error}");
        assert!(!format!("{error}{error:?}").contains("secret"), "{text}: {error:?}");
        assert!(error.hint().is_some() || part == "not UTF-8", "{text}: {error}");
    }
}
