use std::fs;
use std::path::{Path, PathBuf};

use sessile_core::ErrorKind;

use crate::json::{self, Difference, Float, Integer, Object, Step, Value, pretty};
use crate::snapshot::runtime::Runtime;
use crate::snapshot::{OwnSnapshot, Snapshot, Version};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/snapshots").join(name)
}

/// The files of a folder with their names, sorted.
fn files(name: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| (path.file_name().unwrap().to_str().unwrap().to_owned(), path);
    let mut paths: Vec<(String, PathBuf)> = entries.map(named).collect();
    paths.sort();
    paths.into_iter().map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

pub(super) fn read(name: &str) -> Snapshot {
    Snapshot::decode(&fs::read(folder(name)).unwrap()).unwrap()
}

#[test]
fn what_is_read_of_the_second_version_is_written_byte_for_byte() {
    let files = files("v2");
    assert_eq!(files.len(), 5);
    for (name, bytes) in files {
        let snapshot = Snapshot::decode(&bytes).unwrap();
        assert_eq!(snapshot.version(), Version::Two, "{name}");
        assert_eq!(snapshot.encode().as_bytes(), bytes, "{name}");
    }
}

#[test]
fn what_is_made_of_the_contents_is_the_same_snapshot() {
    for name in ["boundary", "awaits-approval", "indeterminate", "ended"] {
        let read = read(&format!("v2/{name}.json"));
        let made = Snapshot::of(read.contents().clone()).unwrap();
        assert_eq!(made.encode(), read.encode(), "{name}");
        let contents = read.into_contents();
        if let Some(runtime) = &contents.progress.runtime {
            assert_eq!(Runtime::decode(runtime).unwrap().encode(), *runtime, "{name}");
        }
    }
}

#[test]
fn the_first_version_is_read_and_saved_as_the_second_without_suspended_work() {
    let (saved, old): (Vec<_>, Vec<_>) =
        files("v1").into_iter().partition(|(name, _)| name.ends_with(".saved.json"));
    assert_eq!((saved.len(), old.len()), (2, 2));
    for ((name, bytes), (_, saved)) in old.into_iter().zip(saved) {
        let snapshot = Snapshot::decode(&bytes).unwrap();
        assert_eq!(snapshot.version(), Version::One, "{name}");
        let progress = &snapshot.contents().progress;
        assert_eq!((&progress.runtime, &progress.scheduler), (&None, &None), "{name}");
        assert_eq!(snapshot.encode().as_bytes(), saved, "{name}");
    }
}

#[test]
fn every_damaged_snapshot_is_refused_with_its_error() {
    let files = files("damaged");
    let pairs: Vec<_> = files.chunks(2).collect();
    assert!(pairs.len() > 50);
    for pair in pairs {
        let [(told, error), (name, bytes)] = pair else { panic!("a file without its error") };
        assert_eq!(Path::new(told).file_stem(), Path::new(name).file_stem());
        let refused = Snapshot::decode(bytes).unwrap_err();
        assert_eq!(format!("{refused}\n").as_bytes(), error, "{name}");
        let is_version = ["version-999.json", "version-0.json"].contains(&&**name);
        let kind = if is_version { ErrorKind::UnknownVersion } else { ErrorKind::Corrupt };
        assert_eq!(refused.kind(), kind, "{name}");
        let hint = refused.hint().unwrap();
        assert!(hint.contains("delete the snapshot") && hint.contains("another place"), "{name}");
    }
}

/// The document with the value at a path replaced, or its member taken away.
fn changed(value: &Value, path: &[Step], new: Option<&Value>) -> Value {
    let Some((step, rest)) = path.split_first() else { return new.cloned().unwrap() };
    match (value, step) {
        (Value::Array(items), Step::Item(at)) => {
            let mut items = items.clone();
            items[*at] = changed(&items[*at], rest, new);
            Value::Array(items)
        }
        (Value::Object(object), Step::Member(name)) => {
            let is_away = rest.is_empty() && new.is_none();
            let members = object.iter().filter(|(it, _)| !is_away || *it != name);
            let members = members.map(|(it, value)| {
                let value = if it == name { changed(value, rest, new) } else { value.clone() };
                (it.clone(), value)
            });
            Value::Object(Object::of(members.collect()).unwrap())
        }
        _ => panic!("the path leads nowhere"),
    }
}

/// The ways to all values within a value.
fn paths(value: &Value) -> Vec<Vec<Step>> {
    let steps: Vec<(Step, &Value)> = match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(at, it)| (Step::Item(at), it)).collect()
        }
        Value::Object(object) => {
            object.iter().map(|(name, it)| (Step::Member(name.clone()), it)).collect()
        }
        _ => Vec::new(),
    };
    let within = |(step, value): (Step, &Value)| {
        let mut all = vec![vec![step.clone()]];
        all.extend(paths(value).into_iter().map(|path| [vec![step.clone()], path].concat()));
        all
    };
    steps.into_iter().flat_map(within).collect()
}

#[test]
fn whatever_is_missing_mistyped_or_negative_anywhere_is_refused_by_its_place() {
    let sound = json::parse_bytes(&fs::read(folder("v2/boundary.json")).unwrap()).unwrap();
    let mut count = 0;
    for path in paths(&sound) {
        let place = Difference { path: path.clone(), saved: None, current: None }.place();
        let refused = |new: Option<&Value>| {
            let text = pretty(&changed(&sound, &path, new));
            Snapshot::decode(text.as_bytes()).map_err(|error| error.to_string())
        };
        let is_optional = place.starts_with("loop.");
        if matches!(path.last(), Some(Step::Member(_))) {
            let expected = if is_optional { None } else { Some(format!("{place} is missing")) };
            assert_eq!(refused(None).err(), expected);
        }
        let negative = Value::Integer(Integer::from(-1_i64));
        for wrong in [Value::Null, negative, Value::Float(Float::new(1.0).unwrap())] {
            let told = refused(Some(&wrong)).unwrap_err();
            assert!(told.starts_with(&format!("{place} is not ")), "{place}: {told}");
            count += 1;
        }
    }
    assert!(count > 150);
}

