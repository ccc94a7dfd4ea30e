//! Writers that slept while others merged, closed, deleted or purged: what they are told when they
//! wake, and that nothing which they send then changes anything.
//!
//! To a handle with a look age of zero every look is an old one, however short it slept.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::{ErrorKind, Seq};
use sessile_engine::{Append, From, NewSession, Session, Store};
use sessile_object::Options;

use super::stage::{SOON, Stage, on_each, options};
use super::words;
use crate::support::proxy::{Fault, Rule};
use crate::support::servers::PATIENCE;
use crate::with_servers::site::Objects;

/// What others do meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meanwhile {
    Merge,
    Close,
    Delete,
    Purge,
}

use Meanwhile::{Close, Delete, Merge, Purge};

/// How long ago the sleeper may have looked for its look to be a young one. One that slept for
/// less is never purged behind: that takes a day, and a look is young for minutes.
const AGES: [Duration; 2] = [Duration::ZERO, Duration::from_mins(10)];

/// A session that one has open and that others go on with.
struct Scene {
    stage: Stage,
    sleeper: Session,
    others: Session,
}

impl Scene {
    async fn on(stage: &Stage, meanwhile: Meanwhile, look_age: Duration) -> Self {
        let stage = stage.another().await;
        let id = words::key(&stage.space).id;
        let mut of_others = options();
        of_others.purges_at_once = true;
        // Where nobody merges, every object that is new was written by the sleeper.
        of_others.merge_every = if meanwhile == Merge { 4 } else { 0 };
        let others = store(&stage, of_others, false);
        let others = others.create_as(id.clone(), NewSession::new()).await.unwrap();
        others.append(["one"]).await.unwrap();
        let mut of_the_sleeper = options();
        of_the_sleeper.look_age = look_age;
        // What is held is sent again soon.
        of_the_sleeper.request_timeout = SOON;
        let sleeper = store(&stage, of_the_sleeper, true).open_session(id).await.unwrap();
        let two = Append::at_end().commit_id("two".parse().unwrap());
        sleeper.append_with(two, ["two"]).await.unwrap();
        Self { stage, sleeper, others }
    }

