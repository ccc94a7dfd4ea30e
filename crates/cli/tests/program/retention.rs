//! Removing what is old, and all of an owner or a space.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;
use sessile::prelude::*;
use sessile::records::Bindings;
use sessile::{Clock, Options, UnixMillis};

use crate::held;
use crate::scene::Scene;

/// A clock that has stood still since so many days.
#[derive(Debug)]
struct DaysAgo(u64);

impl Clock for DaysAgo {
    fn now(&self) -> UnixMillis {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        UnixMillis(u64::try_from(now.as_millis()).unwrap() - self.0 * 24 * 60 * 60 * 1_000)
    }
}

/// Creates sessions and appends a message to each, as it was done some days ago.
fn written(scene: &Scene, days: u64, sessions: &[(&str, &str)]) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let options = Options::default().clock(Arc::new(DaysAgo(days)));
        let store = Store::open(scene.store()).options(options).await.unwrap();
        for (id, owner) in sessions {
            let new = NewSession::new().project("p").owner(owner);
            store.create_as(*id, new).await.unwrap().append(["secret"]).await.unwrap();
        }
        store.close().await.unwrap();
    });
}

/// Gives every file of a store a time.
fn touch_all(scene: &Scene, days: u64) {
    let ago = Duration::from_secs(days * 24 * 60 * 60);
    let time = SystemTime::now().checked_sub(ago).unwrap();
    let folder = scene.folder().join("store/spaces/default/sessions");
    for file in fs::read_dir(folder).unwrap() {
        let file = fs::File::options().append(true).open(file.unwrap().path()).unwrap();
        file.set_modified(time).unwrap();
    }
}

/// The rows of an answer: the session, and why it was kept or that it was removed.
fn rows(scene: &Scene, args: &[&str]) -> BTreeMap<String, String> {
    let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
    let rows = scene.done(&all, "").json().into_iter();
    rows.map(|row| {
        let kept = row["kept"].as_str().unwrap_or("removed");
        assert_eq!(row["removed"], json!(kept == "removed"), "{row}");
        (row["session"].as_str().unwrap().to_owned(), kept.to_owned())
    })
    .collect()
}

fn listed(scene: &Scene) -> Vec<String> {
    let rows = scene.done(&["--json", "list"], "").json();
    let mut ids: Vec<String> =
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    ids.sort_unstable();
    ids
}

fn expected(rows: &[(&str, &str)]) -> BTreeMap<String, String> {
    rows.iter().map(|(id, why)| ((*id).to_owned(), (*why).to_owned())).collect()
}

#[test]
fn what_is_old_by_its_journal_goes_whatever_the_times_of_its_files() {
    let scene = Scene::new();
    written(&scene, 40, &[("old-1", "ann"), ("old-2", "bob"), ("told", "ann")]);
    written(&scene, 1, &[("new-1", "ann"), ("new-2", "ann")]);
    held::hold(&scene, "held");
    for days in [400, 0] {
        touch_all(&scene, days);
        let told = expected(&[
            ("old-1", "removed"),
            ("old-2", "removed"),
            ("told", "removed"),
            ("new-1", "recent"),
            ("new-2", "recent"),
            ("held", "recent"),
        ]);
        assert_eq!(rows(&scene, &["prune", "--older-than", "30d", "--dry-run"]), told);
        assert_eq!(listed(&scene).len(), 6);
    }
    let anns = ["prune", "--older-than", "30d", "--owner", "ann", "--project", "p"];
    let told = expected(&[
        ("old-1", "removed"),
        ("told", "removed"),
        ("new-1", "recent"),
        ("new-2", "recent"),
    ]);
    assert_eq!(rows(&scene, &anns), told);
    assert_eq!(listed(&scene), ["held", "new-1", "new-2", "old-2"]);
    assert_eq!(rows(&scene, &anns).values().filter(|kept| *kept == "removed").count(), 0);
    let last = rows(&scene, &["prune", "--keep-last", "1"]);
    let told = expected(&[
        ("held", "among-the-last"),
        ("new-1", "removed"),
        ("new-2", "removed"),
        ("old-2", "removed"),
    ]);
    assert_eq!(last, told);
    // It can be taken back.
    scene.done(&["undelete", "old-2"], "");
    assert_eq!(listed(&scene), ["held", "old-2"]);
}

