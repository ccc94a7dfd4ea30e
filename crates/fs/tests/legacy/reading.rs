//! Older sessions are listed and read where they lie, and nothing is written anywhere.

use sessile_core::backend::{Expected, Span};
use sessile_core::{EntryType, ErrorKind, Position, Space};
use sessile_engine::{Filter, Page};
use sessile_fs::LegacyBackend;
use sessile_interchange::session_files::Folder;

use crate::scene::{self, LAYOUTS, Scene, key};

#[tokio::test]
async fn every_session_is_listed_once_whatever_files_it_has() {
    for layout in LAYOUTS {
        let scene = Scene::of(layout);
        let (before, ids) = (scene.tree(), scene.ids());
        assert!(ids.len() > 2, "{layout}");
        for _process in 0..2 {
            assert_eq!(scene::listed(&scene.store().await).await, ids, "{layout}");
        }
        assert_eq!(scene.tree(), before, "{layout}");
        assert!(!scene.root().exists(), "{layout}: reading made a store");
    }
}

#[tokio::test]
async fn every_session_is_read_whole_and_nothing_is_written_anywhere() {
    for layout in LAYOUTS {
        let scene = Scene::of(layout);
        let (before, store) = (scene.tree(), scene.store().await);
        for id in scene.ids() {
            let session = store.open_session(&*id).await.unwrap();
            assert_eq!(scene::messages(&session).await, scene.messages(&id), "{layout}: {id}");
            let (whole, info) = (scene.whole(&id), session.info());
            assert_eq!(info.title(), Some(whole.title()), "{layout}: {id}");
            assert_eq!(info.messages, u64::try_from(whole.messages().count()).unwrap());
            let Some(header) = whole.header else { continue };
            assert_eq!(info.header.created_at, header.created_at, "{layout}: {id}");
            assert_eq!(info.updated_at, header.updated_at, "{layout}: {id}");
            let parent = header.parent_id.map(|id| id.parse().unwrap());
            assert_eq!(info.header.parent_id, parent, "{layout}: {id}");
            let sound = store.verify(&*id).await.unwrap();
            assert!(sound.sound, "{layout}: {id}: {sound:?}");
        }
        store.close().await.unwrap();
        assert_eq!(scene.tree(), before, "{layout}");
        assert!(!scene.root().exists(), "{layout}: reading made a store");
    }
}

#[tokio::test]
async fn the_newest_stands_first_among_the_stores_own() {
    let scene = Scene::of("current");
    let store = scene.store().await;
    let own = store.create(sessile_engine::NewSession::new()).await.unwrap();
    let ids: Vec<String> = scene::rows(&store).await.iter().map(|it| it.id.to_string()).collect();
    let older = ["ses_18f3_2", "ses_18f3_1", "ses_18f3_3", "ses_18f3_4"];
    let mut wanted = vec![own.id().to_string()];
    wanted.extend(older.map(str::to_owned));
    assert_eq!(ids, wanted);
    for rows in 1..6 {
        let listing = store.list(Filter::all(), Page::of(rows)).await.unwrap();
        assert_eq!(listing.sessions.len(), rows.min(5));
        assert_eq!(listing.next.is_some(), rows < 5);
    }
}

#[tokio::test]
async fn a_part_is_read_as_of_any_journal() {
    let scene = Scene::empty();
    // Of several commits: each holds about a mebibyte.
    let text = "x".repeat(700_000);
    scene.log("long", &[text.as_str(); 6]);
    let backend = scene.backend().await;
    let all = scene::commits(&*backend, "long").await;
    assert!(all.len() > 2, "{}", all.len());
    let head = backend.head(&key("long")).await.unwrap();
    assert_eq!(head.tip, all.last().unwrap().tip());
    let read = async |span| {
        use futures_util::StreamExt as _;
        let commits = backend.read(&key("long"), span).await.unwrap();
        commits.map(|commit| commit.unwrap()).collect::<Vec<_>>().await
    };
    for (index, commit) in all.iter().enumerate() {
        assert_eq!(read(Span::From(commit.first_seq())).await, all[index..]);
        let last = commit.entries.last().unwrap().seq;
        assert_eq!(read(Span::From(last)).await, all[index..]);
        let before = commit.tip().position;
        let back = |max_bytes| Span::Back { before, max_bytes };
        assert_eq!(read(back(0)).await, all[index..=index]);
        assert_eq!(read(back(u64::MAX)).await, all[..=index]);
    }
    assert_eq!(read(Span::Back { before: Position::START, max_bytes: 9 }).await, []);
}

