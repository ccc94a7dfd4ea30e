//! Writes that land after whoever sent them gave up.

use futures_util::future;
use sessile_core::{Error, ErrorKind, Outcome};
use sessile_engine::{Append, From};
use sessile_object::ObjectBackend;

use super::deeds::{DEEDS, Deed, Planned};
use super::stage::{Stage, on_each, store};
use crate::support::proxy::{Fault, Rule};

/// Whether a server's answer says that it wrote.
const fn is_taken(status: u16) -> bool {
    matches!(status, 200 | 201)
}

/// Does each deed on a stage of its own.
async fn each_deed(stage: &Stage, check: impl AsyncFn(Stage, Planned)) {
    let checks = DEEDS.map(|deed| {
        let check = &check;
        async move {
            let stage = stage.another().await;
            let planned = deed.plan(&stage).await;
            check(stage, planned).await;
        }
    });
    future::join_all(checks).await;
}

fn held(planned: &Planned) -> Rule {
    Rule::on("PUT", &planned.part, Fault::Held).after(planned.deed.writes_before())
}

/// Does a deed again until it is known what became of it.
async fn found_out(planned: &Planned, backend: &ObjectBackend) -> Result<(), Error> {
    loop {
        let answer = planned.carry_out(backend).await;
        if !matches!(&answer, Err(error) if error.outcome() == Outcome::Unknown) {
            return answer;
        }
    }
}

#[tokio::test]
async fn a_write_that_lands_after_it_was_sent_again_lands_on_what_is_taken() {
    on_each(async |stage| {
        each_deed(&stage, async |stage, planned| {
            stage.proxy.rule(held(&planned));
            planned.carry_out(&stage.through()).await.unwrap();
            assert!(planned.is_done(&stage).await);
            let statuses = stage.proxy.release().await;
            assert!(!statuses.is_empty() && !statuses.into_iter().any(is_taken));
            assert!(planned.is_done(&stage).await, "{:?} {:?}", stage.kind, planned.deed);
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_write_that_lands_after_a_rival_s_loses_whenever_it_comes() {
    on_each(async |stage| {
        each_deed(&stage, async |stage, planned| {
            let Some(rival) = planned.rival() else { return };
            let (hasty, course) = (stage.hasty(), (stage.kind, planned.deed));
            stage.proxy.rule(held(&planned).always());
            let error = planned.carry_out(&hasty).await.unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown, "{course:?} {error:?}");
            assert!(!planned.is_done(&stage).await);
            rival.carry_out(&stage.past()).await.unwrap();
            let statuses = stage.proxy.release().await;
            assert!(!statuses.is_empty() && !statuses.into_iter().any(is_taken), "{course:?}");
            assert!(rival.is_done(&stage).await, "{course:?}");
            // The handle that gave up finds out that it lost, or goes on behind the winner.
            stage.proxy.mend();
            if planned.deed == Deed::AppendAtTheEnd {
                found_out(&planned, &hasty).await.unwrap();
                let expected =
                    [&planned.tokens[..], &[rival.commit.token(), planned.commit.token()]];
                assert_eq!(stage.tokens(&planned.key).await, expected.concat());
                return;
            }
            let error = found_out(&planned, &hasty).await.unwrap_err();
            let told = (error.kind(), error.outcome());
            assert_eq!(told, (ErrorKind::Conflict, Outcome::NotApplied), "{course:?} {error:?}");
            assert!(rival.is_done(&stage).await, "{course:?}");
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_write_that_lands_late_and_finds_its_place_is_done_once() {
    on_each(async |stage| {
        each_deed(&stage, async |stage, planned| {
            let (hasty, course) = (stage.hasty(), (stage.kind, planned.deed));
            stage.proxy.rule(held(&planned).always());
            let error = planned.carry_out(&hasty).await.unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown, "{course:?} {error:?}");
            let statuses = stage.proxy.release().await;
            let taken = statuses.iter().filter(|status| is_taken(**status)).count();
            // What is masked and the mark behind it are both held.
            let expected = if planned.deed == Deed::Mask { 2 } else { 1 };
            assert_eq!(taken, expected, "{course:?} {statuses:?}");
            stage.proxy.mend();
            match found_out(&planned, &hasty).await {
                Err(error) if planned.deed == Deed::Delete => {
                    assert_eq!(error.kind(), ErrorKind::Missing);
                }
                answer => answer.unwrap_or_else(|error| panic!("{course:?} {error:?}")),
            }
            assert!(planned.is_done(&stage).await, "{course:?}");
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn an_append_that_lands_after_another_session_handle_went_on_never_forks_the_session() {
    on_each(async |stage| {
        let (key, ..) = stage.session(&["one"]).await;
        let ours = store(stage.hasty(), &stage.space).open_session(key.id.clone()).await.unwrap();
        let theirs = store(stage.past(), &stage.space).open_session(key.id.clone()).await.unwrap();
        stage.proxy.rule(Rule::on("PUT", key.id.as_str(), Fault::Held).always());
        let late = Append::at_end().commit_id("late".parse().unwrap());
        let error = ours.append_with(late.clone(), ["late"]).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown);
        theirs.append(["two"]).await.unwrap();
        let statuses = stage.proxy.release().await;
        assert!(!statuses.into_iter().any(is_taken), "{:?}", stage.kind);
        stage.proxy.mend();
        assert_eq!(ours.resolve(&"late".parse().unwrap()).await.unwrap(), None);
        let fresh = store(stage.past(), &stage.space).open_session(key.id).await.unwrap();
        for session in [&ours, &theirs, &fresh] {
            let said: Vec<String> =
                session.transcript(From::start()).await.unwrap().all().await.unwrap();
            assert_eq!(said, ["one", "two"], "{:?}", stage.kind);
        }
        let done = ours.append_with(late, ["late"]).await.unwrap();
        assert!(!done.replayed);
        theirs.append(["three"]).await.unwrap();
        let said: Vec<String> = fresh.transcript(From::start()).await.unwrap().all().await.unwrap();
        assert_eq!(said, ["one", "two", "late", "three"], "{:?}", stage.kind);
    })
    .await;
}
