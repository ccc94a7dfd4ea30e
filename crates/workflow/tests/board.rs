//! The board over a store in memory: its words, waiting for changes, and going on from a state.
#![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

use std::sync::Arc;
use std::time::Duration;

use sessile_core::Text;
use sessile_engine::{NewSession, Options, Session, Store};
use sessile_memory::MemoryBackend;
use sessile_workflow::board::{
    Acknowledge, BoardError, BoardFold, Bounds, Complete, Kind, MessageBoard, Observe, Post,
    Priority, Query, Refused, Replace, Resolve, Status, Waited,
};

fn options() -> Options {
    Options::default().fold(Arc::new(BoardFold))
}

fn store(backend: &MemoryBackend) -> Store {
    Store::with(Arc::new(backend.clone()), options())
}

async fn session(backend: &MemoryBackend) -> Session {
    store(backend).create_as("s1", NewSession::new()).await.unwrap()
}

/// The board as another process sees it.
async fn elsewhere(backend: &MemoryBackend) -> MessageBoard {
    MessageBoard::of(&store(backend).open_session("s1").await.unwrap())
}

async fn texts(board: &MessageBoard) -> Vec<Option<String>> {
    let listed = board.list(&Query::all()).await.unwrap();
    listed.messages.iter().map(|it| it.text.as_ref().map(|it| it.as_str().to_owned())).collect()
}

#[tokio::test]
async fn a_message_is_told_with_its_words_wherever_they_stand() {
    let backend = MemoryBackend::new();
    let session = session(&backend).await;
    let board = MessageBoard::of(&session);
    let first = board.post(Post::new(Kind::Question, "why?").tags(["a", "b"])).await.unwrap().id;
    for n in 0..100 {
        session.append([format!("message {n}")]).await.unwrap();
    }
    let second = board.replace(Replace::new(&first, "why not?")).await.unwrap().id;
    board.resolve(Resolve::new(&second).resolution("because")).await.unwrap();
    let listed = elsewhere(&backend).await.list(&Query::all()).await.unwrap();
    assert_eq!(listed.total, 2);
    let [new, old] = &listed.messages[..] else { panic!("there are two") };
    assert_eq!(new.text.as_deref(), Some("why not?"));
    assert_eq!(new.resolution.as_deref(), Some("because"));
    assert_eq!(old.text.as_deref(), Some("why?"));
    for shown in [new, old] {
        let tags: Vec<&str> = shown.tags.iter().map(Text::as_str).collect();
        assert_eq!(tags, ["a", "b"]);
        assert_eq!(shown.message.status, Status::Resolved);
    }
    assert!(!format!("{listed:?}").contains("why"));
}

#[tokio::test]
async fn what_is_redacted_has_no_words_and_keeps_its_place() {
    let backend = MemoryBackend::new();
    let session = session(&backend).await;
    let board = MessageBoard::of(&session);
    let scope = "0a".repeat(32);
    let post = || Post::new(Kind::Todo, "secret").tags(["secret"]).keyed(scope.clone(), "k");
    let id = board.post(post()).await.unwrap().id;
    let reply = board.post(Post::reply(&id, Kind::Note, "fine")).await.unwrap().id;
    let before = board.board().await.unwrap();
    let fence = board.assignment(&id).await.unwrap().fence;
    let at = before.message(&id).unwrap().revision;
    assert_eq!(at, 1);
    let seqs = [sessile_core::Seq::new(1).unwrap()];
    session.redact(seqs, None).await.unwrap();
    assert_eq!(texts(&board).await, [Some("fine".to_owned()), None]);
    let other = elsewhere(&backend).await;
    assert_eq!(other.board().await.unwrap(), before);
    assert_eq!(other.assignment(&id).await.unwrap().fence, fence);
    assert_eq!(other.list(&Query::all().id(&reply)).await.unwrap().total, 1);
    // A repeat is known by its digest, and brings nothing back.
    let again = other.post(post()).await.unwrap();
    assert_eq!((again.id, again.replayed), (id, true));
    assert_eq!(texts(&other).await[1], None);
}

