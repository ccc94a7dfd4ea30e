//! What the product shows, compared with what the ledger says.

use sessile_core::fold::Lifecycle;
use sessile_core::{Ordinal, Payload};
use sessile_engine::{Filter, From, Page, RawMessage, Session, Store, Window};

use super::dice::Dice;
use super::ledger::{Account, Ledger, Life};
use crate::failed::{Failed, ensure, same};

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
    let texts = account.texts();
    reads(session, From::start(), &texts, 1).await?;
    let count = 1 + dice.below(texts.len() + 1);
    let skipped = texts.len().saturating_sub(count);
    let last = texts.get(skipped..).unwrap_or_default();
    reads(session, From::last(count), last, skipped + 1).await?;
    let begin = dice.below(texts.len() + 2);
    if let Some(ordinal) = u64::try_from(begin).ok().and_then(|it| Ordinal::new(it + 1)) {
        let rest = texts.get(begin..).unwrap_or_default();
        reads(session, From::ordinal(ordinal), rest, begin + 1).await?;
    }
    let sight = account.in_sight();
    let begin = dice.below(sight.len());
    if let Some(line) = sight.get(begin) {
        let rest = texts.get(begin..).unwrap_or_default();
        reads(session, From::seq(line.seq), rest, begin + 1).await?;
    }
    views(session, account, dice).await
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
    same("how many events", info.events, account.events)?;
    same("when it was updated", info.updated_at.0, account.updated)?;
    let meta = info.meta.iter().map(|(key, value)| (key.to_owned(), value.as_str().to_owned()));
    same("the metadata", meta.collect(), account.meta.clone())?;
    ensure!(!info.damaged, "nothing is damaged");
    ensure!(session.receipt().is_none(), "nothing was set aside");
    Ok(())
}

/// Fails unless a read shows these messages, the first of them under this ordinal.
async fn reads(
    session: &Session,
    from: From,
    expected: &[String],
    first: usize,
) -> Result<(), Failed> {
    let read: Vec<RawMessage> = session.transcript(from).await?.all().await?;
    let texts: Vec<&str> = read.iter().map(|message| message.data.as_str()).collect();
    same("the messages", texts, expected.iter().map(String::as_str).collect())?;
    for (message, ordinal) in read.iter().zip(u64::try_from(first)?..) {
        same("an ordinal", message.ordinal.map(Ordinal::number), Some(ordinal))?;
    }
    Ok(())
}

async fn views(session: &Session, account: &Account, dice: &mut Dice) -> Result<(), Failed> {
    let (last, batch) = (1 + dice.below(4), dice.below(4));
    let view = session.view(Window::last(last).batch(batch)).await?;
    let summary = account.summary();
    let texts = account.texts();
    let covered = summary.map_or(0, |it| it.keep_from - 1);
    let kept = texts.get(usize::try_from(covered)?..).unwrap_or_default();
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
