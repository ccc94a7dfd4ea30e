//! What a workflow session is beside its metadata, folded from its journal.
//!
//! The fold keeps numbers and no text: what was said stands in the entries, where it can be
//! removed, and is read from there.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{Context, Redacted};
use sessile_core::fold::{Extended, Extension};
use sessile_core::{Entry, EntryType, Seq};

use crate::context;
use crate::event::is_event;

/// The name of the fold.
pub(crate) const NAME: &str = "workflow";

/// It rises whenever an entry comes to mean something else.
const VERSION: u32 = 1;

/// The entries that it folds, in order of name.
const TYPES: &[&str] = &["close", "context", "event", "instruct", "redacted"];

/// The fold of workflow sessions, with a window of so many events; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Folding {
    window: usize,
}

impl Folding {
    pub(crate) fn of(window: usize) -> Self {
        Self { window: window.max(1) }
    }

    /// What there is before the first entry.
    fn empty(self) -> Fold {
        Fold { window: self.window, kept: Kept::default() }
    }

    /// What was folded and saved, if that is enough to go on from.
    fn restored(self, member: &str) -> Option<Fold> {
        let mut kept: Kept = serde_json::from_str(member).ok()?;
        let recent = u64::try_from(kept.recent.len()).ok()?;
        let window = u64::try_from(self.window).ok()?;
        // Who saved it had a smaller window: what is missing stands in the journal only.
        if recent < kept.observed.min(window) || recent > kept.observed {
            return None;
        }
        kept.shrink(self.window);
        Some(Fold { window: self.window, kept })
    }
}

impl Extension for Folding {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u32 {
        VERSION
    }

    fn types(&self) -> &'static [&'static str] {
        TYPES
    }

    fn start(&self) -> Box<dyn Extended> {
        Box::new(self.empty())
    }

    fn restore(&self, member: &str) -> Option<Box<dyn Extended>> {
        let fold = self.restored(member)?;
        Some(Box::new(fold))
    }
}

/// What a workflow session is, as far as its entries tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fold {
    window: usize,
    kept: Kept,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    observed: u64,
    recent: VecDeque<Seq>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instruction: Option<Instructed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Placed>,
}

impl Kept {
    fn shrink(&mut self, window: usize) {
        while self.recent.len() > window {
            self.recent.pop_front();
        }
    }
}

/// Where the latest instruction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instructed {
    /// Which event it is, from 0.
    pub(crate) number: u64,
    /// Its entry.
    pub(crate) seq: Seq,
}

/// Where the execution context stands, and which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Placed {
    /// Its entry.
    pub(crate) seq: Seq,
    /// The digest of its bytes; none where it can't be read any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<Digest>,
    /// Whether it has no members, and so is none.
    pub(crate) is_empty: bool,
}

impl Fold {
    /// How many events there were in all.
    pub(crate) const fn observed(&self) -> u64 {
        self.kept.observed
    }

    /// How many of them are in the window.
    pub(crate) fn retained(&self) -> u64 {
        u64::try_from(self.kept.recent.len()).unwrap_or(u64::MAX)
    }

    /// The entry of the first event in the window, and which event it is.
    pub(crate) fn first_retained(&self) -> Option<(u64, Seq)> {
        self.back_from_the_end(self.kept.recent.len())
    }

    /// The event that so many stand from in the window, itself included.
    pub(crate) fn back_from_the_end(&self, count: usize) -> Option<(u64, Seq)> {
        let index = self.kept.recent.len().checked_sub(count)?;
        let seq = *self.kept.recent.get(index)?;
        let number = self.kept.observed.checked_sub(u64::try_from(count).ok()?)?;
        Some((number, seq))
    }

    /// The latest instruction, wherever the window begins.
    pub(crate) const fn instruction(&self) -> Option<Instructed> {
        self.kept.instruction
    }

    /// The execution context, unless there never was one.
    pub(crate) const fn context(&self) -> Option<Placed> {
        self.kept.context
    }