#[tokio::test]
async fn a_transcript_without_a_header_is_a_session() {
    let scene = Scene::empty();
    scene.put(Folder::Sessions, "bare.jsonl", scene::line("Hello there.").as_bytes());
    scene.put(Folder::Sessions, "empty.jsonl", b"");
    scene.put(Folder::Messages, "old.json", br#"[{"role":"user","content":"Old."}]"#);
    let store = scene.store().await;
    let rows = scene::rows(&store).await;
    let titles: Vec<_> =
        rows.iter().map(|row| (row.id.as_str(), row.title.as_deref(), row.messages)).collect();
    let wanted = [
        ("bare", Some("Hello there."), 1),
        ("empty", Some("New session"), 0),
        ("old", Some("Old."), 1),
    ];
    assert_eq!(titles, wanted);
}

#[tokio::test]
async fn what_is_not_there_is_missing_and_nothing_is_made_of_it() {
    let scene = Scene::of("current");
    let (before, store) = (scene.tree(), scene.store().await);
    for id in ["absent", "ses_18f3_1.4242", "imp_0", "sessions"] {
        let error = store.open_session(id).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Missing, "{id}");
        let touched = scene::commits(&**store.backend(), "ses_18f3_1").await;
        let touch = touched[0].clone().copied(touched[0].token);
        let error = store.backend().append(&key(id), Expected::End, vec![touch]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Missing, "{id}");
    }
    assert_eq!(scene.tree(), before);
    assert!(!scene.root().exists());
}

#[tokio::test]
async fn an_id_that_is_none_here_gets_one_that_is_derived() {
    let scene = Scene::empty();
    scene.log("my notes, ü", &["Mine."]);
    let store = scene.store().await;
    let id = scene::listed(&store).await.pop_first().unwrap();
    assert!(id.starts_with("imp_"), "{id}");
    let session = store.open_session(&*id).await.unwrap();
    assert_eq!(scene::messages(&session).await, scene.messages("my notes, ü"));
    session.append([scene::said("More.")]).await.unwrap();
    assert_eq!(scene::listed(&scene.store().await).await, [id].into());
}

#[tokio::test]
async fn the_sessions_are_those_of_one_space() {
    let scene = Scene::of("current");
    let space: Space = "tenant-7".parse().unwrap();
    let backend = LegacyBackend::over(scene.plain().await, scene.old(), space.clone());
    let store = sessile_engine::Store::on(std::sync::Arc::new(backend.await.unwrap()));
    assert_eq!(store.spaces(None, 9).await.unwrap(), [space]);
    assert_eq!(store.list(Filter::all(), Page::of(9)).await.unwrap().sessions.len(), 0);
    let error = store.open_session("ses_18f3_1").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    let there = store.space("tenant-7").unwrap();
    assert_eq!(scene::listed(&there).await, scene.ids());
    // The same id elsewhere is another session.
    store.create_as("ses_18f3_1", sessile_engine::NewSession::new()).await.unwrap();
    assert_eq!(scene::listed(&there).await, scene.ids());
}

#[tokio::test]
async fn what_could_not_be_read_of_the_files_is_told_by_the_import() {
    let scene = Scene::of("torn");
    let backend = scene.backend().await;
    for id in scene.ids() {
        let whole = scene.whole(&id);
        let imports = scene::imports(&*backend, &id).await;
        assert_eq!(imports.len(), 1, "{id}");
        let told = |name: &str| imports[0][name].as_array().map_or(0, Vec::len);
        assert_eq!(told("skipped"), whole.skipped.len(), "{id}");
        assert_eq!(told("notices"), whole.notices.len(), "{id}");
        let count = u64::try_from(whole.records.len()).unwrap();
        assert_eq!(imports[0]["records"], count, "{id}");
        let events = scene::commits(&*backend, &id).await;
        let entries = events.iter().flat_map(|commit| &commit.entries);
        let kept = entries
            .filter(|it| matches!(it.entry_type, EntryType::Message | EntryType::Event))
            .count();
        assert_eq!(u64::try_from(kept).unwrap(), count, "{id}: a record is lost");
    }
}

#[tokio::test]
async fn a_journal_is_made_by_a_rule_that_stays() {
    // Whoever goes on with what another version or process began must end where that does.
    for (layout, id, token) in [
        ("current", "ses_18f3_1", "9b8771b9850b9d128410586d860de293"),
        ("older", "ses_lines", "b5e4180de7f1f8ca8bb82cf078bd59a0"),
        ("older", "ses_no_record", "5adc9d38a841462794d2b15a71af3be8"),
        ("mixed", "ses_appended", "d70d0b9246077eda5017ee3a14e93bdd"),
    ] {
        let tip = Scene::of(layout).backend().await.head(&key(id)).await.unwrap().tip;
        assert_eq!(tip.token.unwrap().to_string(), token, "{layout}: {id}");
    }
}
