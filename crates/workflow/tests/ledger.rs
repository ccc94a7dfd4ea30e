//! Sessions that were taken over from a ledger go on as workflow sessions.
#![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

use std::sync::Arc;

use sessile_core::ErrorKind;
use sessile_core::digest::Digest;
use sessile_core::fold::Lifecycle;
use sessile_engine::Store;
use sessile_interchange::ledger;
use sessile_memory::MemoryBackend;
use sessile_workflow::board::{Query, Shown, Status};
use sessile_workflow::{Discover, Options, Workflow};

const LEDGER: &[u8] = include_bytes!("../../../fixtures/ledgers/board.json");
const ID: &str = "wc_sess_Board0Board0Boar";

/// The row's owner on a store that has taken over the ledger.
async fn taken_over() -> Workflow {
    let options = Options::default();
    let engine = Workflow::engine(sessile_engine::Options::default(), &options);
    let store = Store::with(Arc::new(MemoryBackend::new()), engine);
    let ledger = ledger::decode(&LEDGER.into()).unwrap();
    store.import_ledger(&ledger).await.unwrap();
    let owner: Digest = "3f".repeat(32).parse().unwrap();
    Workflow::on(store, options).unwrap().as_owner_fingerprint(owner)
}

fn words(shown: &Shown) -> (&str, &str, Status) {
    let message = &shown.message;
    (message.id.as_str(), shown.text.as_deref().unwrap_or(""), message.status)
}

#[tokio::test]
async fn its_owner_finds_the_session_with_its_guards_and_instruction() {
    let workflow = taken_over().await;
    let found = workflow.discover(Discover::project("clock".parse().unwrap())).await.unwrap();
    let [row] = &found.sessions[..] else { panic!("one row") };
    assert_eq!((row.id.as_str(), row.title.as_deref()), (ID, Some("The clock")));
    let summary = workflow.summary(ID, None).await.unwrap();
    assert_eq!(summary.lifecycle, Lifecycle::Closed);
    assert_eq!(summary.guards.mode, "read_only");
    assert_eq!(summary.guards.denies(["write"]), Some("write"));
    assert_eq!(summary.context.unwrap().as_str(), r#"{"default_cwd":"src"}"#);
    assert!(summary.baseline.unwrap().as_str().contains("4b825dc6"));
    let instruction = summary.instruction.unwrap();
    assert_eq!(instruction.text.as_deref(), Some("Mend the clock."));
    let stranger = workflow.as_owner("somebody else");
    assert_eq!(stranger.summary(ID, None).await.unwrap_err().kind(), ErrorKind::Missing);
}

#[tokio::test]
async fn its_board_is_the_one_of_the_ledger() {
    let board = taken_over().await.board(ID).await.unwrap();
    let listed = board.list(&Query::all()).await.unwrap();
    let mut told: Vec<_> = listed.messages.iter().map(words).collect();
    told.sort_unstable_by_key(|(id, ..)| *id);
    assert_eq!(
        told,
        [
            ("wc_msg_answer", "0.994 m", Status::Open),
            ("wc_msg_draft", "It is late.", Status::Resolved),
            ("wc_msg_final", "It is early.", Status::Open),
            ("wc_msg_gone", "Oil it.", Status::Resolved),
            ("wc_msg_question", "Why?", Status::Resolved),
            ("wc_msg_stray", "Half of it.", Status::Open),
            ("wc_msg_todo", "Measure it.", Status::Resolved),
        ]
    );
}
