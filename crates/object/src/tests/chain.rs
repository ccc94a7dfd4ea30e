//! Objects off the chain, objects that are gone, and damaged ones, at the end and before it.

use sessile_core::backend::{Backend as _, Span};
use sessile_core::error::ErrorKind;

use super::stage::{
    Stage, commit, damaged, elsewhere, forgetful, header, ids, kind, message, messages,
    object_behind, options, position, seq, told,
};
use crate::keys::Keys;

#[tokio::test]
async fn an_object_that_continues_something_else_is_passed_over_set_aside_and_appended_behind() {
    for seq in [1, 3, 9] {
        let (stage, knows) = Stage::with_messages(2).await;
        stage.put_log(3, object_behind(elsewhere(seq), &message(90))).await;
        let fresh = stage.handle(options());
        let expected = ids(&["header", "m0", "m1"]);
        for reader in [&knows, &fresh] {
            assert_eq!(stage.read(reader, Span::ALL).await, expected);
            assert_eq!(stage.head(reader).await.tip.position, position(3));
            assert_eq!(stage.set_aside(reader).await, [3]);
        }
        for (number, writer) in [(2, &knows), (3, &fresh), (4, &stage.handle(options()))] {
            let appended = stage.append(writer, vec![message(number)]).await.unwrap();
            assert_eq!(appended[0].first.number(), u64::try_from(number).unwrap() + 1);
        }
        let expected = ids(&["header", "m0", "m1", "m2", "m3", "m4"]);
        for reader in [&knows, &fresh, &stage.handle(options())] {
            assert_eq!(stage.read(reader, Span::ALL).await, expected);
            assert_eq!(stage.set_aside(reader).await, [3]);
        }
    }
}

#[tokio::test]
async fn copies_of_its_own_objects_behind_it_take_nothing_from_a_journal() {
    for copied in [0, 1, 3] {
        let (stage, knows) = Stage::with_messages(4).await;
        stage.put_log(5, stage.log(copied).await).await;
        let fresh = stage.handle(options());
        for reader in [&knows, &fresh] {
            assert_eq!(
                stage.read(reader, Span::ALL).await,
                ids(&["header", "m0", "m1", "m2", "m3"])
            );
            let head = stage.head(reader).await;
            assert_eq!((head.tip.position, head.deleted), (position(5), false));
        }
        let appended = stage.append(&fresh, vec![message(4)]).await.unwrap();
        assert_eq!(appended[0].first.number(), 5);
        for reader in [&knows, &stage.handle(options())] {
            let read = stage.read(reader, Span::From(seq(copied))).await;
            let all = ids(&["header", "m0", "m1", "m2", "m3", "m4"]);
            assert_eq!(read, all[usize::try_from(copied).unwrap()..], "{copied} copied");
            assert_eq!(stage.set_aside(reader).await, [5]);
        }
    }
}

#[tokio::test]
async fn an_object_of_another_session_is_damage_and_takes_no_number_twice() {
    let (stage, knows) = Stage::with_messages(3).await;
    let mut other = Stage::new().await;
    other.key.id = "other".parse().unwrap();
    other.keys = Keys::below(&"p".into()).session(&other.key);
    let backend = other.handle(options());
    other.create(&backend).await;
    other.append(&backend, vec![message(0), message(1)]).await.unwrap();
    // The same salt would make it its own; sessions differ in that.
    let text = String::from_utf8(other.log(1).await.to_vec()).unwrap();
    stage.put_log(4, text.replace("\"crc\":\"", "\"crc\":\"0")).await;
    for writer in [&knows, &stage.handle(options())] {
        stage.append(writer, vec![message(9)]).await.unwrap();
    }
    let read = stage.all().await;
    assert_eq!(read[..4], ids(&["header", "m0", "m1", "m2"]));
    assert_eq!(read[4], damaged(4));
    assert_eq!(read[5..], ids(&["m9", "m9"]));
    let firsts: Vec<u64> = stage.commits().await.iter().map(|it| it.first_seq().number()).collect();
    assert_eq!(firsts, [0, 1, 2, 3, 6, 7]);
}

#[tokio::test]
async fn an_object_that_is_gone_is_damage_where_a_later_one_proves_it() {
    for gone in 1..5 {
        let (stage, knows) = Stage::with_messages(5).await;
        stage.delete_log(gone).await;
        let mut expected = ids(&["header", "m0", "m1", "m2", "m3", "m4"]);
        expected[usize::try_from(gone).unwrap()] = damaged(gone);
        for reader in [&stage.handle(options()), &stage.handle(forgetful())] {
            assert_eq!(stage.read(reader, Span::ALL).await, expected, "without {gone}");
            let span = Span::Back { before: position(6), max_bytes: u64::MAX };
            assert_eq!(stage.read(reader, span).await, expected, "without {gone}");
            assert_eq!(stage.head(reader).await.tip.position, position(6));
        }
        let appended = stage.append(&knows, vec![message(5)]).await.unwrap();
        assert_eq!(appended[0].first.number(), 6);
        expected.extend(ids(&["m5"]));
        assert_eq!(stage.all().await, expected);
        assert!(stage.set_aside(&stage.handle(options())).await.is_empty());
    }
}

