use sessile_core::digest::Salt;
use sessile_core::entry::EntryType;
use sessile_core::journal::LastWord;
use sessile_core::payload::Payload;

use super::*;
use crate::age::Moment;
use crate::piece::Begun;

fn key(id: &str) -> SessionKey {
    SessionKey { space: "sp".parse().unwrap(), id: id.parse().unwrap() }
}

fn tip() -> Tip {
    let token = Some(Token::from_random([7; 16]));
    Tip { position: Position::new(9).unwrap(), token }
}

/// A session whose header says something more of so many bytes.
fn known(key: &SessionKey, more: usize) -> Known {
    let SessionKey { space, id } = key;
    let token = Token::from_random([8; 16]);
    let data = format!(
        r#"{{"format":1,"id":"{id}","space":"{space}","created_at":1,"crc":"crc32c","salt":"00000007","file":"{token}","dialect":"plain","project":"shop","host":{{"x":"{}"}}}}"#,
        "x".repeat(more)
    );
    let entry = Entry {
        seq: Seq::FIRST,
        at: UnixMillis(1),
        entry_type: EntryType::Session,
        must: true,
        claim: None,
        data: Payload::parse(data).unwrap(),
        extra: Vec::new(),
    };
    let word = LastWord { deleted: false, purged: false, updated_at: UnixMillis(5) };
    Known {
        begun: Begun { entry, salt: Salt::from_random([0, 0, 0, 7]) },
        first: 0,
        last: 6,
        taken: 8,
        tip: tip(),
        bytes: 77,
        tag: "\"t\"".to_owned(),
        masked: "m".to_owned(),
        word,
        framing: 0,
        ranges: Arc::default(),
        ranged: 0,
        looked: Moment::now(),
    }
}

fn gist(title: &str) -> Gist {
    let occupant = Occupant::new("r\t1", Seq::new(3).unwrap(), UnixMillis(4));
    Gist {
        tip: tip(),
        project: Some("shop".parse().unwrap()),
        owner: Some(Digest::of(b"alice")),
        parent: Some("Ses_0".parse().unwrap()),
        created_at: UnixMillis(1),
        updated_at: UnixMillis(u64::MAX),
        title: Some(title.to_owned().into()),
        tags: Arc::new(["\n".to_owned(), ".".to_owned(), String::new()]),
        lifecycle: Lifecycle::Closed,
        damaged: true,
        incomplete: true,
        messages: 12,
        occupant: Some(occupant.labelled(Some("who.".into()))),
    }
}

fn is_same_head(ending: Ending, known: &Known) {
    let Some(Seen::Head(head)) = ending.seen() else { panic!("there is a head") };
    assert_eq!(format!("{head:?}"), format!("{:?}", known.head()));
}

#[test]
fn what_is_noted_is_read_as_it_was() {
    let key = key("Ses_1.");
    let known = known(&key, 0);
    let plain = Gist {
        project: None,
        owner: None,
        parent: None,
        title: None,
        tags: Arc::new([]),
        lifecycle: Lifecycle::Active,
        damaged: false,
        incomplete: false,
        occupant: None,
        ..gist("")
    };
    let deleted = Gist { lifecycle: Lifecycle::Deleted, ..plain.clone() };
    for gist in [gist("a \"title\" \u{2028}\u{1f600}\n"), gist(""), plain, deleted] {
        let body = Ending::encode(&key, &known, Some(&gist));
        let ending = Ending::decode(&key, &body).unwrap();
        assert_eq!(ending.taken, 8);
        assert_eq!(ending.gist.as_deref(), Some(&gist));
        assert!(matches!(ending.seen(), Some(Seen::Gist(shown)) if *shown == gist));
    }
    let ending = Ending::decode(&key, &Ending::encode(&key, &known, None)).unwrap();
    assert_eq!((ending.taken, ending.gist.is_none()), (8, true));
    is_same_head(ending, &known);
}

#[test]
fn a_gist_of_another_tip_is_not_noted() {
    let key = key("a");
    let known = known(&key, 0);
    let late = Gist { tip: Tip { position: Position::new(8).unwrap(), ..tip() }, ..gist("late") };
    let of_another = Tip { token: Some(Token::from_random([9; 16])), ..tip() };
    for gist in [late, Gist { tip: of_another, ..gist("of another") }] {
        let ending = Ending::decode(&key, &Ending::encode(&key, &known, Some(&gist))).unwrap();
        is_same_head(ending, &known);
    }
}

