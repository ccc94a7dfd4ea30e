//! Tasks: what fences them, and how they are completed.

use super::desk::{Desk, fingerprint};
use crate::board::acknowledge::Acknowledge;
use crate::board::complete::Complete;
use crate::board::id::MessageId;
use crate::board::kind::{Kind, Priority, Status};
use crate::board::post::Post;
use crate::board::refused::Refused;
use crate::board::replace::Replace;
use crate::board::resolve::{Resolve, Withdraw};
use crate::board::state::Board;

fn complete(task: &MessageId, fence: &str, key: u8) -> Complete {
    Complete::new(task, fence, fingerprint(key), "s2", "done").tags(["t"])
}

#[test]
fn unrelated_traffic_and_acknowledgements_leave_a_fence_as_it_is() {
    let mut desk = Desk::new();
    let task = desk.send(&Post::new(Kind::Todo, "do").requires_ack()).unwrap().id;
    let reply = desk.reply(&task, "on it");
    let fence = desk.fence(&task);
    assert_eq!(fence.len(), 27);
    desk.send(&Acknowledge::ids([&task])).unwrap();
    let other = desk.post(Kind::Todo, "other");
    desk.reply(&other, "of the other");
    desk.reply(&reply, "of the reply");
    assert_eq!(desk.fence(&task), fence);
    assert!(!desk.send(&complete(&task, &fence, 1)).unwrap().replayed);
}

#[test]
fn whatever_happens_to_a_task_or_a_direct_reply_makes_a_fence_stale() {
    type Happens = fn(&mut Desk, &MessageId, &MessageId);
    let happens: [(&str, Happens); 4] = [
        ("a reply is added", |desk, task, _| drop(desk.reply(task, "more"))),
        ("a reply is replaced", |desk, _, reply| {
            desk.send(&Replace::new(reply, "better")).unwrap();
        }),
        ("a reply is taken back", |desk, _, reply| {
            desk.send(&Withdraw::new(reply)).unwrap();
        }),
        ("a reply is resolved", |desk, _, reply| {
            desk.send(&Resolve::new(reply)).unwrap();
        }),
    ];
    for (what, happen) in happens {
        let mut desk = Desk::new();
        let task = desk.post(Kind::Todo, "do");
        let reply = desk.reply(&task, "on it");
        let old = desk.fence(&task);
        happen(&mut desk, &task, &reply);
        let Err(Refused::AssignmentStale(Some(now))) = desk.send(&complete(&task, &old, 1)) else {
            panic!("{what}: it is stale");
        };
        assert_eq!(*now, desk.assigned(&task).unwrap(), "{what}");
        assert!(desk.message(&task).is_open());
        assert!(desk.send(&complete(&task, now.fence.as_str(), 1)).is_ok(), "{what}");
    }
    let closings: [(&str, Happens); 3] = [
        ("it is resolved", |desk, task, _| {
            desk.send(&Resolve::new(task)).unwrap();
        }),
        ("it is taken back", |desk, task, _| {
            desk.send(&Withdraw::new(task)).unwrap();
        }),
        ("it is replaced", |desk, task, _| {
            desk.send(&Replace::new(task, "do it")).unwrap();
        }),
    ];
    for (what, close) in closings {
        let mut desk = Desk::new();
        let task = desk.post(Kind::Todo, "do");
        let fence = desk.fence(&task);
        close(&mut desk, &task, &task);
        let answer = desk.send(&complete(&task, &fence, 1));
        assert_eq!(answer, Err(Refused::AssignmentStale(None)), "{what}");
    }
}

#[test]
fn a_completion_links_task_and_answer_by_two_changes() {
    let mut desk = Desk::new();
    let task = desk.post(Kind::Todo, "do");
    let fence = desk.fence(&task);
    let done = desk.send(&complete(&task, &fence, 1).priority(Priority::High)).unwrap();
    assert_eq!((desk.message(&task).revision, done.revision), (2, 3));
    let (closed, answer) = (desk.message(&task), desk.message(&done.id));
    assert_eq!((closed.status, closed.closure), (Status::Resolved, None));
    assert_eq!(closed.resolved_by.as_ref(), Some(&done.id));
    assert_eq!((answer.kind, answer.priority), (Kind::Answer, Priority::High));
    assert!(answer.answers(&task) && answer.is_open());
    assert_eq!(answer.completion, closed.completion);
    assert_eq!(answer.from.as_deref(), Some("s2"));
    // Nobody can complete it with what the board remembers.
    assert!(!desk.board.save().contains(&fence));
    assert!(!desk.entries.iter().any(|entry| entry.data.as_str().contains(&fence)));
}