#[tokio::test]
async fn a_damaged_object_hides_itself_alone_and_no_number_is_given_twice() {
    for at in 1..7_u64 {
        let stage = Stage::new().await;
        let knows = stage.handle(options());
        stage.create(&knows).await;
        // Of three entries each: 1 to 3, 4 to 6, ...
        for number in 0..6 {
            stage.append(&knows, vec![messages(number, 3)]).await.unwrap();
        }
        stage.damage_log(at).await;
        let mut all = ids(&["header", "m0", "m1", "m2", "m3", "m4", "m5"]);
        all[usize::try_from(at).unwrap()] = damaged(3 * at - 2);
        assert_eq!(stage.all().await, all, "{at} is damaged");
        let fresh = stage.handle(options());
        for (number, writer) in [(6, &fresh), (7, &knows), (8, &stage.handle(options()))] {
            let appended = stage.append(writer, vec![message(number)]).await.unwrap();
            assert_eq!(appended[0].first.number(), 13 + u64::try_from(number).unwrap());
            all.push(Ok(format!("m{number}")));
            for reader in [&knows, &fresh, &stage.handle(options())] {
                assert_eq!(stage.read(reader, Span::ALL).await, all, "{at} is damaged");
                assert!(stage.set_aside(reader).await.is_empty());
            }
        }
    }
}

#[tokio::test]
async fn damage_behind_what_a_handle_wrote_is_seen_by_it_before_it_goes_on() {
    let (stage, knows) = Stage::with_messages(3).await;
    stage.damage_log(3).await;
    // This one can't know what stood there, and goes on behind the damage.
    let fresh = stage.handle(options());
    stage.append(&fresh, vec![message(3)]).await.unwrap();
    stage.append(&knows, vec![message(4)]).await.unwrap();
    let mut all = ids(&["header", "m0", "m1", "m2", "m3", "m4"]);
    all[3] = damaged(3);
    for reader in [&knows, &fresh, &stage.handle(options())] {
        assert_eq!(stage.read(reader, Span::ALL).await, all);
        assert!(stage.set_aside(reader).await.is_empty());
    }
}

#[tokio::test]
async fn several_damaged_objects_at_the_end_take_no_number_twice() {
    let (stage, _) = Stage::with_messages(0).await;
    let writer = stage.handle(options());
    for number in 0..40 {
        stage.append(&writer, vec![messages(number, 2)]).await.unwrap();
    }
    for number in [38, 39, 40] {
        stage.put_log(number, "\0\n\0\n").await;
    }
    let appended = stage.append(&stage.handle(options()), vec![message(99)]).await.unwrap();
    assert_eq!(appended[0].first.number(), 81);
    stage.put_log(42, "").await;
    let appended = stage.append(&stage.handle(options()), vec![message(99)]).await.unwrap();
    assert!(appended[0].first.number() > 82);
    let all = stage.all().await;
    assert_eq!(all.len(), 38 + 1 + 1 + 1 + 1);
    // What is damaged is told once for all that is, and one that is empty is.
    assert_eq!((&all[38], &all[40]), (&damaged(75), &damaged(82)));
}

#[tokio::test]
async fn a_damaged_header_is_told_and_nothing_is_created_over_it() {
    for bytes in ["", "junk\n", "{\"seq\":0,\"type\":\"session\"}\n"] {
        let (stage, _) = Stage::with_messages(2).await;
        stage.put_log(0, bytes).await;
        let fresh = stage.handle(options());
        assert_eq!(kind(fresh.head(&stage.key).await), ErrorKind::Corrupt);
        let read = fresh.read(&stage.key, Span::ALL).await;
        assert_eq!(
            read.map(|_| ()).map_err(|error| told(&error)),
            Err((ErrorKind::Corrupt, Some(0)))
        );
        assert_eq!(kind(stage.append(&fresh, vec![message(2)]).await), ErrorKind::Corrupt);
        let at = sessile_core::Tip::ABSENT;
        let created = stage.append_at(&fresh, at, vec![header(&stage.key)]).await;
        assert_eq!(kind(created), ErrorKind::Corrupt);
        assert_eq!(stage.log(0).await, bytes.as_bytes());
    }
    let (stage, _) = Stage::with_messages(2).await;
    stage.delete_log(0).await;
    let at = sessile_core::Tip::ABSENT;
    let created = stage.append_at(&stage.handle(options()), at, vec![header(&stage.key)]).await;
    assert_eq!(kind(created), ErrorKind::Corrupt);
}

#[tokio::test]
async fn a_journal_under_another_name_is_corrupt_and_says_whose_it_is() {
    let (stage, _) = Stage::with_messages(1).await;
    let mut other = Stage::new().await;
    other.key.id = "other".parse().unwrap();
    other.keys = Keys::below(&"p".into()).session(&other.key);
    for number in 0..2 {
        other.put_log(number, stage.log(number).await).await;
    }
    let error = other.handle(options()).head(&other.key).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.to_string().contains("its header names"), "{error}");
    let at = sessile_core::Tip::ABSENT;
    let created = other.append_at(&other.handle(options()), at, vec![header(&other.key)]).await;
    assert_eq!(kind(created), ErrorKind::Corrupt);
}

#[tokio::test]
async fn a_tombstone_off_the_chain_deletes_nothing() {
    let (stage, knows) = Stage::with_messages(2).await;
    let delete = commit("delete", &sessile_core::EntryType::Delete, &["{}".to_owned()]);
    stage.put_log(3, object_behind(elsewhere(3), &delete)).await;
    for reader in [&knows, &stage.handle(options())] {
        assert!(!stage.head(reader).await.deleted);
        assert_eq!(kind(reader.purge(&stage.key).await), ErrorKind::Conflict);
    }
    stage.append(&knows, vec![message(2)]).await.unwrap();
    assert!(!stage.head(&stage.handle(options())).await.deleted);
}
