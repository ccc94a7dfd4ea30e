use bytes::Bytes;
use sessile_core::{ErrorKind, lens};

use super::fixtures::exported;
use super::{lines_of, sessions};
use crate::opencode::{Message, assemble, take_apart};
use crate::{Format, Source, detect, parse};

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../../../fixtures/sessions/opencode/storage/", $name)).to_owned()
    };
}

fn document() -> String {
    let messages = vec![
        Message {
            info: file!("message/ses_hive0001/msg_h003.json"),
            parts: vec![file!("part/msg_h003/prt_h0031.json")],
        },
        Message {
            info: file!("message/ses_hive0001/msg_h002.json"),
            parts: vec![
                file!("part/msg_h002/prt_h0021.json"),
                file!("part/msg_h002/prt_h0022.json"),
                file!("part/msg_h002/prt_h0023.json"),
            ],
        },
        Message {
            info: file!("message/ses_hive0001/msg_h001.json"),
            parts: vec![file!("part/msg_h001/prt_h0011.json")],
        },
    ];
    let project = file!("project/prj_bees.json");
    assemble(&file!("session/prj_bees/ses_hive0001.json"), Some(&project), messages).unwrap()
}

fn parsed(document: &str) -> Source {
    assert_eq!(detect(document.as_bytes()), Some(Format::Opencode));
    let source = parse(Format::Opencode, Bytes::copy_from_slice(document.as_bytes())).unwrap();
    assert_eq!(source.accounted(), source.lines);
    source
}

#[test]
fn small_files_are_one_session_in_the_order_of_time() {
    let source = parsed(&document());
    assert_eq!(sessions(&source), [("main", "1 2 3".to_owned())]);
    let main = &source.sessions[0];
    assert_eq!(main.source_id.as_deref(), Some("ses_hive0001"));
    assert_eq!(main.title.as_deref(), Some("Winter feed for the hives"));
    assert_eq!(main.cwd.as_deref(), Some("/home/ida/bees"));
    assert_eq!(main.model.as_deref(), Some("claude-haiku-4.5"));
    assert_eq!(main.created_at.unwrap().millis(), 1_768_700_100_000);
    let answer = lens::read(main.dialect, &main.records.own()[1].data);
    assert_eq!(answer.text.as_deref(), Some("About 40 kg for all of them."));
    assert_eq!((&*answer.calls[0].name, &*answer.calls[0].id), ("read", "toolu_h1"));
    assert_eq!(answer.results[0].text.as_deref(), Some("hive 1: 9.50 kg\nhive 2: 11 kg"));
}

#[test]
fn a_session_that_another_started_names_it() {
    let session = file!("session/prj_bees/ses_hive0002.json");
    let source = parsed(&assemble(&session, None, Vec::new()).unwrap());
    assert_eq!(lines_of(&source.sessions[0]), "");
    assert_eq!(source.sessions[0].source_parent.as_deref(), Some("ses_hive0001"));
}

#[test]
fn what_is_written_is_read_as_the_same_messages_and_comes_apart_into_the_same_files() {
    let source = parsed(&document());
    let file = exported(&source, source.sessions[0].records.iter());
    let again = parsed(&file);
    let data = |source: &Source| {
        source.sessions[0].records.iter().map(|it| it.data.clone()).collect::<Vec<_>>()
    };
    assert_eq!(data(&again), data(&source));
    assert_eq!(again.sessions[0].belonging.meta, source.sessions[0].belonging.meta);
    let files = take_apart(&file).unwrap();
    let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
    assert_eq!(
        paths,
        [
            "session/prj_bees/ses_hive0001.json",
            "project/prj_bees.json",
            "message/ses_hive0001/msg_h001.json",
            "part/msg_h001/prt_h0011.json",
            "message/ses_hive0001/msg_h002.json",
            "part/msg_h002/prt_h0021.json",
            "part/msg_h002/prt_h0022.json",
            "part/msg_h002/prt_h0023.json",
            "message/ses_hive0001/msg_h003.json",
            "part/msg_h003/prt_h0031.json",
        ]
    );
    let tool = files.iter().find(|file| file.path.ends_with("prt_h0022.json")).unwrap();
    let as_kept = file!("part/msg_h002/prt_h0022.json").replace('\n', " ");
    assert_eq!(tool.content.trim(), as_kept.trim(), "but for line ends between tokens");
}

#[test]
fn an_id_that_can_not_be_a_file_makes_no_path() {
    for id in ["../x", "", "a/b", ".x", "a\\\\b", "\u{0}"] {
        let id = id.replace('\0', "\\u0000");
        let document = format!(r#"{{"info":{{"id":"{id}","projectID":"p"}},"messages":[]}}"#);
        assert_eq!(take_apart(&document).unwrap_err().kind(), ErrorKind::Refused, "{id:?}");
    }
    assert_eq!(take_apart("{").unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn what_is_no_such_object_is_damaged() {
    let error =
        parse(Format::Opencode, Bytes::from_static(b"{\"info\":{\"id\":\"s\"},")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(assemble("{", None, Vec::new()).is_err());
}
