//! Ledgers: each row once, whatever is wrong with others and wherever an import is cut short.

use std::iter::repeat_n;
use std::sync::Arc;

use sessile_core::fold::Lifecycle;
use sessile_core::{Entry, EntryType, Error, ErrorKind, Limits, Name};
use sessile_engine::{From, LedgerRow, NewSession, Options, RowDone, Session, Store};
use sessile_interchange::ledger::{self, Ledger};
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

const SOUND: &str = include_str!("../../../../fixtures/ledgers/sound.json");
const BOARD: &str = include_str!("../../../../fixtures/ledgers/board.json");
const TOMBSTONES: &str = include_str!("../../../../fixtures/ledgers/tombstones.json");

fn read(text: impl Into<String>) -> Result<Ledger, Error> {
    ledger::decode(&text.into().into())
}

fn store() -> (Store, MemoryBackend) {
    let backend = MemoryBackend::new();
    (Store::on(Arc::new(backend.clone())), backend)
}

/// What was done, in words.
fn told(rows: &[LedgerRow]) -> Vec<String> {
    let word = |row: &LedgerRow| match &row.done {
        RowDone::Imported(done) => format!("added {}", done.added),
        RowDone::Deleted => "deleted".to_owned(),
        RowDone::Buried(is_new) => format!("buried {is_new}"),
        RowDone::Refused(error) => error.kind().name().to_owned(),
        _ => "else".to_owned(),
    };
    rows.iter().map(|row| format!("{} {}", row.row, word(row))).collect()
}

async fn entries(session: &Session) -> Result<Vec<Entry>, Error> {
    session.entries(From::start()).await?.all().await
}

