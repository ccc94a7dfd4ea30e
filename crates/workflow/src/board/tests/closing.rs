//! What closes messages: resolutions, withdrawals, replacements; and acknowledgements.

use super::desk::Desk;
use crate::board::acknowledge::Acknowledge;
use crate::board::kind::{Closure, Kind, Priority, Status};
use crate::board::post::Post;
use crate::board::reference;
use crate::board::refused::Refused;
use crate::board::replace::Replace;
use crate::board::resolve::{Resolve, Withdraw};

#[test]
fn a_resolution_counts_where_it_changes_something() {
    let mut desk = Desk::new();
    let id = desk.post(Kind::Risk, "it may fail");
    let resolved = desk.send(&Resolve::new(&id)).unwrap();
    assert_eq!((resolved.revision, resolved.replayed), (2, false));
    assert_eq!(desk.message(&id).status, Status::Resolved);
    for same in [Resolve::new(&id), Resolve::new(&id).resolution("  ")] {
        assert!(desk.send(&same).unwrap().replayed);
    }
    assert_eq!(desk.send(&Resolve::new(&id).resolution("it did")).unwrap().revision, 3);
    assert!(desk.send(&Resolve::new(&id).resolution(" it did ")).unwrap().replayed);
    assert_eq!(desk.send(&Resolve::new(&id).resolution("it did not")).unwrap().revision, 4);
    assert_eq!((desk.board.revision(), desk.entries.len()), (4, 4));
    let unknown = desk.send(&Resolve::new("nobody"));
    assert_eq!(unknown, Err(Refused::UnknownMessage("nobody".into())));
}

#[test]
fn what_is_resolved_once_is_not_resolved_in_other_words() {
    let mut desk = Desk::new();
    let [note, asking, task] = [Kind::Note, Kind::Question, Kind::Todo].map(|kind| {
        let post = Post::new(kind, "x");
        let post = if kind == Kind::Question { post.requires_ack() } else { post };
        desk.send(&post).unwrap().id
    });
    let invalid = |answer| matches!(answer, Err(Refused::InvalidInput(_)));
    assert!(invalid(desk.send(&Resolve::once(&note, " "))));
    assert!(invalid(desk.send(&Resolve::once(&task, "done"))));
    assert!(invalid(desk.send(&Resolve::once(&asking, "yes"))));
    assert_eq!(desk.board.revision(), 3);
    let both = desk.send(&Resolve::once(&asking, "yes").acknowledging()).unwrap();
    assert_eq!((both.revision, desk.board.revision()), (5, 5));
    assert!(desk.message(&asking).acknowledged_at.is_some());
    assert!(desk.send(&Resolve::once(&asking, "yes").acknowledging()).unwrap().replayed);
    let other = desk.send(&Resolve::once(&asking, "no").acknowledging());
    assert_eq!(other, Err(Refused::IdempotencyConflict(asking)));
    assert!(!desk.send(&Resolve::once(&note, "fine")).unwrap().replayed);
}

#[test]
fn a_withdrawal_is_for_four_kinds_and_is_repeated_alike() {
    let mut desk = Desk::new();
    for kind in Kind::ALL {
        let id = desk.post(*kind, "x");
        let answer = desk.send(&Withdraw::new(&id));
        if !kind.is_revisable() {
            assert!(matches!(answer, Err(Refused::InvalidInput(_))), "{kind:?}");
            continue;
        }
        let first = answer.unwrap();
        let again = desk.send(&Withdraw::new(&id)).unwrap();
        assert_eq!((again.revision, again.replayed), (first.revision, true));
        assert_eq!(desk.message(&id).closure, Some(Closure::Withdrawn));
        let resolve = desk.send(&Resolve::new(&id));
        assert_eq!(resolve, Err(Refused::MessageNotOpen(id.clone())));
        let replace = desk.send(&Replace::new(&id, "y"));
        assert_eq!(replace, Err(Refused::MessageNotOpen(id)));
    }
    let resolved = desk.post(Kind::Note, "x");
    desk.send(&Resolve::new(&resolved)).unwrap();
    let answer = desk.send(&Withdraw::new(&resolved));
    assert_eq!(answer, Err(Refused::MessageNotOpen(resolved)));
}