#[test]
fn a_completion_is_checked_in_the_promised_order() {
    let mut desk = Desk::new();
    let note = desk.post(Kind::Note, "x");
    let task = desk.post(Kind::Todo, "do");
    let stale = desk.fence(&task);
    desk.reply(&task, "more");
    let many: Vec<String> = (0..17).map(|tag| tag.to_string()).collect();
    let wrong = |step: usize| {
        let id = match step {
            0..=4 => MessageId::from("nobody"),
            5 => note.clone(),
            _ => task.clone(),
        };
        let fence = if step < 7 { "no fence" } else { &stale };
        let key = if step < 1 { "key".to_owned() } else { fingerprint(1) };
        let from = if step < 2 { "no id at all" } else { "s2" };
        let text = if step < 3 { " " } else { "done" };
        let made = Complete::new(id, fence, key, from, text);
        if step < 4 { made.tags(many.clone()) } else { made }
    };
    let expected = [
        "a completion is named by 64 lower-case hex digits",
        "the author is named by the id of a session",
        "a message has a text",
        "there are too many tags",
        "message nobody is not on the board",
        "is no task",
        "that is no fence",
        "the task has changed since it was taken on",
    ];
    for (step, expected) in expected.into_iter().enumerate() {
        let told = desk.send(&wrong(step)).unwrap_err().to_string();
        assert!(told.ends_with(expected), "{step}: {told}");
    }
    desk.is_active = false;
    for step in 0..expected.len() {
        assert_eq!(desk.send(&wrong(step)), Err(Refused::SessionClosed));
    }
}

#[test]
fn a_completed_task_is_answered_again_under_its_own_key_body_and_fence() {
    let mut desk = Desk::new();
    let task = desk.post(Kind::Todo, "do");
    let fence = desk.fence(&task);
    let first = desk.send(&complete(&task, &fence, 1)).unwrap();
    let again = desk.send(&complete(&task, &fence, 1)).unwrap();
    assert_eq!((&again.id, again.replayed), (&first.id, true));
    // Also when more was said since, to the task and to the answer.
    desk.reply(&task, "thanks");
    desk.reply(&first.id, "thanks");
    assert!(desk.send(&complete(&task, &fence, 1)).unwrap().replayed);
    let completion = fingerprint(1).parse().unwrap();
    let by_another = Refused::AlreadyCompleted { answer: first.id, completion };
    assert_eq!(desk.send(&complete(&task, &fence, 2)), Err(by_another));
    let other_fence = {
        let mut other = Desk::new();
        let task = other.post(Kind::Todo, "another");
        other.fence(&task)
    };
    let named = |text: &str, from: &str| {
        Complete::new(&task, &fence, fingerprint(1), from, text).tags(["t"])
    };
    for changed in [
        named("done!", "s2"),
        named("done", "s3"),
        named("done", "s2").tags(["t", "u"]),
        named("done", "s2").priority(Priority::Low),
        complete(&task, &other_fence, 1),
    ] {
        let answer = desk.send(&changed);
        assert_eq!(answer, Err(Refused::IdempotencyConflict(task.clone())));
    }
}

