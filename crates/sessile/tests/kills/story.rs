//! One turn from its claim to its outcome, with the points at which it may be stopped.

use std::path::Path;

use serde_json::json;
use sessile::{Action, Contract, Intent, RequestId, Turn};

use crate::child;
use crate::outside;
use crate::site;

/// The session of every row.
pub(crate) const SESSION: &str = "conversation";

/// The request of every row.
pub(crate) const REQUEST: &str = "req-1";

/// What it is asked.
pub(crate) const INPUT: &str = "pay the bill";

/// Where a turn may be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    BeforeClaim,
    AfterClaim,
    AfterIntent,
    AfterTool,
    AfterCompletion,
    DuringCommit,
    AfterCommit,
}

impl Point {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BeforeClaim => "before the claim",
            Self::AfterClaim => "after the claim",
            Self::AfterIntent => "after the intent",
            Self::AfterTool => "after the tool ran",
            Self::AfterCompletion => "after the completion",
            Self::DuringCommit => "during the commit",
            Self::AfterCommit => "after the commit, before the reply",
        }
    }
}

pub(crate) fn request(id: &str) -> RequestId {
    id.parse().unwrap()
}

pub(crate) fn contract() -> Contract {
    Contract::new().part("agent", "payer-1").unwrap()
}

/// The call of the tool.
pub(crate) fn call(request: &str) -> Action {
    Action::new(format!("{request}-call"), "pay", INPUT)
}

/// The turn up to its result, as far as it has not been done; `stop` is told each point.
pub(crate) async fn work(turn: &mut Turn, outside: &Path, stop: impl Fn(Point)) {
    let request = turn.request().to_string();
    turn.push(&json!({"role": "user", "content": INPUT})).await.unwrap();
    turn.checkpoint("agent.step", 1, "asked").in_flight().await.unwrap();
    let output = match turn.intend(call(&request)).await.unwrap() {
        Intent::Fresh(intent) => {
            stop(Point::AfterIntent);
            let output = outside::run_tool(outside, &request, intent.token().number());
            stop(Point::AfterTool);
            intent.complete(&output).await.unwrap();
            output
        }
        Intent::Done(output) => output.decode().unwrap(),
        Intent::Indeterminate(unknown) => {
            // The owner is known to be stopped, so the world tells.
            if outside::runs(outside, &request) > 0 {
                let output = format!("receipt of {request}");
                turn.reconcile(&unknown, &output).await.unwrap();
                output
            } else {
                turn.reconcile_unexecuted(&unknown).await.unwrap();
                let Intent::Fresh(intent) = turn.intend(call(&request)).await.unwrap() else {
                    panic!("what was not executed may be done");
                };
                let output = outside::run_tool(outside, &request, intent.token().number());
                intent.complete(&output).await.unwrap();
                output
            }
        }
    };
    stop(Point::AfterCompletion);
    turn.push(&json!({"role": "assistant", "content": output})).await.unwrap();
}

/// What a turn is committed with.
pub(crate) fn result(request: &str) -> String {
    format!("paid: receipt of {request}")
}

/// A child that stops at a point and waits there to be killed.
pub(crate) async fn as_a_child(stops_at: &str) {
    let stop = |point: Point| {
        if point.name() == stops_at {
            child::reached(point.name());
            child::wait_for_the_end();
        }
    };
    let session = site::given_store().await.open_session(SESSION).await.unwrap();
    stop(Point::BeforeClaim);
    let admission = session.admit(&request(REQUEST), INPUT, &contract()).await.unwrap();
    let mut turn = admission.started().unwrap();
    stop(Point::AfterClaim);
    work(&mut turn, &site::given_outside(), stop).await;
    if stops_at == Point::DuringCommit.name() {
        // It goes on while it is killed: whether the commit is there nobody can say beforehand.
        child::reached(stops_at);
    }
    turn.commit(&result(REQUEST)).await.unwrap();
    stop(Point::AfterCommit);
    child::wait_for_the_end();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the tests that kill it"]
async fn stops_as_a_child() {
    as_a_child(&std::env::var("SESSILE_KILLS_POINT").unwrap()).await;
}
