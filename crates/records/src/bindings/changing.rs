//! Binding and forgetting: in this process first, then where it is stored.

use sessile_core::{Error, ErrorKind, UnixMillis};
use sessile_interchange::binding::{self, Binding, Change, Entry, NewBinding, Unreadable};

use super::map::Map;
use crate::kept::{Spot, Stored};
use crate::remembered::Known;

/// How often a document is read again that somebody else changes at the same time.
const TRIED: usize = 64;

/// Binds a session; what was bound before, and whether it was stored.
pub(super) async fn put(
    map: &Map,
    context: &str,
    new: &NewBinding<'_>,
) -> (Option<String>, Result<(), Error>) {
    let _changing = map.changes.lock().await;
    let now = map.options.clock.now();
    let Some(binding) = Binding::new(new.session_id, new.harness, new.driver, now) else {
        return (None, Ok(()));
    };
    let known = map.remembered.of(context);
    let before = match &known {
        Some(Known::Bound(before)) => Some(before.clone()),
        Some(Known::Forgotten) | None => None,
    };
    map.remembered.set(context, Known::Bound(aged(binding, before.as_ref())));
    let mut replaced = before.as_ref().map(|before| before.session_id.clone());
    let spot = match map.kept.spot(context) {
        Ok(Some(spot)) => spot,
        Ok(None) => return (replaced, Ok(())),
        Err(error) => return (replaced, Err(error)),
    };
    let is_forgotten = matches!(known, Some(Known::Forgotten));
    let decide = |file: Option<&[u8]>| binding::put(file, new, now, map.unreadable);
    let stored = store(map, &spot, is_forgotten, before.as_ref(), decide).await;
    let stored = stored.map(|(binding, over)| {
        replaced = replaced.take().or(over);
        if let Some(binding) = binding {
            map.remembered.set(context, Known::Bound(binding));
        }
    });
    (replaced, stored)
}

/// Binds a session where another one, or none, is expected to be stored.
pub(super) async fn bind(
    map: &Map,
    context: &str,
    expected: Option<&str>,
    new: &NewBinding<'_>,
) -> Result<(), Error> {
    let _changing = map.changes.lock().await;
    let now = map.options.clock.now();
    let known = map.remembered.of(context);
    let decide = |file: Option<&[u8]>| binding::bind(file, expected, new, now, map.unreadable);
    let bound = if let Some(spot) = map.kept.spot(context)? {
        let is_forgotten = matches!(known, Some(Known::Forgotten));
        store(map, &spot, is_forgotten, None, decide).await?.0
    } else {
        let known = match &known {
            Some(Known::Bound(binding)) => Some(binding.encode()),
            Some(Known::Forgotten) | None => None,
        };
        match decide(known.as_deref().map(str::as_bytes))? {
            Change::Nothing => None,
            Change::Write { bytes, .. } => bound_by(bytes.as_bytes())?,
        }
    };
    if let Some(bound) = bound {
        map.remembered.set(context, Known::Bound(bound));
    }
    Ok(())
}

/// Stores the bytes of a binding's file where nothing is; answers whether they were not there yet.
pub(super) async fn take_over(map: &Map, context: &str, bytes: &[u8]) -> Result<bool, Error> {
    let _changing = map.changes.lock().await;
    let Some(binding) = bound_by(bytes)? else {
        return Err(Error::new(ErrorKind::Refused, "it binds no session"));
    };
    let is_new = match map.kept.spot(context)? {
        None => true,
        Some(spot) => {
            let stored = spot.read().await?;
            match stored.bytes.as_deref() {
                Some(held) if held == bytes => false,
                Some(held) => {
                    let bound = bound_by(held).map_err(|error| spot.about(error, &stored))?;
                    let bound = bound.map_or_else(String::new, |bound| bound.session_id);
                    let clause = format!("another binding is there, to session {bound}");
                    return Err(Error::new(ErrorKind::Conflict, clause).about(spot.told()));
                }
                None => {
                    // Where it is text in UTF-8 was found out when it was read.
                    let text = String::from_utf8_lossy(bytes).into_owned();
                    spot.write(text, &stored).await?;
                    true
                }
            }
        }
    };
    map.remembered.set(context, Known::Bound(binding));
    Ok(is_new)
}

