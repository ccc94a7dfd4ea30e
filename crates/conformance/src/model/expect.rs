//! What the product shows, compared with what the ledger says.

use std::collections::BTreeMap;

use sessile_core::fold::Lifecycle;
use sessile_core::{EntryType, ErrorKind, Ordinal, Payload};
use sessile_engine::{Filter, From, Info, Page, RawMessage, Session, Store, Window};

use super::dice::Dice;
use super::ledger::{Account, Ledger, Life, Line};
use crate::failed::{Failed, ensure, fails, same};

/// More rows than any run has sessions.
const PAGE: usize = 100;

/// Fails unless a store lists the sessions that there are, in their order, whatever the page.
pub(super) async fn lists(store: &Store, ledger: &Ledger, dice: &mut Dice) -> Result<(), Failed> {
    let expected = ledger.listed();
    let rows = *dice.pick(&[1, 2, PAGE]).unwrap_or(&PAGE);
    let mut listed = Vec::new();
    let mut page = Page::of(rows);
    // Each page but the last shows something.
    for _ in 0..=expected.len() {
        let listing = store.list(Filter::all(), page).await?;
        listed.extend(listing.sessions.iter().map(|row| row.id.to_string()));
        let Some(next) = listing.next else { break };
        page = Page::of(rows).after(next);
    }
    same("the listing", listed, expected)
}

/// Fails unless a session that is not deleted shows what it is.
pub(super) async fn shows(
    session: &Session,
    account: &Account,
    dice: &mut Dice,
) -> Result<(), Failed> {
    tells(session, account).await?;
    holds(session, account).await?;
    let sight = account.in_sight();
    reads(session, From::start(), account, 0).await?;
    let count = 1 + dice.below(sight.len() + 1);
    let skipped = sight.len().saturating_sub(count);
    reads(session, From::last(count), account, skipped).await?;
    let begin = dice.below(sight.len() + 2);
    if let Some(ordinal) = u64::try_from(begin).ok().and_then(|it| Ordinal::new(it + 1)) {
        reads(session, From::ordinal(ordinal), account, begin).await?;
    }
    let begin = dice.below(sight.len());
    if let Some(line) = sight.get(begin) {
        reads(session, From::seq(line.seq), account, begin).await?;
    }
    views(session, account, dice).await
}

/// The metadata of a session.
pub(super) fn meta(info: &Info) -> BTreeMap<String, String> {
    let told = info.meta.iter();
    told.map(|(key, value)| (key.to_owned(), value.as_str().to_owned())).collect()
}

async fn tells(session: &Session, account: &Account) -> Result<(), Failed> {
    let info = session.refresh().await?;
    let life = match info.lifecycle {
        Lifecycle::Active => Life::Active,
        Lifecycle::Closed => Life::Closed,
        Lifecycle::Deleted => Life::Deleted,
    };
    same("the state", life, account.life)?;
    same("the position", info.position, account.position())?;
    same("how many messages", info.messages, length(&account.in_sight()))?;
    same("how many events", info.events, length(&account.notes))?;
    same("from where on it is kept", info.forgotten, account.forgotten)?;
    same("when it was updated", info.updated_at.0, account.updated)?;
    same("the metadata", meta(&info), account.meta.clone())?;
    ensure!(!info.damaged, "nothing is damaged");
    ensure!(session.receipt().is_none(), "nothing was set aside");
    Ok(())
}

/// Fails unless the messages and events are there under their numbers, what is hidden and what is
/// left of them included.
async fn holds(session: &Session, account: &Account) -> Result<(), Failed> {
    let entries = session.entries(From::start()).await?.all().await?;
    let of = |wanted: EntryType| -> Vec<(u64, &str)> {
        let found = entries.iter().filter(|entry| entry.entry_type == wanted);
        found.map(|entry| (entry.seq.number(), entry.data.as_str())).collect()
    };
    let told = |lines: &'_ [Line]| -> Vec<(u64, String)> {
        lines.iter().map(|line| (line.seq.number(), line.data.clone())).collect()
    };
    let owned = |found: Vec<(u64, &str)>| -> Vec<(u64, String)> {
        found.into_iter().map(|(seq, data)| (seq, data.to_owned())).collect()
    };
    same("the entries of messages", owned(of(EntryType::Message)), told(&account.lines))?;
    same("the entries of events", owned(of(EntryType::Event)), told(&account.notes))
}

/// Fails unless a read shows the messages in sight but for so many, or says that the first of them
/// was forgotten.
async fn reads(
    session: &Session,
    from: From,
    account: &Account,
    skipped: usize,
) -> Result<(), Failed> {
    let sight = account.in_sight();
    let expected = sight.get(skipped..).unwrap_or_default();
    let answer = session.transcript::<RawMessage>(from).await?.all().await;
    if expected.first().is_some_and(|line| account.forgot(line.seq)) {
        return fails("reading", answer, ErrorKind::Forgotten).map(drop);
    }
    let read = answer?;
    let texts: Vec<&str> = read.iter().map(|message| message.data.as_str()).collect();
    same("the messages", texts, expected.iter().map(|line| line.data.as_str()).collect())?;
    for (message, ordinal) in read.iter().zip(u64::try_from(skipped + 1)?..) {
        same("an ordinal", message.ordinal.map(Ordinal::number), Some(ordinal))?;
    }
    Ok(())
}

async fn views(session: &Session, account: &Account, dice: &mut Dice) -> Result<(), Failed> {
    let (last, batch) = (1 + dice.below(4), dice.below(4));
    let view = session.view(Window::last(last).batch(batch)).await?;
    let summary = account.summary();
    let texts = account.texts();
    let covered = usize::try_from(summary.map_or(0, |it| it.keep_from - 1))?;
    let forgotten = account.in_sight().iter().filter(|line| account.forgot(line.seq)).count();
    let kept = texts.get(covered.max(forgotten)..).unwrap_or_default();
    let (rest, window) =
        kept.split_at_checked(kept.len().saturating_sub(last)).unwrap_or((kept, &[]));
    let buffer = rest.get(..batch.min(rest.len())).unwrap_or_default();
    let data = |messages: &[RawMessage]| -> Vec<String> {
        messages.iter().map(|message| message.data.as_str().to_owned()).collect()
    };
    same("the window", data(&view.window), window.to_vec())?;
    same("the buffer", data(&view.buffer), buffer.to_vec())?;
    same("the backlog", view.backlog, length(rest) - length(buffer))?;
    let shown: Vec<&str> = view.summary.iter().map(Payload::as_str).collect();
    same("the summary", shown, summary.iter().map(|it| it.data.as_str()).collect())
}

fn length<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}