#[test]
fn a_replacement_takes_over_all_but_the_text() {
    let mut desk = Desk::new();
    let to = desk.post(Kind::Note, "root");
    let post =
        Post::reply(&to, Kind::Guidance, "old").tags(["t"]).priority(Priority::High).requires_ack();
    let old = desk.send(&post).unwrap().id;
    let new = desk.send(&Replace::new(&old, " new ")).unwrap();
    assert_eq!((new.revision, desk.message(&old).revision), (4, 3));
    let (was, is) = (desk.message(&old), desk.message(&new.id));
    assert_eq!((was.status, was.closure), (Status::Resolved, Some(Closure::Superseded)));
    assert_eq!(was.superseded_by.as_ref(), Some(&new.id));
    assert_eq!(is.supersedes.as_ref(), Some(&old));
    assert_eq!((is.kind, is.priority, is.requires_ack), (Kind::Guidance, Priority::High, true));
    assert!(is.answers(&to) && is.is_open() && is.acknowledged_at.is_none());
    assert_eq!((is.tags_at, is.text_at), (was.text_at, desk.entries[2].seq));
    let again = desk.send(&Replace::new(&old, "new")).unwrap();
    assert_eq!((&again.id, again.replayed), (&new.id, true));
    let other = desk.send(&Replace::new(&old, "newer"));
    assert_eq!(other, Err(Refused::IdempotencyConflict(old.clone())));
    assert_eq!(desk.send(&Resolve::new(&old)), Err(Refused::MessageNotOpen(old)));
    for (kind, text, rule) in [
        (Kind::Answer, "y", "a message of this kind can't be replaced"),
        (Kind::Note, " ", "a message has a text"),
    ] {
        let id = desk.post(kind, "x");
        let refused = desk.send(&Replace::new(&id, text));
        assert_eq!(refused, Err(Refused::InvalidInput(rule)));
    }
}

#[test]
fn a_replacement_spares_what_it_replaces() {
    let mut desk = Desk::keeping(2);
    let first = desk.post(Kind::Note, "one");
    desk.post(Kind::Note, "two");
    let new = desk.send(&Replace::new(&first, "better")).unwrap().id;
    assert_eq!(desk.ids(), [first, new]);
    let mut single = Desk::keeping(1);
    let only = single.post(Kind::Note, "one");
    assert_eq!(single.send(&Replace::new(&only, "better")), Err(Refused::BoardFull));
    assert!(single.message(&only).is_open());
}

#[test]
fn the_first_acknowledgement_counts_and_changes_nothing_else() {
    let mut desk = Desk::new();
    let plain = desk.post(Kind::Note, "x");
    let asking = desk.send(&Post::new(Kind::Note, "y").requires_ack()).unwrap().id;
    let done = desk.send(&Post::new(Kind::Note, "z").requires_ack()).unwrap().id;
    desk.send(&Resolve::new(&done)).unwrap();
    let nobody = "nobody".into();
    let all = [&asking, &plain, &done, &nobody, &asking];
    let told = desk.send(&Acknowledge::ids(all)).unwrap();
    assert_eq!(told.accepted, std::slice::from_ref(&asking));
    assert_eq!(told.ignored, [plain, done, nobody]);
    let (at, revision) = (desk.message(&asking).acknowledged_at, desk.board.revision());
    assert_eq!((at.is_some(), revision), (true, 5));
    let again = desk.send(&Acknowledge::ids([&asking])).unwrap();
    assert_eq!(again.accepted, std::slice::from_ref(&asking));
    assert_eq!((desk.message(&asking).acknowledged_at, desk.board.revision()), (at, 5));
    assert!(desk.message(&asking).is_open());
    let many = (0..9).map(|id| id.to_string());
    assert!(matches!(desk.send(&Acknowledge::ids(many)), Err(Refused::InvalidInput(_))));
}

#[test]
fn a_reference_is_void_once_others_wait() {
    let mut desk = Desk::new();
    let ids = [0, 1, 2]
        .map(|n| desk.send(&Post::new(Kind::Note, n.to_string()).requires_ack()).unwrap().id);
    let named = [ids[0].clone(), ids[2].clone()];
    let text = reference::issue(&desk.board, &desk.key, &named);
    assert_eq!(reference::resolve(&desk.board, &desk.key, &text), named);
    let accepted = desk.send(&Acknowledge::reference(&text)).unwrap().accepted;
    assert_eq!(accepted, named);
    // That some of them were acknowledged leaves it as it is.
    assert_eq!(reference::resolve(&desk.board, &desk.key, &text), named);
    let mut elsewhere = desk.key.clone();
    elsewhere.id = "s2".parse().unwrap();
    assert!(reference::resolve(&desk.board, &elsewhere, &text).is_empty());
    assert!(reference::resolve(&desk.board, &desk.key, "wsk2_").is_empty());
    desk.send(&Resolve::new(&ids[1])).unwrap();
    assert!(reference::resolve(&desk.board, &desk.key, &text).is_empty());
    assert!(desk.send(&Acknowledge::reference(&text)).unwrap().accepted.is_empty());
}
