//! Posts: their checks, delivery keys, and what leaves the board for them.

use super::desk::{Desk, fingerprint};
use crate::board::decision::{Setting, decide};
use crate::board::id::{Draws, MessageId};
use crate::board::kind::{Kind, Priority, Status};
use crate::board::list::Query;
use crate::board::post::Post;
use crate::board::refused::Refused;
use crate::board::replace::Replace;

/// The first line of what a refusal says, which is the same for the same rule.
fn told<T: std::fmt::Debug>(answer: Result<T, Refused>) -> String {
    answer.unwrap_err().to_string()
}

#[test]
fn a_post_is_checked_in_the_promised_order() {
    let mut desk = Desk::new();
    let known = Post::new(Kind::Note, "known").keyed(fingerprint(1), "k");
    desk.send(&known).unwrap();
    let many: Vec<String> = (0..17).map(|tag| tag.to_string()).collect();
    let wrong = |step: usize| {
        let text = if step < 1 { " " } else { "hello" };
        let mut post = if step < 3 {
            Post::reply("nobody", Kind::Note, text)
        } else {
            Post::new(Kind::Note, text)
        };
        if step < 2 {
            post = post.tags(many.clone());
        }
        match step {
            0..=3 => post.keyed("nobody", " "),
            4 => post.keyed("nobody", "k"),
            5 => post.keyed(fingerprint(1), "k"),
            _ => post,
        }
    };
    let expected = [
        "a message has a text",
        "there are too many tags",
        "message nobody is not on the board",
        "a delivery key is not empty",
        "a sender is named by 64 lower-case hex digits",
        "the delivery key stands for another post, or for one that is gone",
    ];
    for (step, expected) in expected.into_iter().enumerate() {
        assert_eq!(told(desk.send(&wrong(step))), expected);
        assert_eq!(desk.board.len(), 1);
    }
    desk.is_active = false;
    for step in 0..=6 {
        assert_eq!(desk.send(&wrong(step)), Err(Refused::SessionClosed));
    }
    // Also what is there already is not told any more.
    assert_eq!(desk.send(&known), Err(Refused::SessionClosed));
    desk.is_active = true;
    assert!(desk.send(&wrong(6)).is_ok());
}