#[test]
fn what_can_not_be_read_back_can_not_be_made() {
    let mut count = 0;
    for (name, bytes) in files("damaged") {
        let Ok(document) = json::parse_bytes(&bytes) else { continue };
        if !name.contains(".json") {
            continue;
        }
        let read = Snapshot::decode(&bytes).unwrap_err().to_string();
        let refused = Snapshot::of_document(&document).unwrap_err();
        assert_eq!(refused.to_string(), format!("it could not be read back: {read}"), "{name}");
        assert!([ErrorKind::Refused, ErrorKind::UnknownVersion].contains(&refused.kind()));
        count += 1;
    }
    assert!(count > 45);
    let mut contents = read("v2/boundary.json").into_contents();
    contents.turns[2].round_idx = u64::MAX;
    let error = Snapshot::of(contents).unwrap_err();
    let clause =
        "it could not be read back: turns[2].round_idx is not an integer from 0 to 2^63 - 1";
    assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::Refused, clause));
}

#[test]
fn what_nests_too_deep_can_not_be_made() {
    let deep = (0..300).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    let mut contents = read("v2/boundary.json").into_contents();
    contents.progress.runtime = Some(Object::default().with("contract", deep));
    let error = Snapshot::of(contents).unwrap_err();
    assert_eq!(error.to_string(), "it could not be read back: it has more than 256 levels");
}

#[test]
fn a_name_that_an_error_would_repeat_is_shown_only_if_it_looks_like_one() {
    let mut document = json::parse_bytes(&fs::read(folder("v2/boundary.json")).unwrap()).unwrap();
    let Value::Object(object) = &mut document else { panic!("an object") };
    object.set("secret words", Value::Null);
    let error = Snapshot::of_document(&document).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"));
}

#[test]
fn an_envelope_of_the_callers_own_is_another_kind() {
    let bytes = fs::read(folder("own/run.json")).unwrap();
    let own = OwnSnapshot::decode(&bytes).unwrap();
    assert_eq!(own.encode().as_bytes(), bytes);
    assert_eq!(OwnSnapshot::of(own.identity().clone(), own.state().clone()).unwrap(), own);
    // Neither is ever read as the other.
    assert_eq!(Snapshot::decode(&bytes).unwrap_err().to_string(), "turns is missing");
    let kerness = fs::read(folder("v2/boundary.json")).unwrap();
    assert_eq!(OwnSnapshot::decode(&kerness).unwrap_err().to_string(), "type is missing");
}

#[test]
fn every_damaged_envelope_of_the_callers_own_is_refused_with_its_error() {
    let files = files("own-damaged");
    assert_eq!(files.len(), 2 * 18);
    for pair in files.chunks(2) {
        let [(told, error), (name, bytes)] = pair else { panic!("a file without its error") };
        assert_eq!(Path::new(told).file_stem(), Path::new(name).file_stem());
        let refused = OwnSnapshot::decode(bytes).unwrap_err();
        assert_eq!(format!("{refused}\n").as_bytes(), error, "{name}");
        let is_version = name == "version-2.json";
        let kind = if is_version { ErrorKind::UnknownVersion } else { ErrorKind::Corrupt };
        assert_eq!(refused.kind(), kind, "{name}");
        let hint = refused.hint().unwrap();
        assert!(hint.contains("delete the snapshot") && hint.contains("another place"), "{name}");
    }
}

#[test]
fn an_envelope_of_the_callers_own_is_as_strict() {
    let bytes = fs::read(folder("own/run.json")).unwrap();
    let changed = |name: &str, value: Option<Value>| {
        let document = json::parse_bytes(&bytes).unwrap();
        let kept = document.as_object().unwrap().iter().filter(|(it, _)| **it != name);
        let kept = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        let object = Object::of(kept).unwrap();
        let object = value.into_iter().fold(object, |object, value| object.with(name, value));
        let refused = OwnSnapshot::decode(pretty(&object.into()).as_bytes()).unwrap_err();
        (refused.kind(), refused.to_string())
    };
    let corrupt = |clause: &str| (ErrorKind::Corrupt, clause.to_owned());
    assert_eq!(changed("type", None), corrupt("type is missing"));
    assert_eq!(changed("type", Some("x".into())), corrupt("type is not sessile.snapshot"));
    assert_eq!(changed("version", None), corrupt("version is missing"));
    let clause = "it is of version 2, and version 1 is read".to_owned();
    assert_eq!(changed("version", Some(2_u64.into())), (ErrorKind::UnknownVersion, clause));
    assert_eq!(changed("identity", None), corrupt("identity is missing"));
    assert_eq!(changed("identity", Some("x".into())), corrupt("identity is not an object"));
    let empty = Object::default();
    assert_eq!(changed("identity", Some(empty.into())), corrupt("identity has no field"));
    assert_eq!(changed("state", None), corrupt("state is missing"));
    assert_eq!(changed("more", Some(true.into())), corrupt("more is unknown"));
    let error = OwnSnapshot::of(Object::default(), Value::Null).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}
