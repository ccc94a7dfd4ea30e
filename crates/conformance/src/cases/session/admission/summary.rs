//! Summaries within a turn, pass by pass.

use std::sync::Arc;
use std::sync::Mutex;

use sessile_core::admission::Recovery;
use sessile_core::{EntryType, Error, ErrorKind, Payload};
use sessile_engine::{Admit, ContextPolicy, Session, Store, Summarised, Turn};

use super::stage::{self, Before, INPUT};
use crate::case::Case;
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::lossy::Lossy;

pub(super) const CASES: &[Case] = &[
    Case::new("session/summary/that_was_committed_is_not_made_again", &["records/43"], |place| {
        Box::pin(is_not_made_again(place))
    }),
    Case::new("session/summary/passes_that_are_used_up_stay_so", &["records/44"], |place| {
        Box::pin(stay_used_up(place))
    }),
];

const TEN: [&str; 10] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];

fn admit(passes: u16) -> Result<Admit, Error> {
    let policy = ContextPolicy::last(2)?.batch(3)?.passes(passes)?;
    Admit::new(&stage::request("r1")?, INPUT, &stage::terms()?).context(policy)
}

async fn recover(session: &Session, passes: u16) -> Result<Turn, Failed> {
    let active = stage::active(session).await?;
    Ok(session.recover_with(active.claim, admit(passes)?, Recovery::Resume).await?.started()?)
}

/// Summarises; answers what came of it, and of which pass and which messages a summary was made.
async fn summarise(turn: &mut Turn) -> (Result<u16, Error>, Vec<(u16, String)>) {
    let made = Mutex::new(Vec::new());
    let taken = turn
        .summarise(|passage| {
            let ends: Vec<&str> = passage.messages.iter().map(|it| it.data.as_str()).collect();
            let text = ends.join("+").replace('"', "");
            if let Ok(mut made) = made.lock() {
                made.push((passage.pass, text.clone()));
            }
            async move { Summarised::of([text]) }
        })
        .await;
    (taken, made.into_inner().unwrap_or_default())
}

fn made(passes: &[(u16, &str)]) -> Vec<(u16, String)> {
    passes.iter().map(|(pass, text)| (*pass, (*text).to_owned())).collect()
}

async fn is_not_made_again(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let session = scene::session(&Store::on(backend), "s1", &TEN).await?;
    let mut turn = session.admit_with(admit(8)?).await?.started()?;
    // What is under way is noted first; then the summary is stored, and nobody is told.
    line.breaks_after(1, true);
    let (taken, passes) = summarise(&mut turn).await;
    ensure!(taken.is_err(), "a pass that nobody was told of is told as done");
    same("what was made", passes, made(&[(1, "1+2+3")]))?;
    drop((turn, session));
    let session = stage::reopened(&*place, "s1").await?;
    let first = stage::of_type(&session, &EntryType::Compaction).await?;
    same("how many summaries", first.len(), 1)?;
    let mut turn = recover(&session, 8).await?;
    let (taken, passes) = summarise(&mut turn).await;
    same("how many passes were left", taken?, 2)?;
    same("what was made", passes, made(&[(2, "4+5+6"), (3, "7+8")]))?;
    let all = stage::of_type(&session, &EntryType::Compaction).await?;
    same("how many summaries", all.len(), 3)?;
    same("the first", all.into_iter().take(1).collect(), first)?;
    let view = turn.context().await?;
    let seen: Vec<String> = view.messages().map(Payload::decode).collect::<Result<_, _>>()?;
    same("what the turn is shown", seen, ["7+8", "9", "10"].map(str::to_owned).to_vec())?;
    let before = Before::of(&*place, &session).await?;
    let (taken, passes) = summarise(&mut turn).await;
    same("how many passes were left", (taken?, passes), (0, Vec::new()))?;
    before.stays().await?;
    turn.commit("done").await?;
    same("the texts", scene::texts(&session).await?, TEN.map(str::to_owned).to_vec())
}

async fn stay_used_up(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &TEN).await?;
    let mut turn = session.admit_with(admit(2)?).await?.started()?;
    let (taken, passes) = summarise(&mut turn).await;
    fails("a third pass", taken, ErrorKind::Refused)?;
    same("what was made", passes, made(&[(1, "1+2+3"), (2, "4+5+6")]))?;
    drop((turn, session));
    let before = Before::of(&*place, &other).await?;
    let active = stage::active(&other).await?;
    let more = other.recover_with(active.claim, admit(3)?, Recovery::Resume).await;
    let error = fails("with more passes", more, ErrorKind::ConfigurationMismatch)?;
    same("what differs", error.part(), Some("context"))?;
    before.stays().await?;
    for handle in [other, stage::reopened(&*place, "s1").await?] {
        let mut turn = recover(&handle, 2).await?;
        let before = Before::of(&*place, &handle).await?;
        let (taken, passes) = summarise(&mut turn).await;
        fails("a third pass", taken, ErrorKind::Refused)?;
        same("what was made", passes, Vec::new())?;
        fails("what it is shown", turn.context().await, ErrorKind::Refused)?;
        before.stays().await?;
    }
    Ok(())
}