#[test]
fn what_is_too_long_is_left_out_and_no_note_is_longer_than_the_bound() {
    let key = key("a");
    let length = |body: &Bytes| u64::try_from(body.len()).unwrap();
    let mut kinds = Vec::new();
    for (title, header) in [(0, 0), (9_000, 0), (0, 9_000), (9_000, 9_000), (1_500, 2_000)] {
        let known = known(&key, header);
        let body = Ending::encode(&key, &known, Some(&gist(&"t".repeat(title))));
        assert!(length(&body) <= MOST_BYTES);
        let ending = Ending::decode(&key, &body);
        kinds.push(ending.map(|it| (it.gist.is_some(), it.head.is_some())));
    }
    let expected =
        [Some((true, true)), Some((false, true)), Some((true, false)), None, Some((true, false))];
    assert_eq!(kinds, expected);
    // All lengths around the bound.
    for more in 2_900..3_500 {
        let body = Ending::encode(&key, &known(&key, more), Some(&gist("t")));
        assert!(length(&body) <= MOST_BYTES, "{more}");
        assert!(Ending::decode(&key, &body).is_some_and(|it| it.gist.is_some()), "{more}");
    }
}

#[test]
fn of_what_is_left_of_a_purged_session_nothing_is_noted() {
    let key = key("a");
    let left = Known { first: 3, ..known(&key, 0) };
    assert!(Ending::encode(&key, &left, Some(&gist("t"))).is_empty());
}

#[test]
fn a_note_that_is_empty_cut_altered_of_another_version_or_of_another_session_says_nothing() {
    let key = key("a");
    let body = Ending::encode(&key, &known(&key, 0), Some(&gist("t")));
    assert!(Ending::decode(&key, &body).is_some());
    for at in 0..body.len() {
        assert!(Ending::decode(&key, &body.slice(..at)).is_none(), "cut at {at}");
        let mut altered = body.to_vec();
        altered[at] ^= 1;
        assert!(Ending::decode(&key, &altered.into()).is_none(), "altered at {at}");
    }
    let longer = [&body[..], b"\n"].concat();
    assert!(Ending::decode(&key, &longer.into()).is_none());
    let others = [self::key("b"), SessionKey { space: "s".parse().unwrap(), id: key.id.clone() }];
    for other in &others {
        assert!(Ending::decode(other, &body).is_none(), "{other}");
    }
    // A right sum does not make a note of what is none.
    let resealed = |told: String| Bytes::from(format!("{} {told}", sum_of(told.as_bytes())));
    let told = String::from_utf8(body[SUM + 1..].to_vec()).unwrap();
    assert_eq!(resealed(told.clone()), body);
    for (text, other) in [
        (r#""note":1"#, r#""note":2"#),
        (r#""id":"a""#, r#""id":"b""#),
        (r#""taken":8"#, r#""taken":18446744073709551615"#),
        (r#""position":9"#, r#""position":9007199254740993"#),
        ("\n", ""),
        ("\n", "\n\n"),
        ("\n{", "\n["),
    ] {
        let altered = told.replacen(text, other, 1);
        assert_ne!(altered, told, "{text}");
        assert!(Ending::decode(&key, &resealed(altered)).is_none(), "{text}");
    }
}

#[test]
fn a_scope_is_asked_of_the_header_and_without_one_of_the_gist() {
    let key = key("a");
    let in_shop = Scope { project: Some("shop".parse().unwrap()), ..Scope::ALL };
    let elsewhere = Scope { project: Some("yard".parse().unwrap()), ..Scope::ALL };
    let of_another = Gist { project: Some("yard".parse().unwrap()), ..gist("t") };
    for (header, gist, shop) in [(0, Some(&of_another), true), (9_000, Some(&of_another), false)] {
        let body = Ending::encode(&key, &known(&key, header), gist);
        let ending = Ending::decode(&key, &body).unwrap();
        assert!(ending.is_in(&Scope::ALL));
        assert_eq!((ending.is_in(&in_shop), ending.is_in(&elsewhere)), (shop, !shop));
    }
}

#[test]
fn a_note_has_the_bytes_that_the_golden_file_has() {
    let golden = include_str!("../../../../fixtures/formats/notes/1");
    let key = key("Ses_1");
    let body = Ending::encode(&key, &known(&key, 0), Some(&gist("Plums")));
    assert_eq!(std::str::from_utf8(&body).unwrap(), golden);
}