    /// Folds the next entry.
    pub(crate) fn take(&mut self, entry: &Entry) {
        let kept = &mut self.kept;
        if is_event(&entry.entry_type) {
            if entry.entry_type == EntryType::Instruct {
                kept.instruction = Some(Instructed { number: kept.observed, seq: entry.seq });
            }
            kept.observed = kept.observed.saturating_add(1);
            kept.recent.push_back(entry.seq);
            kept.shrink(self.window);
            return;
        }
        match entry.entry_type {
            EntryType::Context => kept.context = Some(placed(entry)),
            EntryType::Redacted => {
                let seqs = entry.data.decode::<Redacted>().unwrap_or_default().seqs;
                // It is the same whether the entry was read before its data went or after.
                if let Some(context) = kept.context.as_mut().filter(|it| seqs.contains(&it.seq)) {
                    *context = Placed { seq: context.seq, digest: None, is_empty: false };
                }
            }
            _ => {}
        }
    }
}

impl Extended for Fold {
    fn apply(&mut self, entry: &Entry) {
        self.take(entry);
    }

    fn save(&self) -> String {
        serde_json::to_string(&self.kept).unwrap_or_default()
    }

    fn copy(&self) -> Box<dyn Extended> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        size_of::<Self>() + self.kept.recent.capacity() * size_of::<Seq>()
    }
}

/// The context that an entry sets.
fn placed(entry: &Entry) -> Placed {
    let read = entry.data.decode::<Context>().ok().filter(|_| !entry.is_redacted());
    match read {
        Some(Context { context }) => Placed {
            seq: entry.seq,
            digest: Some(digest(context.as_str())),
            is_empty: context::is_empty(&context),
        },
        None => Placed { seq: entry.seq, digest: None, is_empty: false },
    }
}