#[tokio::test]
async fn a_board_goes_on_from_a_state_and_is_the_same() {
    let backend = MemoryBackend::new();
    let often = options().state_every(3, 1 << 20);
    let store = Store::with(Arc::new(backend.clone()), often);
    let session = store.create_as("s1", NewSession::new()).await.unwrap();
    let mut bounds = Bounds::default();
    bounds.messages = Some(5);
    let board = MessageBoard::of(&session).bounds(bounds);
    let token = board.observe(Observe::start()).await.unwrap().token;
    for n in 0..12_u8 {
        let post = Post::new(Kind::Todo, format!("task {n}")).keyed("0a".repeat(32), n.to_string());
        let id = board.post(post).await.unwrap().id;
        if n % 3 == 0 {
            let assigned = board.assignment(&id).await.unwrap();
            let fence = assigned.fence.as_str();
            let done = Complete::new(&id, fence, "0b".repeat(32), "s2", "done");
            board.complete(done).await.unwrap();
        }
    }
    let other = elsewhere(&backend).await;
    assert_eq!(other.board().await.unwrap(), board.board().await.unwrap());
    assert_eq!(other.board().await.unwrap().len(), 5);
    let late = other.observe(Observe::since(&token)).await.unwrap();
    assert!(late.history_lost && late.changed);
    let verification = store.verify("s1").await.unwrap();
    assert!(verification.sound, "{verification:?}");
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_with_a_change_of_the_board() {
    let backend = MemoryBackend::new();
    let session = session(&backend).await;
    let board = MessageBoard::of(&session);
    let start = board.observe(Observe::start().wait(Duration::from_secs(9))).await.unwrap();
    assert_eq!((start.waited, start.changed), (Waited::Immediate, false));
    let waiting = {
        let (board, token) = (board.clone(), start.token.clone());
        let observe = Observe::since(token).wait(Duration::from_hours(1));
        tokio::spawn(async move { board.observe(observe).await.unwrap() })
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    // What is not of the board ends no wait.
    session.append(["hello"]).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!waiting.is_finished());
    let id = board.post(Post::new(Kind::Note, "news")).await.unwrap().id;
    let told = waiting.await.unwrap();
    assert_eq!((told.waited, told.changed), (Waited::Updated, true));
    assert_eq!(told.messages[0].message.id, id);
    let late = board.observe(Observe::since(&start.token).wait(Duration::from_secs(9))).await;
    assert_eq!(late.unwrap().waited, Waited::Immediate);
}

#[tokio::test(start_paused = true)]
async fn what_another_process_did_is_seen_when_the_time_is_over() {
    let backend = MemoryBackend::new();
    let session = session(&backend).await;
    let board = MessageBoard::of(&session);
    let token = board.observe(Observe::start()).await.unwrap().token;
    let begun = tokio::time::Instant::now();
    let wait = Duration::from_mins(1);
    let nothing = board.observe(Observe::since(&token).wait(wait)).await.unwrap();
    assert_eq!((nothing.waited, nothing.changed), (Waited::Timeout, false));
    assert_eq!((begun.elapsed(), nothing.token.as_str()), (wait, token.as_str()));
    let waiting = {
        let (board, observe) = (board.clone(), Observe::since(&token).wait(wait));
        tokio::spawn(async move { board.observe(observe).await.unwrap() })
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    elsewhere(&backend).await.post(Post::new(Kind::Note, "news")).await.unwrap();
    let told = waiting.await.unwrap();
    assert_eq!((told.waited, told.messages.len()), (Waited::Updated, 1));
}

#[tokio::test]
async fn an_overview_counts_all_and_tells_the_beginnings_of_the_last_of_each_kind() {
    let backend = MemoryBackend::new();
    let session = session(&backend).await;
    let board = MessageBoard::of(&session);
    assert_eq!(board.overview().await.unwrap().groups, []);
    for n in 0..7 {
        let post = Post::new(Kind::Question, format!("{n}{}", "é".repeat(300)));
        board.post(post).await.unwrap();
    }
    let risk = Post::new(Kind::Risk, "short").priority(Priority::High);
    let risk = board.post(risk).await.unwrap().id;
    board.post(Post::new(Kind::Note, "by the way").priority(Priority::High)).await.unwrap();
    let end = session.refresh().await.unwrap().position;
    let told = elsewhere(&backend).await.overview().await.unwrap();
    assert_eq!(session.refresh().await.unwrap().position, end, "it only reads");
    let counts: Vec<_> =
        told.standing.counts.iter().map(|it| (it.kind, it.total, it.open)).collect();
    assert_eq!(counts, [(Kind::Note, 1, 1), (Kind::Question, 7, 7), (Kind::Risk, 1, 1)]);
    assert_eq!((told.standing.waiting, told.standing.top_priority), (8, Some(Priority::High)));
    let texts = |kind| -> Vec<&str> {
        let group = told.groups.iter().find(|group| group.kind == kind).unwrap();
        group.messages.iter().map(|shown| shown.text.as_deref().unwrap()).collect()
    };
    let cut = |n: u8| format!("{n}{}...", "é".repeat(239));
    assert_eq!(texts(Kind::Question), [6, 5, 4, 3, 2].map(cut), "newest first, five of them");
    assert_eq!(texts(Kind::Risk), ["short"]);
    assert!(!format!("{told:?}").contains("short"));
    // What nobody waits for raises no priority.
    board.resolve(Resolve::new(&risk)).await.unwrap();
    let standing = board.overview().await.unwrap().standing;
    assert_eq!((standing.waiting, standing.top_priority), (7, Some(Priority::Normal)));
}

#[tokio::test]
async fn a_store_without_the_fold_and_a_deleted_session_have_no_board() {
    let backend = MemoryBackend::new();
    let session = session(&backend).await;
    let plain = Store::on(Arc::new(backend.clone()));
    let board = MessageBoard::of(&plain.open_session("s1").await.unwrap());
    let error = board.post(Post::new(Kind::Note, "x")).await.unwrap_err();
    assert_eq!(error.kind(), sessile_core::ErrorKind::Unsupported);
    let board = MessageBoard::of(&session);
    let missing = board.acknowledge(Acknowledge::ids(["nobody"])).await.unwrap();
    assert_eq!(missing.ignored, ["nobody".into()]);
    let refused = board.withdraw("nobody").await.unwrap_err();
    assert_eq!(refused.refused(), Some(&Refused::UnknownMessage("nobody".into())));
    store(&backend).delete("s1").await.unwrap();
    let error = board.post(Post::new(Kind::Note, "x")).await.unwrap_err();
    assert!(matches!(error, BoardError::Store(_)));
    assert_eq!(error.kind(), sessile_core::ErrorKind::Deleted);
}
