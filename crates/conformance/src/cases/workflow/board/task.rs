//! Tasks: taken on by anybody, completed once.

use std::sync::Arc;

use sessile_workflow::board::{
    BoardError, Complete, Kind, MessageBoard, MessageId, Post, Priority, Refused, Replace, Resolve,
    Status,
};

use super::stand::{begun, behind, board, fingerprint, ids, listed, posted, refused, replied};
use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "workflow/board/a_fence_is_stale_after_a_direct_reply_and_nothing_else",
        &["workflow/39"],
        |place| Box::pin(stale(place)),
    ),
    Case::new(
        "workflow/board/a_task_that_was_completed_is_answered_again",
        &["workflow/40"],
        |place| Box::pin(answered_again(place)),
    ),
    Case::new("workflow/board/a_task_is_completed_by_one_of_many", &["workflow/40"], |place| {
        Box::pin(one_of_many(place))
    }),
    Case::new(
        "workflow/board/a_completion_that_may_be_there_is_told_when_repeated",
        &["workflow/29", "workflow/40"],
        |place| Box::pin(may_be_there(place)),
    ),
    Case::new(
        "workflow/board/a_task_has_so_many_replies_and_is_a_task",
        &["workflow/39"],
        |place| Box::pin(so_many_replies(place)),
    ),
];

fn complete(task: &MessageId, fence: &str, key: u8) -> Complete {
    Complete::new(task, fence, fingerprint(key), "s2", "done").tags(["t"])
}

async fn fence(board: &MessageBoard, task: &MessageId) -> Result<String, Failed> {
    Ok(board.assignment(task).await?.fence.as_str().to_owned())
}

async fn stale(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (begun(&*place).await?, board(&*place).await?);
    let task = one.post(Post::new(Kind::Todo, "do").requires_ack()).await?.id;
    let reply = replied(&one, &task, "on it").await?;
    let first = fence(&one, &task).await?;
    // What is not said to the task itself.
    replied(&other, &reply, "good").await?;
    let second = posted(&other, Kind::Todo, "another").await?;
    replied(&other, &second, "of the other").await?;
    other.acknowledge(sessile_workflow::board::Acknowledge::ids([&task])).await?;
    other.resolve(Resolve::new(&second)).await?;
    same("the fence", &fence(&other, &task).await?, &first)?;

    for (what, happens) in
        ["an added reply", "a replaced reply", "a resolved reply"].iter().zip(0..)
    {
        let old = fence(&one, &task).await?;
        match happens {
            0 => drop(replied(&other, &task, "more").await?),
            1 => drop(other.replace(Replace::new(&reply, "on it!")).await?),
            _ => {
                let replies = other.assignment(&task).await?.replies;
                let open = replies.iter().find(|it| it.message.is_open());
                let open = open.ok_or_else(|| Failed::new("no reply is open"))?;
                drop(other.resolve(Resolve::new(&open.message.id)).await?);
            }
        }
        match one.complete(complete(&task, &old, 1)).await {
            Err(BoardError::Refused(Refused::AssignmentStale(Some(now)))) => {
                same("the fence that is told", now.fence.as_str(), &fence(&other, &task).await?)?;
                ensure!(now.fence.as_str() != old, "{what}: the fence is the same");
            }
            answer => {
                return Err(Failed::new(format!("{what}: it is stale, and told as {answer:?}")));
            }
        }
    }
    let assigned = one.assignment(&task).await?;
    same("how many answer it", assigned.replies.len(), 3)?;
    same("what it says", assigned.task.text.as_deref(), Some("do"))?;
    let done = other.complete(complete(&task, assigned.fence.as_str(), 1)).await?;
    same("whether it was done before", done.replayed, false)?;
    // Once it is closed otherwise no fence leads anywhere.
    let third = posted(&one, Kind::Todo, "third").await?;
    let old = fence(&one, &third).await?;
    other.withdraw(&third).await?;
    let answer = one.complete(complete(&third, &old, 2)).await;
    refused("a task that was taken back", answer, &Refused::AssignmentStale(None))
}

