use serde::de::DeserializeOwned;

use super::*;

/// The data of an entry with a word in every place that a caller fills freely.
fn told<T: DeserializeOwned + std::fmt::Debug>(data: &str) -> String {
    format!("{:?}", serde_json::from_str::<T>(data).unwrap())
}

#[test]
fn debug_tells_no_content() {
    const DIGEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let header = r#"{"format":1,"id":"s","space":"default","created_at":1,"crc":"crc32c",
        "salt":"00000000","file":"00000000000000000000000000000000","project":"secret",
        "project_identity":"secret","identity":"secret","host":{"secret":"secret"}}"#;
    let told = [
        told::<Header>(header),
        told::<Compaction>(r#"{"summary":["secret"],"keep_from":1}"#),
        told::<Close>(r#"{"reason":"secret"}"#),
        told::<Delete>(r#"{"reason":"secret"}"#),
        told::<Redacted>(r#"{"seqs":[1],"reason":"secret"}"#),
        told::<Claim>(&format!(
            r#"{{"request":"r","input":"{DIGEST}","contract":{{}},"holder":"secret"}}"#
        )),
        told::<Checkpoint>(r#"{"kind":"k","schema":1,"number":0,"state":"secret"}"#),
        told::<Completion>(r#"{"action":"a","intent":1,"output":"secret"}"#),
        told::<Decision>(r#"{"approval":"a","allow":true,"by":"secret"}"#),
        told::<Outcome>(
            r#"{"request":"r","status":"completed","messages":1,"result":"secret","reason":"secret"}"#,
        ),
        told::<Post>(&format!(
            r#"{{"id":"p","kind":"note","from":"secret","content":"{DIGEST}",
                "body":{{"text":"secret","tags":["secret"]}}}}"#
        )),
        told::<Resolve>(r#"{"id":"p","body":{"text":"secret"}}"#),
        told::<Replace>(&format!(
            r#"{{"id":"p","by":"q","content":"{DIGEST}","body":{{"text":"secret"}}}}"#
        )),
        told::<Ack>(r#"{"id":"p","by":"secret"}"#),
        told::<Complete>(&format!(
            r#"{{"id":"p","answer":"q","completion":"{DIGEST}","from":"secret",
                "content":"{DIGEST}","body":{{"text":"secret"}}}}"#
        )),
        told::<Instruct>(r#"{"text":"secret","by":"secret"}"#),
        told::<Context>(r#"{"context":"secret"}"#),
    ]
    .concat();
    assert!(!told.contains("secret"), "{told}");
}
