//! Writes that land after whoever sent them gave up.

use futures_util::future;
use sessile_core::{ErrorKind, Outcome, SessionId};
use sessile_engine::{Append, From, NewSession, Session};

use super::deeds::{DEEDS, Deed, Planned, found_out};
use super::stage::{Stage, at_last, on_each, patient_store, store};
use super::words;
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
async fn a_write_that_lands_after_a_fresh_handle_did_the_same_changes_no_byte() {
    on_each(async |stage| {
        each_deed(&stage, async |stage, planned| {
            let course = (stage.kind, planned.deed);
            stage.proxy.rule(held(&planned).always());
            let error = planned.carry_out(&stage.hasty()).await.unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown, "{course:?} {error:?}");
            found_out(&planned, &stage.past()).await.unwrap();
            let told = stage.objects_of(&planned.part).await;
            let statuses = stage.proxy.release().await;
            assert!(!statuses.is_empty() && !statuses.into_iter().any(is_taken), "{course:?}");
            assert_eq!(stage.objects_of(&planned.part).await, told, "{course:?}");
            assert!(planned.is_done(&stage).await, "{course:?}");
        })
        .await;
    })
    .await;
}

/// A session that is open through the proxy, and whose calls give up soon.
async fn hasty(stage: &Stage, id: &SessionId) -> Session {
    let store = store(stage.hasty(), &stage.space);
    at_last(async || store.open_session(id.clone()).await).await.unwrap()
}

/// The messages that a session is seen to have.
async fn said(session: &Session) -> Vec<String> {
    let reading = async || session.transcript(From::start()).await?.all().await;
    at_last(reading).await.unwrap()
}

#[tokio::test]
async fn what_whoever_reopened_a_session_was_told_did_not_happen_never_does() {
    on_each(async |stage| {
        let (key, ..) = stage.session(&["one"]).await;
        let gave_up = hasty(&stage, &key.id).await;
        stage.proxy.rule(Rule::on("PUT", key.id.as_str(), Fault::Held).always());
        let late = Append::at_end().commit_id("late".parse().unwrap());
        let error = gave_up.append_with(late, ["late"]).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown);
        let reopened =
            patient_store(stage.past(), &stage.space).open_session(key.id.clone()).await.unwrap();
        assert_eq!(reopened.resolve(&"late".parse().unwrap()).await.unwrap(), None);
        let told = stage.objects_of(key.id.as_str()).await;
        let statuses = stage.proxy.release().await;
        assert!(!statuses.is_empty() && !statuses.into_iter().any(is_taken), "{:?}", stage.kind);
        assert_eq!(stage.objects_of(key.id.as_str()).await, told, "{:?}", stage.kind);
        stage.proxy.mend();
        for session in [&gave_up, &reopened] {
            assert_eq!(said(session).await, ["one"], "{:?}", stage.kind);
        }
    })
    .await;
}

#[tokio::test]
async fn a_creation_that_lands_after_another_store_created_the_session_is_told_that_it_exists() {
    on_each(async |stage| {
        let id = words::key(&stage.space).id;
        let (gave_up, reopened) =
            (store(stage.hasty(), &stage.space), patient_store(stage.past(), &stage.space));
        stage.proxy.rule(Rule::on("PUT", format!("{id}/log"), Fault::Held).always());
        let late = || NewSession::new().title("late");
        let error = gave_up.create_as(id.clone(), late()).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown);
        let opened = reopened.open_session(id.clone()).await;
        assert_eq!(opened.unwrap_err().kind(), ErrorKind::Missing);
        let new = NewSession::new().title("first");
        let session = reopened.open_or_create(id.clone(), new).await.unwrap();
        session.append(["one"]).await.unwrap();
        let told = stage.objects_of(id.as_str()).await;
        let statuses = stage.proxy.release().await;
        assert!(!statuses.is_empty() && !statuses.into_iter().any(is_taken), "{:?}", stage.kind);
        assert_eq!(stage.objects_of(id.as_str()).await, told, "{:?}", stage.kind);
        stage.proxy.mend();
        let creating = async || gave_up.create_as(id.clone(), late()).await;
        let error = at_last(creating).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exists, "{:?}", stage.kind);
        let fresh = patient_store(stage.past(), &stage.space).open_session(id).await.unwrap();
        assert_eq!(fresh.info().header, session.info().header);
        assert_eq!(fresh.info().title().as_deref(), Some("first"));
    })
    .await;
}

#[tokio::test]
async fn a_deletion_that_lands_after_others_went_on_deletes_nothing() {
    on_each(async |stage| {
        let (key, ..) = stage.session(&["one"]).await;
        let gave_up = hasty(&stage, &key.id).await;
        stage.proxy.rule(Rule::on("PUT", key.id.as_str(), Fault::Held).always());
        assert_eq!(gave_up.delete().await.unwrap_err().outcome(), Outcome::Unknown);
        let reopened =
            patient_store(stage.past(), &stage.space).open_session(key.id.clone()).await.unwrap();
        reopened.append(["two"]).await.unwrap();
        let told = stage.objects_of(key.id.as_str()).await;
        let statuses = stage.proxy.release().await;
        assert!(!statuses.is_empty() && !statuses.into_iter().any(is_taken), "{:?}", stage.kind);
        assert_eq!(stage.objects_of(key.id.as_str()).await, told, "{:?}", stage.kind);
        stage.proxy.mend();
        reopened.append(["three"]).await.unwrap();
        // Whoever wants it deleted says so again, and is told when it is.
        at_last(async || gave_up.delete().await).await.unwrap();
        assert_eq!(reopened.append(["x"]).await.unwrap_err().kind(), ErrorKind::Deleted);
    })
    .await;
}

#[tokio::test]
async fn an_append_that_lands_after_another_session_handle_went_on_never_forks_the_session() {
    on_each(async |stage| {
        let (key, ..) = stage.session(&["one"]).await;
        let ours = hasty(&stage, &key.id).await;
        let theirs =
            patient_store(stage.past(), &stage.space).open_session(key.id.clone()).await.unwrap();
        stage.proxy.rule(Rule::on("PUT", key.id.as_str(), Fault::Held).always());
        let late = Append::at_end().commit_id("late".parse().unwrap());
        let error = ours.append_with(late.clone(), ["late"]).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown);
        theirs.append(["two"]).await.unwrap();
        let statuses = stage.proxy.release().await;
        assert!(!statuses.into_iter().any(is_taken), "{:?}", stage.kind);
        stage.proxy.mend();
        let id = "late".parse().unwrap();
        assert_eq!(at_last(async || ours.resolve(&id).await).await.unwrap(), None);
        let fresh = patient_store(stage.past(), &stage.space).open_session(key.id).await.unwrap();
        for session in [&ours, &theirs, &fresh] {
            assert_eq!(said(session).await, ["one", "two"], "{:?}", stage.kind);
        }
        at_last(async || ours.append_with(late.clone(), ["late"]).await).await.unwrap();
        theirs.append(["three"]).await.unwrap();
        assert_eq!(said(&fresh).await, ["one", "two", "late", "three"], "{:?}", stage.kind);
    })
    .await;
}