#[tokio::test]
async fn a_ledger_is_taken_over_once() -> Result<(), Error> {
    let (store, backend) = store();
    let ledger = read(BOARD)?;
    assert_eq!(told(&store.import_ledger(&ledger).await?), ["0 added 15"]);
    let session = store.open_session("wc_sess_Board0Board0Boar").await?;
    let info = session.info();
    assert_eq!((info.title().as_deref(), info.lifecycle), (Some("The clock"), Lifecycle::Closed));
    let header = &info.header;
    assert_eq!(header.owner.map(|it| it.to_string()), Some("3f".repeat(32)));
    assert_eq!(header.project.as_ref().map(Name::as_str), Some("clock"));
    assert_eq!(header.project_identity.as_deref(), Some("clock@1"));
    assert!(header.host["workflow.baseline"].as_str().contains("4b825dc6"));
    assert_eq!(header.host["source_created_at"].as_str(), "1790000000000");
    let entries = entries(&session).await?;
    let types: Vec<&str> = entries.iter().map(|it| it.entry_type.as_str()).collect();
    assert_eq!(types[..4], ["session", "meta", "import", "context"]);
    assert_eq!(types[types.len() - 2..], ["close", "event"]);
    let import = entries[2].data.as_str();
    assert!(import.contains(r#""format":"ledger""#) && import.contains(r#""rest":{"#), "{import}");
    assert!(import.contains(r#""events_observed":9"#), "{import}");

    let before = backend.digest();
    assert_eq!(told(&store.import_ledger(&ledger).await?), ["0 added 0"]);
    assert_eq!(backend.digest(), before, "nothing was written");
    // What its session becomes since does not matter to a row that stays what it is.
    session.set_title("Another").await?;
    assert_eq!(told(&store.import_ledger(&ledger).await?), ["0 added 0"]);
    Ok(())
}

#[tokio::test]
async fn a_row_that_has_changed_is_a_conflict_and_spoils_no_other() -> Result<(), Error> {
    let (store, _) = store();
    assert_eq!(
        told(&store.import_ledger(&read(SOUND)?).await?),
        ["0 added 6", "1 added 1", "2 added 0"]
    );
    let session = store.open_session("wc_sess_Zk9-_aB0Qq7xYw3P").await?;
    let position = session.position();
    // In what an entry holds, and in what none does.
    for (old, new) in
        [("0.994 m", "0.995 m"), (r#""events_observed":40"#, r#""events_observed":41"#)]
    {
        let rows = store.import_ledger(&read(SOUND.replace(old, new))?).await?;
        assert_eq!(told(&rows), ["0 conflict", "1 added 0", "2 added 0"]);
    }
    assert_eq!(session.refresh().await?.position, position);
    Ok(())
}

#[tokio::test]
async fn what_was_deleted_since_stays_deleted_and_no_row_gets_another_id_for_it()
-> Result<(), Error> {
    let (store, backend) = store();
    store.import_ledger(&read(SOUND)?).await?;
    store.delete("wc_sess_Zk9-_aB0Qq7xYw3P").await?;
    store.delete("wc_sess_0000000000000000").await?;
    store.purge("wc_sess_0000000000000000").await?;
    let before = backend.digest();
    let rows = store.import_ledger(&read(SOUND)?).await?;
    assert_eq!(told(&rows), ["0 deleted", "1 added 0", "2 deleted"]);
    assert_eq!(backend.digest(), before);
    Ok(())
}

#[tokio::test]
async fn the_id_of_a_tombstone_is_nobodys() -> Result<(), Error> {
    let (store, backend) = store();
    let ledger = read(TOMBSTONES)?;
    let ids = ["wc_sess_0000000000000001", "wc_sess_0000000000000002"];
    store.create_as(ids[1], NewSession::new().title("is there")).await?;
    let rows = store.import_ledger(&ledger).await?;
    assert_eq!(told(&rows), ["0 added 0", "1 buried true", "2 exists", "9 added 0"]);
    let created = store.create_as(ids[0], NewSession::new()).await;
    assert_eq!(created.map(|_| ()).map_err(|error| error.kind()), Err(ErrorKind::Deleted));
    let opened = store.open_session(ids[0]).await;
    assert_eq!(opened.map(|_| ()).map_err(|error| error.kind()), Err(ErrorKind::Deleted));
    let stays = store.open_session(ids[1]).await?.info().title();
    assert_eq!(stays.as_deref(), Some("is there"));
    let before = backend.digest();
    let again = store.import_ledger(&ledger).await?;
    assert_eq!(told(&again), ["0 added 0", "1 buried false", "2 exists", "9 added 0"]);
    assert_eq!(backend.digest(), before);

    // Whose it was can be told: it was taken over with its tombstone.
    let session = store.undelete(ids[0]).await?;
    assert_eq!(session.info().header.owner.map(|it| it.to_string()), Some("3f".repeat(32)));
    let entries = entries(&session).await?;
    let import = entries.iter().find(|it| it.entry_type == EntryType::Import).unwrap();
    assert!(import.data.as_str().contains("retention_tombstone"));
    Ok(())
}

#[tokio::test]
async fn a_row_that_can_not_be_a_session_spoils_no_other() -> Result<(), Error> {
    let (store, _) = store();
    let long = format!("\"project\":\"{}\"", "p".repeat(2_000));
    let text = SOUND.replace(r#""project":"/home/ida/clock""#, &long);
    assert_eq!(
        told(&store.import_ledger(&read(text)?).await?),
        ["0 invalid-id", "1 added 1", "2 added 0"]
    );
    Ok(())
}

#[tokio::test]
async fn an_import_that_is_cut_short_anywhere_is_completed_by_importing_again() -> Result<(), Error>
{
    let whole = {
        let (store, _) = store();
        store.import_ledger(&read(BOARD)?).await?;
        let session = store.open_session("wc_sess_Board0Board0Boar").await?;
        callers(&session).await?
    };
    let owner = "3f".repeat(32);
    let tombstone = format!(
        r#"{{"retention_tombstone":true,"session_id":"wc_sess_0000000000000001",
        "owner_authority_fingerprint":"{owner}"}}"#
    );
    let both = BOARD.trim_end().strip_suffix("]}").map(|rows| format!("{rows},{tombstone}]}}"));
    let ledger = read(both.unwrap_or_default())?;
    let mut commits = 0;
    loop {
        let faulty = Faulty::new();
        // So small that the row takes several commits.
        let mut limits = Limits::default();
        limits.commit_bytes = 3_000;
        let store = faulty.store_with(Options::default().limits(limits));
        faulty.script(repeat_n(Fault::None, commits).chain(repeat_n(Fault::Forbidden, 99)));
        let cut = store.import_ledger(&ledger).await;
        faulty.script_ends();
        let is_whole = cut.is_ok();
        if !is_whole {
            assert_eq!(cut.map(|_| ()).map_err(|error| error.kind()), Err(ErrorKind::Permission));
            assert_eq!(store.import_ledger(&ledger).await?.len(), 2);
        }
        let session = store.open_session("wc_sess_Board0Board0Boar").await?;
        assert_eq!(callers(&session).await?, whole, "after {commits} commits");
        assert_eq!(session.info().lifecycle, Lifecycle::Closed);
        let buried = store.create_as("wc_sess_0000000000000001", NewSession::new()).await;
        assert_eq!(buried.map(|_| ()).map_err(|error| error.kind()), Err(ErrorKind::Deleted));
        if is_whole {
            break;
        }
        commits += 1;
    }
    assert!(commits > 5, "{commits}: the row was to take several");
    Ok(())
}

/// What a row has become, without what tells how it was cut.
async fn callers(session: &Session) -> Result<Vec<(EntryType, String)>, Error> {
    let entries = entries(session).await?.into_iter();
    let entries = entries.filter(|it| {
        !matches!(it.entry_type, EntryType::Session | EntryType::Import | EntryType::State)
    });
    Ok(entries.map(|it| (it.entry_type, it.data.as_str().to_owned())).collect())
}