#[test]
fn a_post_says_what_it_was_given_and_counts_one_change() {
    let mut desk = Desk::new();
    let first = desk.post(Kind::Question, "why?");
    let post = Post::reply(&first, Kind::Answer, " because ")
        .tags(["a", " a ", "b"])
        .priority(Priority::High)
        .from(&"s2".parse().unwrap())
        .requires_ack();
    let posted = desk.send(&post).unwrap();
    assert_eq!((posted.revision, posted.replayed, desk.board.revision()), (2, false, 2));
    let message = desk.message(&posted.id);
    assert_eq!((message.kind, message.priority), (Kind::Answer, Priority::High));
    assert_eq!((message.status, message.requires_ack), (Status::Open, true));
    assert_eq!(message.from.as_deref(), Some("s2"));
    assert!(message.answers(&first));
    let data = desk.entries[1].data.as_str();
    assert!(data.ends_with(r#""body":{"text":"because","tags":["a","b"]}}"#), "{data}");
    assert!(!format!("{post:?}{message:?}").contains("because"));
}

#[test]
fn the_same_keyed_post_is_one_message_and_another_is_a_conflict() {
    let mut desk = Desk::new();
    let other = desk.post(Kind::Note, "other");
    let post = || Post::new(Kind::Note, "hello").tags(["a", "b"]).keyed(fingerprint(1), " k ");
    let first = desk.send(&post()).unwrap();
    let repeat = desk
        .send(&Post::new(Kind::Note, " hello\n").tags(["a", "b", "a"]).keyed(fingerprint(1), "k"));
    let repeat = repeat.unwrap();
    assert_eq!((&repeat.id, repeat.replayed), (&first.id, true));
    assert_eq!((desk.board.len(), desk.board.revision()), (2, 2));
    for changed in [
        Post::new(Kind::Risk, "hello").tags(["a", "b"]),
        Post::new(Kind::Note, "hello!").tags(["a", "b"]),
        Post::new(Kind::Note, "hello").tags(["b", "a"]),
        Post::new(Kind::Note, "hello").tags(["a"]),
        Post::reply(&other, Kind::Note, "hello").tags(["a", "b"]),
        post().priority(Priority::Low),
        post().requires_ack(),
    ] {
        let answer = desk.send(&changed.keyed(fingerprint(1), "k"));
        assert_eq!(answer, Err(Refused::DeliveryKeyConflict));
    }
    // Under another sender or another key it is another post.
    assert!(!desk.send(&post().keyed(fingerprint(2), "k")).unwrap().replayed);
    assert!(!desk.send(&post().keyed(fingerprint(1), "k2")).unwrap().replayed);
    // What is remembered tells neither.
    let saved = desk.board.save();
    assert!(!saved.contains(&fingerprint(1)) && !saved.contains("hello") && !saved.contains("k2"));
}

#[test]
fn a_key_is_remembered_as_long_as_its_message_stands() {
    let mut desk = Desk::keeping(2);
    let keyed = Post::new(Kind::Note, "one").keyed(fingerprint(1), "k");
    let first = desk.send(&keyed).unwrap();
    desk.post(Kind::Note, "two");
    assert!(desk.send(&keyed).unwrap().replayed);
    desk.post(Kind::Note, "three");
    assert!(desk.board.message(&first.id).is_none());
    let again = desk.send(&keyed).unwrap();
    assert!(!again.replayed);
    // A replacement takes a message off the board without freeing its key.
    let newest = desk.ids()[0].clone();
    desk.send(&Replace::new(&newest, "three, better")).unwrap();
    assert!(desk.board.message(&again.id).is_none());
    assert_eq!(desk.send(&keyed), Err(Refused::DeliveryKeyConflict));
}

#[test]
fn the_oldest_message_leaves_a_full_board_and_raises_its_floor() {
    let mut desk = Desk::keeping(2);
    let first = desk.post(Kind::Note, "one");
    let second = desk.post(Kind::Note, "two");
    assert_eq!((desk.board.floor(), desk.board.len()), (0, 2));
    let third = desk.post(Kind::Note, "three");
    assert_eq!(desk.ids(), [second, third]);
    assert_eq!((desk.board.floor(), desk.board.revision()), (1, 3));
    let answer = desk.send(&Post::reply(&first, Kind::Note, "late"));
    assert_eq!(answer, Err(Refused::UnknownMessage(first)));
    // Fewer than one can't be kept.
    let mut least = Desk::keeping(0);
    least.post(Kind::Note, "one");
    let newest = least.post(Kind::Note, "two");
    assert_eq!(least.ids(), [newest]);
    let mut all = Desk::new();
    all.bounds.messages = None;
    for _ in 0..300 {
        all.post(Kind::Note, "more");
    }
    assert_eq!(all.board.len(), 300);
}

#[test]
fn ids_that_are_all_taken_refuse_a_post() {
    let mut desk = Desk::new();
    let draws = Draws::of([9; 16]);
    let post = Post::new(Kind::Note, "hello");
    for taken in 0..17 {
        let bounds = desk.bounds;
        let setting = Setting { session: &desk.key, is_active: true, bounds: &bounds, draws };
        let decided = decide(&desk.board, &setting, &post);
        if taken == 16 {
            assert_eq!(decided.unwrap_err(), Refused::IdsExhausted);
            continue;
        }
        let draft = decided.unwrap().drafts.remove(0);
        let at = sessile_core::UnixMillis(1);
        let entry = sessile_core::NewEntry::new(at, draft.entry_type, draft.data);
        desk.board.apply(&entry.numbered(sessile_core::Seq::new(taken + 1).unwrap()));
    }
    assert_eq!(desk.board.len(), 16);
}

#[test]
fn a_listing_is_filtered_newest_first_and_bounded() {
    let mut desk = Desk::new();
    let task = desk.post(Kind::Todo, "do");
    let reply = desk.reply(&task, "on it");
    let ids: Vec<MessageId> = (0..120).map(|_| desk.post(Kind::Risk, "!")).collect();
    let list = |query: Query| {
        let (messages, total) = query.on(&desk.board, &desk.bounds);
        (messages.into_iter().map(|it| it.id).collect::<Vec<_>>(), total)
    };
    let newest = |count: usize| ids.iter().rev().take(count).cloned().collect::<Vec<_>>();
    assert_eq!(list(Query::all()), (newest(50), 122));
    assert_eq!(list(Query::all().limit(0)), (Vec::new(), 122));
    assert_eq!(list(Query::all().limit(500)), (newest(100), 122));
    assert_eq!(list(Query::all().kind(Kind::Todo)), (vec![task.clone()], 1));
    assert_eq!(list(Query::all().reply_to(&task)), (vec![reply.clone()], 1));
    assert_eq!(list(Query::all().id(&reply)), (vec![reply], 1));
    assert_eq!(list(Query::all().status(Status::Resolved)), (Vec::new(), 0));
    let counts = desk.board.counts();
    let counted: Vec<_> = counts.iter().map(|it| (it.kind, it.total, it.open)).collect();
    assert_eq!(counted, [(Kind::Note, 1, 1), (Kind::Risk, 120, 120), (Kind::Todo, 1, 1)]);
    assert_eq!(desk.board.inbox().count(), 121);
}