/// Forgets a binding; what was bound, and whether that is gone from where it was stored.
pub(super) async fn forget(map: &Map, context: &str) -> (Option<String>, Result<(), Error>) {
    let _changing = map.changes.lock().await;
    let known = map.remembered.of(context);
    let is_forgotten = matches!(known, Some(Known::Forgotten));
    let mut forgotten = match known {
        Some(Known::Bound(binding)) => Some(binding.session_id),
        Some(Known::Forgotten) | None => None,
    };
    map.remembered.set(context, Known::Forgotten);
    let removed = match map.kept.spot(context) {
        Ok(Some(spot)) => remove(map, &spot).await,
        // There is nothing stored of a context without a place.
        Ok(None) | Err(_) => Ok(None),
    };
    let removed = removed.map(|removed| {
        map.remembered.clear(context);
        // What was forgotten before is forgotten, whatever was left of it.
        if !is_forgotten {
            forgotten = forgotten.take().or(removed);
        }
    });
    (forgotten, removed)
}

/// Stores what is decided on what is stored; the binding that is there then, and the id of the one
/// before it.
async fn store(
    map: &Map,
    spot: &Spot,
    is_forgotten: bool,
    before: Option<&Binding>,
    decide: impl Fn(Option<&[u8]>) -> Result<Change, Error>,
) -> Result<(Option<Binding>, Option<String>), Error> {
    let mut tried = 0;
    loop {
        tried += 1;
        let stored = spot.read().await?;
        let change = decide(seen(&stored, is_forgotten, map.unreadable));
        let (bytes, replaced) = match change.map_err(|error| spot.about(error, &stored))? {
            Change::Write { bytes, replaced } => (bytes, replaced),
            Change::Nothing => {
                let bound = stored.bytes.as_deref().map(bound_by).transpose()?.flatten();
                return Ok((bound, None));
            }
        };
        let bound = bound_by(bytes.as_bytes())?.map(|binding| aged(binding, before));
        let bytes = bound.as_ref().map_or(bytes, Binding::encode);
        match spot.write(bytes, &stored).await {
            Err(error) if error.kind() == ErrorKind::Conflict && tried < TRIED => {}
            Err(error) => return Err(error),
            Ok(()) => return Ok((bound, replaced)),
        }
    }
}

/// Removes what is stored; the id that it bound.
async fn remove(map: &Map, spot: &Spot) -> Result<Option<String>, Error> {
    let mut tried = 0;
    loop {
        tried += 1;
        let stored = spot.read().await?;
        let entry = stored.bytes.as_deref().map(Entry::decode).transpose();
        let bound = match entry {
            // Another tool's file is not this map's to remove.
            Ok(None | Some(Entry::Foreign)) => return Ok(None),
            Ok(Some(Entry::Bound(binding))) => Some(binding.session_id),
            Ok(Some(Entry::Unbound)) => None,
            Err(_) if map.unreadable == Unreadable::TreatAsAbsent => None,
            Err(error) => return Err(spot.about(error, &stored)),
        };
        match spot.remove(&stored).await {
            Err(error) if error.kind() == ErrorKind::Conflict && tried < TRIED => {}
            removed => return removed.map(|()| bound),
        }
    }
}

/// What counts of what is stored: nothing of what was forgotten here, but another tool's file.
fn seen(stored: &Stored, is_forgotten: bool, unreadable: Unreadable) -> Option<&[u8]> {
    let bytes = stored.bytes.as_deref()?;
    let is_left = is_forgotten && matches!(binding::get(Some(bytes), unreadable), Ok(Some(_)));
    (!is_left).then_some(bytes)
}

fn bound_by(bytes: &[u8]) -> Result<Option<Binding>, Error> {
    match Entry::decode(bytes)? {
        Entry::Bound(binding) => Ok(Some(binding)),
        Entry::Unbound | Entry::Foreign => Ok(None),
    }
}

/// A binding that is as old as one before it, and was changed no earlier.
fn aged(mut binding: Binding, before: Option<&Binding>) -> Binding {
    let first = before.map_or(UnixMillis(u64::MAX), |before| before.created_at);
    let last = before.map_or(UnixMillis(0), |before| before.updated_at);
    binding.created_at = binding.created_at.min(first);
    binding.updated_at = binding.updated_at.max(last);
    binding
}