/// What tells one context from another.
pub(crate) fn digest(context: &str) -> Digest {
    Digest::of(context.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sessile_core::{NewEntry, Payload, UnixMillis};

    fn entry(seq: u64, name: &str, data: &str) -> Entry {
        let data = Payload::parse(data.to_owned()).unwrap();
        NewEntry::new(UnixMillis(1), EntryType::from_name(name), data)
            .numbered(Seq::new(seq).unwrap())
    }

    fn folded(window: usize, entries: &[Entry]) -> Fold {
        let mut fold = Folding::of(window).empty();
        for entry in entries {
            fold.take(entry);
        }
        fold
    }

    fn seq(number: u64) -> Seq {
        Seq::new(number).unwrap()
    }

    #[test]
    fn the_window_holds_the_last_events_and_all_are_counted() {
        let events: Vec<Entry> = (0..7).map(|it| entry(10 + it, "event", "1")).collect();
        let fold = folded(3, &events);
        assert_eq!((fold.observed(), fold.retained()), (7, 3));
        assert_eq!(fold.first_retained(), Some((4, seq(14))));
        assert_eq!(fold.back_from_the_end(1), Some((6, seq(16))));
        assert_eq!(fold.back_from_the_end(4), None);
        // A window of none acts as one of one.
        assert_eq!(folded(0, &events).first_retained(), Some((6, seq(16))));
        assert_eq!(folded(3, &[]).first_retained(), None);
    }

    #[test]
    fn the_latest_instruction_outlives_the_window() {
        let mut entries = vec![entry(1, "instruct", r#"{"text":"go"}"#)];
        entries.extend((2..9).map(|it| entry(it, "event", "1")));
        let fold = folded(2, &entries);
        assert_eq!(fold.instruction(), Some(Instructed { number: 0, seq: seq(1) }));
        assert_eq!(fold.first_retained(), Some((6, seq(7))));
    }

    #[test]
    fn a_context_that_was_redacted_is_unknown_whenever_it_was_read() {
        let context = entry(1, "context", r#"{"context":{"a":1}}"#);
        let gone =
            Entry { data: Payload::parse(r#"{"redacted":true}"#).unwrap(), ..context.clone() };
        let redacted = entry(2, "redacted", r#"{"seqs":[1]}"#);
        let before = folded(1, &[context.clone(), redacted.clone()]);
        let after = folded(1, &[gone, redacted]);
        assert_eq!(before, after);
        assert_eq!(before.context().unwrap().digest, None);
        let told = folded(1, &[context]).context().unwrap();
        assert_eq!(told.digest, Some(digest(r#"{"a":1}"#)));
        assert!(!told.is_empty);
        let cleared = folded(1, &[entry(1, "context", r#"{"context":{}}"#)]);
        assert!(cleared.context().unwrap().is_empty);
    }

    #[test]
    fn what_was_saved_with_a_smaller_window_is_folded_anew() {
        let events: Vec<Entry> = (0..7).map(|it| entry(it, "event", "1")).collect();
        let saved = folded(3, &events).save();
        assert_eq!(Folding::of(3).restored(&saved), Some(folded(3, &events)));
        assert_eq!(Folding::of(2).restored(&saved), Some(folded(2, &events)));
        assert_eq!(Folding::of(4).restored(&saved), None);
        for bad in
            ["", "{}", r#"{"observed":1,"recent":[1,2]}"#, r#"{"observed":0,"recent":[],"x":1}"#]
        {
            assert_eq!(Folding::of(1).restored(bad), None, "{bad}");
        }
    }

    #[test]
    fn it_keeps_no_text() {
        let entries = [
            entry(1, "instruct", r#"{"text":"secret"}"#),
            entry(2, "context", r#"{"context":{"secret":"secret"}}"#),
            entry(3, "event", r#""secret""#),
        ];
        let fold = folded(9, &entries);
        assert!(!fold.save().contains("secret") && !format!("{fold:?}").contains("secret"));
    }

    /// A journal of entries of all kinds, each with the number of its place.
    fn journals() -> impl Strategy<Value = Vec<Entry>> {
        let one = prop_oneof![
            4 => Just(("event", "1".to_owned())),
            2 => Just(("instruct", r#"{"text":"go"}"#.to_owned())),
            1 => Just(("close", "{}".to_owned())),
            2 => (0..3_u8).prop_map(|it| ("context", format!(r#"{{"context":{{"n":{it}}}}}"#))),
            1 => Just(("context", r#"{"context":{}}"#.to_owned())),
            1 => (0..40_u64).prop_map(|it| ("redacted", format!(r#"{{"seqs":[{it}]}}"#))),
            1 => Just(("message", "1".to_owned())),
            1 => Just(("x.later", "{}".to_owned())),
        ];
        proptest::collection::vec(one, 0..40).prop_map(|drawn| {
            let numbered = drawn.iter().zip(0..);
            numbered.map(|((name, data), seq)| entry(seq, name, data)).collect()
        })
    }

    proptest! {
        #[test]
        fn going_on_from_any_save_is_folding_from_the_start(
            entries in journals(),
            window in 0..6_usize,
            cut in 0..40_usize,
        ) {
            let whole = folded(window, &entries);
            let (before, after) = entries.split_at(cut.min(entries.len()));
            let saved = folded(window, before).save();
            let mut gone_on = Folding::of(window).restored(&saved).unwrap();
            for entry in after {
                gone_on.take(entry);
            }
            prop_assert_eq!(&gone_on, &whole);

            // Counted anew, without the fold.
            let events: Vec<&Entry> =
                entries.iter().filter(|it| is_event(&it.entry_type)).collect();
            prop_assert_eq!(usize::try_from(whole.observed()).unwrap(), events.len());
            let first = events.len().saturating_sub(window.max(1));
            let expected = events.get(first).map(|it| (u64::try_from(first).unwrap(), it.seq));
            prop_assert_eq!(whole.first_retained(), expected);
            let latest = events.iter().rposition(|it| it.entry_type == EntryType::Instruct);
            prop_assert_eq!(
                whole.instruction().map(|it| usize::try_from(it.number).unwrap()),
                latest
            );
        }
    }
}