async fn answered_again(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (begun(&*place).await?, board(&*place).await?);
    let task = posted(&one, Kind::Todo, "do").await?;
    let fence = fence(&one, &task).await?;
    let first = one.complete(complete(&task, &fence, 1).priority(Priority::High)).await?;
    let same_again = || complete(&task, &fence, 1).priority(Priority::High);
    replied(&other, &task, "thanks").await?;
    for again in [&one, &other, &board(&*place).await?] {
        let told = again.complete(same_again()).await?;
        same("again", (&told.id, told.replayed), (&first.id, true))?;
    }
    let completion = fingerprint(1).parse()?;
    let by_another = Refused::AlreadyCompleted { answer: first.id.clone(), completion };
    refused("another key", other.complete(complete(&task, &fence, 2)).await, &by_another)?;
    let conflict = Refused::IdempotencyConflict(task.clone());
    let named = |text: &str, from: &str, fence: &str| {
        Complete::new(&task, fence, fingerprint(1), from, text).tags(["t"]).priority(Priority::High)
    };
    let elsewhere = format!("wsa2_{}", "A".repeat(22));
    for (what, changed) in [
        ("another body", named("done!", "s2", &fence)),
        ("other tags", named("done", "s2", &fence).tags(["u"])),
        ("another author", named("done", "s3", &fence)),
        ("another priority", named("done", "s2", &fence).priority(Priority::Low)),
        ("another fence", named("done", "s2", &elsewhere)),
    ] {
        refused(what, other.complete(changed).await, &conflict)?;
    }
    let found = listed(&*place).await?.messages;
    let Some(answer) = found.iter().find(|it| it.message.id == first.id) else {
        return Err(Failed::new("the answer is not on the board"));
    };
    same("its text", answer.text.as_deref(), Some("done"))?;
    ensure!(answer.message.answers(&task), "it answers something else");
    let closed = found.iter().find(|it| it.message.id == task).map(|it| it.message.clone());
    same("the task", closed.as_ref().map(|it| it.status), Some(Status::Resolved))?;
    same("its answer", closed.and_then(|it| it.resolved_by), Some(first.id))
}

async fn one_of_many(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = begun(&*place).await?;
    let task = posted(&first, Kind::Todo, "do").await?;
    let fence = fence(&first, &task).await?;
    let mut tasks = Vec::new();
    for key in 0..6 {
        let (board, done) = (board(&*place).await?, complete(&task, &fence, key));
        tasks.push(async move { Ok((key, board.complete(done).await)) });
    }
    let (mut winners, mut losers) = (Vec::new(), Vec::new());
    for (key, answer) in together(tasks).await? {
        match answer {
            Ok(told) => winners.push((key, told.id)),
            Err(error) => losers.push(error),
        }
    }
    let [(key, answer)] = &winners[..] else {
        return Err(Failed::new(format!("{} have completed it", winners.len())));
    };
    let completion = fingerprint(*key).parse()?;
    let expected = Refused::AlreadyCompleted { answer: answer.clone(), completion };
    for error in losers {
        same("what the others are told", error.refused(), Some(&expected))?;
    }
    same("what is there", ids(&*place).await?, vec![task, answer.clone()])
}

async fn may_be_there(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = begun(&*place).await?;
    for is_done in [false, true] {
        let task = posted(&first, Kind::Todo, "do").await?;
        let count = ids(&*place).await?.len();
        let fence = fence(&first, &task).await?;
        let (line, cut) = behind(&*place).await?;
        line.breaks_after(0, is_done);
        match cut.complete(complete(&task, &fence, 1)).await {
            Err(BoardError::Uncertain(_)) => {}
            Err(BoardError::Store(_)) if !is_done => {}
            other => return Err(Failed::new(format!("it failed, and is told as {other:?}"))),
        }
        line.mend();
        same("again", cut.complete(complete(&task, &fence, 1)).await?.replayed, is_done)?;
        same("how many there are", ids(&*place).await?.len(), count + 1)?;
    }
    Ok(())
}

async fn so_many_replies(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (begun(&*place).await?, board(&*place).await?);
    let task = posted(&one, Kind::Todo, "do").await?;
    for number in 0..16 {
        let board = if number % 2 == 0 { &one } else { &other };
        replied(board, &task, &number.to_string()).await?;
    }
    let assigned = one.assignment(&task).await?;
    let texts: Vec<String> =
        assigned.replies.iter().filter_map(|it| Some(it.text.as_deref()?.to_owned())).collect();
    same("the replies", texts, (0..16).map(|number: usize| number.to_string()).collect())?;
    let last = replied(&other, &task, "one more").await?;
    refused("17 replies", one.assignment(&task).await, &Refused::AssignmentTooLarge(17))?;
    let none = other.assignment(&last).await;
    refused("what is no task", none, &Refused::NotTodo(last))?;
    let nobody = other.assignment("nobody").await;
    refused("nobody", nobody, &Refused::UnknownMessage("nobody".into()))?;
    let no_fence = other.complete(complete(&task, "no fence", 1)).await;
    refused("no fence", no_fence, &Refused::InvalidAssignmentFence)
}