    /// What others do while the sleeper sleeps.
    async fn pass(&self, meanwhile: Meanwhile) {
        match meanwhile {
            Merge => {
                for number in 0..12 {
                    self.others.append([format!("{number}")]).await.unwrap();
                }
                // Merging goes on behind the appends.
                while !self.objects().await.keys().any(|name| name.contains("/base/")) {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
            Close => self.others.close().await.unwrap(),
            Delete => self.others.delete().await.unwrap(),
            Purge => {
                self.others.delete().await.unwrap();
                self.others.purge().await.unwrap();
            }
        }
    }

    async fn objects(&self) -> Objects {
        self.stage.objects_of(&format!("/sessions/{}/", self.sleeper.id())).await
    }

    fn fresh(&self) -> Store {
        store(&self.stage, options(), false)
    }

    /// What a handle that has just opened the session finds said.
    async fn said(&self) -> Vec<String> {
        let session = self.fresh().open_session(self.sleeper.id().clone()).await.unwrap();
        session.transcript(From::start()).await.unwrap().all().await.unwrap()
    }

    /// Sees that the session is to others what they made of it.
    async fn is_as_it_was(&self, meanwhile: Meanwhile, course: &str) {
        match meanwhile {
            Merge => {}
            Close => assert_eq!(self.said().await, ["one", "two"], "{course}"),
            Delete | Purge => {
                let opened = self.fresh().open_session(self.sleeper.id().clone()).await;
                assert_eq!(opened.unwrap_err().kind(), ErrorKind::Deleted, "{course}");
                let entries =
                    self.others.entries(From::start()).await.unwrap().all().await.unwrap();
                let types: Vec<_> = entries.iter().map(|it| it.entry_type.to_string()).collect();
                let expected: &[&str] = match meanwhile {
                    Purge => &["session", "delete"],
                    _ => &["session", "message", "message", "delete"],
                };
                assert_eq!(types, expected, "{course}");
            }
        }
    }
}

fn store(stage: &Stage, options: Options, through_the_proxy: bool) -> Store {
    let stores = if through_the_proxy { stage.stores_through(PATIENCE) } else { stage.stores() };
    Store::on(Arc::new(stage.handle(stores, options))).space(stage.space.as_str()).unwrap()
}

/// Everything that changes a session, each with what comes of it.
async fn changes(session: &Session, at: Append) -> Vec<Result<(), ErrorKind>> {
    let known = Append::at_end().commit_id("two".parse().unwrap());
    let two = Seq::new(2).unwrap();
    let answers = [
        session.append(["woke"]).await.map(drop),
        session.append_with(at, ["woke"]).await.map(drop),
        session.append_with(known, ["two"]).await.map(drop),
        session.append_events(["woke"]).await.map(drop),
        session.set_title("woke").await.map(drop),
        session.touch().await.map(drop),
        session.rewind(two).await.map(drop),
        session.compact(From::last(1), ["woke"]).await.map(drop),
        session.redact([two], None).await.map(drop),
        session.close().await,
    ];
    answers.map(|answer| answer.map_err(|error| error.kind())).into()
}

#[tokio::test]
async fn a_writer_that_slept_through_its_sessions_end_is_told_and_changes_nothing() {
    on_each(async |stage| {
        for (meanwhile, age) in [(Delete, AGES[0]), (Delete, AGES[1]), (Purge, AGES[0])] {
            let course = format!("{:?} {meanwhile:?} {age:?}", stage.kind);
            let scene = Scene::on(&stage, meanwhile, age).await;
            let at = Append::at(scene.sleeper.position());
            scene.pass(meanwhile).await;
            let before = scene.objects().await;
            for (number, answer) in changes(&scene.sleeper, at).await.into_iter().enumerate() {
                assert_eq!(answer, Err(ErrorKind::Deleted), "{course}: change {number}");
            }
            // Deleting what is deleted is done already.
            scene.sleeper.delete().await.unwrap();
            // A write may have landed where names are free; whoever purges again sweeps it away.
            if meanwhile == Purge {
                scene.is_as_it_was(meanwhile, &course).await;
                scene.others.purge().await.unwrap();
            }
            assert_eq!(scene.objects().await, before, "{course}");
            scene.is_as_it_was(meanwhile, &course).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_writer_that_slept_through_the_close_is_told_and_adds_no_message() {
    on_each(async |stage| {
        for age in AGES {
            let course = format!("{:?} {age:?}", stage.kind);
            let scene = Scene::on(&stage, Close, age).await;
            let at = Append::at(scene.sleeper.position());
            scene.pass(Close).await;
            let before = scene.objects().await;
            let (end, two) = (scene.others.position(), Seq::new(2).unwrap());
            let answers = [
                scene.sleeper.append(["woke"]).await.map(drop),
                scene.sleeper.append_with(at, ["woke"]).await.map(drop),
                scene.sleeper.rewind(two).await.map(drop),
            ];
            for (number, answer) in answers.into_iter().enumerate() {
                let kind = answer.map_err(|error| error.kind());
                assert_eq!(kind, Err(ErrorKind::Closed), "{course}: change {number}");
            }
            scene.sleeper.close().await.unwrap();
            assert_eq!(scene.objects().await, before, "{course}");
            scene.is_as_it_was(Close, &course).await;
            assert_eq!(scene.sleeper.refresh().await.unwrap().position, end, "{course}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_writer_that_slept_through_a_merge_appends_behind_what_others_added() {
    on_each(async |stage| {
        for age in AGES {
            let course = format!("{:?} {age:?}", stage.kind);
            let scene = Scene::on(&stage, Merge, age).await;
            let at = Append::at(scene.sleeper.position());
            scene.pass(Merge).await;
            let end = scene.others.position();
            let error = scene.sleeper.append_with(at, ["woke"]).await.unwrap_err();
            assert_eq!(
                (error.kind(), error.actual_position()),
                (ErrorKind::Conflict, Some(end)),
                "{course}"
            );
            let done = scene.sleeper.append(["woke"]).await.unwrap();
            assert_eq!(done.first.number(), end.number(), "{course}");
            let mut expected = vec!["one".to_owned(), "two".to_owned()];
            expected.extend((0..12).map(|number| number.to_string()));
            expected.push("woke".to_owned());
            assert_eq!(scene.said().await, expected, "{course}");
            let verified = scene.fresh().verify(scene.sleeper.id().clone()).await.unwrap();
            assert!(verified.sound, "{course}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_write_that_was_on_its_way_while_its_writer_slept_changes_nothing_that_others_did() {
    on_each(async |stage| {
        for meanwhile in [Merge, Close, Delete, Purge] {
            let course = format!("{:?} {meanwhile:?}", stage.kind);
            let scene = Scene::on(&stage, meanwhile, Duration::ZERO).await;
            let sleeper = scene.sleeper.clone();
            let log = format!("/sessions/{}/log/", sleeper.id());
            scene.stage.proxy.rule(Rule::on("PUT", log, Fault::Held).always());
            let sent = tokio::spawn(async move { sleeper.append(["woke"]).await });
            while scene.stage.proxy.held() == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            scene.pass(meanwhile).await;
            let end = scene.others.position();
            scene.stage.proxy.mend();
            let statuses = scene.stage.proxy.release().await;
            assert!(!statuses.is_empty(), "{course}");
            let landed = statuses.iter().any(|status| matches!(status, 200 | 201));
            match meanwhile {
                // By then it may have been sent to the right place.
                Merge => {}
                Close | Delete => assert!(!landed, "{course} {statuses:?}"),
                // It lands where names are free again, and nobody looks.
                Purge => assert!(landed, "{course} {statuses:?}"),
            }
            let answer = sent.await.unwrap().map_err(|error| error.kind());
            match meanwhile {
                Merge => {
                    assert_eq!(answer.unwrap().first.number(), end.number(), "{course}");
                    let said = scene.said().await;
                    assert_eq!((said.len(), said.last().unwrap().as_str()), (15, "woke"));
                }
                Close => assert_eq!(answer, Err(ErrorKind::Closed), "{course}"),
                Delete | Purge => assert_eq!(answer, Err(ErrorKind::Deleted), "{course}"),
            }
            scene.is_as_it_was(meanwhile, &course).await;
            if meanwhile == Purge {
                scene.others.purge().await.unwrap();
                // The tombstone and the mark are left.
                assert_eq!(scene.objects().await.len(), 2, "{course}");
                scene.is_as_it_was(meanwhile, &course).await;
            }
        }
    })
    .await;
}
