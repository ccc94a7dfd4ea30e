//! What was taken over once is not taken over, listed or brought back a second time.

use sessile_core::ErrorKind;
use sessile_engine::{Filter, Page, Store};

use crate::scene::{self, LAYOUTS, Scene};

#[tokio::test]
async fn what_was_deleted_and_purged_does_not_come_back() {
    for layout in LAYOUTS {
        for id in Scene::of(layout).ids() {
            let scene = Scene::of(layout).in_memory();
            let (before, store) = (scene.tree(), scene.store().await);
            store.open_session(&*id).await.unwrap().delete().await.unwrap();
            let others = scene.ids().len() - 1;
            let check = async |store: &Store| {
                let listed = store.list(Filter::all(), Page::of(99)).await.unwrap().sessions;
                assert_eq!(listed.len(), others, "{layout}: {id}: {listed:?}");
                let error = store.open_session(&*id).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Deleted, "{layout}: {id}");
                let new = sessile_engine::NewSession::new();
                let error = store.create_as(&*id, new).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Deleted, "{layout}: {id}");
            };
            check(&store).await;
            check(&scene.store().await).await;
            store.purge(&*id).await.unwrap();
            check(&store).await;
            check(&scene.store().await).await;
            assert_eq!(scene.tree(), before);
        }
    }
}

#[tokio::test]
async fn what_was_deleted_can_be_undeleted_with_all_its_messages() {
    let scene = Scene::of("mixed");
    let store = scene.store().await;
    store.delete("ses_appended").await.unwrap();
    store.undelete("ses_appended").await.unwrap();
    let session = scene.store().await.open_session("ses_appended").await.unwrap();
    assert_eq!(scene::messages(&session).await, scene.messages("ses_appended"));
}

#[tokio::test]
async fn an_import_knows_what_was_taken_over() {
    for layout in LAYOUTS {
        let scene = Scene::of(layout).in_memory();
        let store = scene.store().await;
        for id in scene.ids() {
            store.open_session(&*id).await.unwrap().touch().await.unwrap();
            for store in [&store, &Store::on(scene.plain().await)] {
                let imported = store.import(&scene.whole(&id).to_source()).await.unwrap();
                assert_eq!(imported.len(), 1);
                assert_eq!((imported[0].session.as_str(), imported[0].added), (&*id, 0));
            }
        }
        assert_eq!(scene::listed(&store).await, scene.ids());
    }
}

#[tokio::test]
async fn what_was_imported_before_is_listed_once() {
    for layout in LAYOUTS {
        let scene = Scene::of(layout).in_memory();
        let plain = Store::on(scene.plain().await);
        for id in scene.ids() {
            plain.import(&scene.whole(&id).to_source()).await.unwrap();
        }
        assert_eq!(scene::listed(&scene.store().await).await, scene.ids(), "{layout}");
        // And after they were deleted and purged too.
        for id in scene.ids() {
            plain.delete(&*id).await.unwrap();
            plain.purge(&*id).await.unwrap();
        }
        let listing = scene.store().await.list(Filter::all(), Page::of(9)).await.unwrap();
        assert!(listing.sessions.is_empty(), "{layout}: {listing:?}");
    }
}

#[tokio::test]
async fn an_import_of_older_files_in_place_adds_nothing() {
    let scene = Scene::of("mixed");
    let store = scene.store().await;
    let imported = store.import(&scene.whole("ses_touched").to_source()).await.unwrap();
    assert_eq!((imported[0].session.as_str(), imported[0].added), ("ses_touched", 0));
    assert!(!scene.root().exists());
}