#[test]
fn an_assignment_holds_so_many_replies_and_is_lost_with_one_of_them() {
    let mut desk = Desk::new();
    let task = desk.post(Kind::Todo, "do");
    let replies: Vec<MessageId> = (0..16).map(|n| desk.reply(&task, &n.to_string())).collect();
    let assignment = desk.assigned(&task).unwrap();
    let told: Vec<MessageId> = assignment.replies.iter().map(|it| it.id.clone()).collect();
    assert_eq!(told, replies);
    desk.reply(&task, "one more");
    let fence = assignment.fence.as_str();
    assert_eq!(desk.assigned(&task), Err(Refused::AssignmentTooLarge(17)));
    assert_eq!(desk.send(&complete(&task, fence, 1)), Err(Refused::AssignmentTooLarge(17)));

    // The first reply leaves before its task where the task was put in the place of another.
    let mut desk = Desk::keeping(4);
    let old = desk.post(Kind::Todo, "do");
    let reply = desk.reply(&old, "on it");
    let fence = desk.fence(&old);
    desk.send(&Replace::new(&reply, "on it!")).unwrap();
    let spared = desk.post(Kind::Todo, "more");
    desk.send(&Replace::new(&old, "do it")).unwrap();
    assert!(desk.board.message(&reply).is_none());
    assert!(desk.message(&old).lost_replies);
    assert_eq!(desk.assigned(&old), Err(Refused::AssignmentHistoryLost(old.clone())));
    assert!(desk.assigned(&spared).is_ok());
    let answer = desk.send(&complete(&old, &fence, 1));
    assert_eq!(answer, Err(Refused::AssignmentStale(None)));
}

#[test]
fn a_completion_spares_the_task_and_its_replies() {
    let mut desk = Desk::keeping(3);
    let task = desk.post(Kind::Todo, "do");
    let reply = desk.reply(&task, "on it");
    let other = desk.post(Kind::Note, "x");
    let fence = desk.fence(&task);
    let done = desk.send(&complete(&task, &fence, 1)).unwrap().id;
    assert_eq!(desk.ids(), [task, reply, done]);
    assert!(desk.board.message(&other).is_none());
    let mut full = Desk::keeping(2);
    let task = full.post(Kind::Todo, "do");
    full.reply(&task, "on it");
    let fence = full.fence(&task);
    assert_eq!(full.send(&complete(&task, &fence, 1)), Err(Refused::BoardFull));
    assert!(full.message(&task).is_open());
}

/// The board of a task that was completed, with something else in place of a text of what it saves.
fn damaged(from: &str, to: &str) -> (Desk, MessageId, String) {
    let mut desk = Desk::new();
    let task = desk.post(Kind::Todo, "do");
    let fence = desk.fence(&task);
    desk.send(&complete(&task, &fence, 1)).unwrap();
    let saved = desk.board.save();
    assert!(saved.contains(from), "{saved}");
    desk.board = Board::restore(&saved.replacen(from, to, 1)).unwrap();
    (desk, task, fence)
}

#[test]
fn a_completion_that_does_not_fit_together_is_not_told_again() {
    let key = format!("\"completion\":\"{}\",", fingerprint(1));
    let answer_of = |id: &str| format!("\"resolved_by\":\"{id}\",");
    let linked = damaged(&key, &key).0;
    let done = linked.ids()[1].to_string();
    for (from, to) in [
        // The task has no key, or names no answer, or one that is not there.
        (key.as_str(), ""),
        (&answer_of(&done), ""),
        (&answer_of(&done), &answer_of("nobody")),
        // It is open all the same.
        ("\"status\":\"resolved\"", "\"status\":\"open\""),
    ] {
        let (mut desk, task, fence) = damaged(from, to);
        let answer = desk.send(&complete(&task, &fence, 1));
        assert_eq!(answer, Err(Refused::InvalidCompletionState(task)), "{from} to {to}");
    }
    let fence_of = |desk: &Desk, task: &MessageId| {
        format!(",\"fence\":\"{}\"", desk.message(task).fence.unwrap())
    };
    let (desk, task, _) = damaged(&key, &key);
    let recorded = fence_of(&desk, &task);
    let (mut without, task, fence) = damaged(&recorded, "");
    let answer = without.send(&complete(&task, &fence, 1));
    assert_eq!(answer, Err(Refused::InvalidCompletionState(task.clone())));
    // Where it is known that something is missing, the fence may be.
    without.board.incomplete = true;
    let answer = without.send(&complete(&task, &fence, 1));
    assert_eq!(answer, Err(Refused::IdempotencyConflict(task)));
}