#[test]
fn people_are_told_of_each_session_why() {
    let scene = Scene::new();
    written(&scene, 40, &[("old", "ann")]);
    held::hold(&scene, "held");
    let run = scene.done(&["prune", "--older-than", "30d", "--dry-run"], "");
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].starts_with("held ") && lines[0].ends_with("kept: it is not so old"));
    assert!(lines[1].starts_with("old ") && lines[1].ends_with("would be removed"), "{}", run.out);
    assert_eq!(run.err, "sessile: 1 of 2 sessions would be removed, 1 kept\n");
    let run = scene.done(&["prune", "--keep-last", "1", "--held"], "");
    assert!(run.out.lines().nth(1).unwrap().ends_with("removed"), "{}", run.out);
    assert_eq!(run.err, "sessile: 1 of 2 sessions removed, 1 kept\n");
}

#[test]
fn what_can_not_be_read_is_told_and_stays() {
    let scene = Scene::new();
    written(&scene, 40, &[("old", "ann"), ("hurt", "ann")]);
    let bytes = fs::read(scene.journal("hurt")).unwrap();
    fs::write(scene.journal("hurt"), b"nothing of the kind\n").unwrap();
    for args in
        [&["prune", "--older-than", "30d"][..], &["erase", "--owner", "ann", "--confirm", "ann"]]
    {
        let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
        let run = scene.run(&all);
        assert_eq!(run.status, 5, "{args:?}: {}", run.err);
        let told = run.json();
        let hurt = told.iter().find(|row| row["session"] == "hurt").unwrap();
        assert!(hurt["problem"].as_str().is_some_and(|why| !why.is_empty()), "{hurt}");
        assert_eq!(fs::read(scene.journal("hurt")).unwrap(), b"nothing of the kind\n");
    }
    fs::write(scene.journal("hurt"), bytes).unwrap();
    assert_eq!(listed(&scene), ["hurt"]);
}

#[test]
fn an_owner_is_erased_with_all_that_is_theirs_and_nobody_else() {
    let scene = Scene::new();
    written(&scene, 0, &[("a-1", "ann"), ("a-2", "ann"), ("b-1", "bob")]);
    scene.done(&["delete", "a-2"], "");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let bound = |context: &'static str| {
        runtime.block_on(async {
            let store = Store::open(scene.store()).await.unwrap();
            let bound = Bindings::from(&store).get(context).await.unwrap();
            store.close().await.unwrap();
            bound.map(|bound| bound.session_id)
        })
    };
    runtime.block_on(async {
        let store = Store::open(scene.store()).await.unwrap();
        for (context, session) in [("c-a", "a-1"), ("c-b", "b-1")] {
            let session = session.parse().unwrap();
            Bindings::from(&store).bind_session(context, None, &session).await.unwrap();
        }
        store.close().await.unwrap();
    });
    let refused = scene.run(&["--json", "erase", "--owner", "ann", "--confirm", "bob"]);
    assert_eq!((refused.status, refused.error_kind().as_str()), (1, "refused"));
    assert_eq!(
        scene.run(&["erase", "--owner", "ann"]).status,
        2,
        "without a word that it is meant"
    );
    assert_eq!(scene.run(&["erase", "--confirm", "ann"]).status, 2, "without saying whose");
    let dry = scene.done(&["--json", "erase", "--owner", "ann", "--dry-run"], "").json();
    assert_eq!(dry.len(), 2);
    assert_eq!(listed(&scene), ["a-1", "b-1"]);
    let erase = ["erase", "--owner", "ann", "--confirm", "ann"];
    let run = scene.done(&erase, "");
    assert!(run.err.ends_with("1 bindings forgotten\n"), "{}", run.err);
    scene.done(&erase, "");
    assert_eq!(listed(&scene), ["b-1"]);
    assert_eq!((bound("c-a"), bound("c-b")), (None, Some("b-1".to_owned())));
    for id in ["a-1", "a-2"] {
        assert_eq!(scene.run(&["undelete", id]).status, 3);
        let left = fs::read(scene.journal(id)).unwrap_or_default();
        assert!(!left.windows(6).any(|window| window == b"secret"), "{id} is still there");
    }
    let all = ["erase", "--all", "--confirm", "default"];
    assert!(scene.done(&all, "").err.ends_with("1 bindings forgotten\n") || bound("c-b").is_none());
    assert_eq!(listed(&scene), [""; 0]);
}
