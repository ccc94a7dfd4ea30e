//! What the extensions have made of a journal, beside the session's own folds.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::Arc;

use super::extension::{Extended, Extension, Extensions};
use crate::entry::shape::FoldState;
use crate::entry::{Entry, EntryType};
use crate::error::{DamagePlace, Error, ErrorKind};
use crate::payload::Payload;

/// What each extension has made of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Foldings(Vec<Folding>);

/// What one extension has made of it.
#[derive(Clone, Debug)]
pub(super) struct Folding {
    pub(super) of: Of,
    pub(super) made: Made,
}

/// How far that is to be relied upon.
#[derive(Clone, Debug)]
pub(super) enum Made {
    /// It is of every entry there is.
    Whole(Whole),
    /// It is to be read from before what was folded.
    Unread,
    /// Entries are missing, the first of them here.
    Broken(DamagePlace),
}

/// What was made of every entry there is.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    extended: Arc<dyn Extended>,
    /// Whether data was removed of entries that it has taken: whoever took them before that has
    /// made something else of them.
    altered: bool,
}

impl Whole {
    pub(super) fn new(extended: Box<dyn Extended>) -> Self {
        Self { extended: extended.into(), altered: false }
    }

    /// Takes the next entry of its types.
    pub(super) fn take(&mut self, entry: &Entry) {
        if Arc::get_mut(&mut self.extended).is_none() {
            self.extended = self.extended.copy().into();
        }
        if let Some(extended) = Arc::get_mut(&mut self.extended) {
            extended.apply(entry);
        }
        self.altered |= entry.is_redacted();
    }
}

/// An extension, and what is asked of it often.
#[derive(Clone, Debug)]
pub(super) struct Of {
    extension: Arc<dyn Extension>,
    types: Arc<[EntryType]>,
    makes: TypeId,
}

impl Of {
    fn new(extension: &Arc<dyn Extension>) -> Self {
        let mut types: Vec<EntryType> =
            extension.types().iter().map(|name| EntryType::from_name(name)).collect();
        types.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
        types.dedup();
        let start = extension.start();
        let made: &dyn Any = &*start;
        Self { extension: Arc::clone(extension), types: types.into(), makes: made.type_id() }
    }

    /// Whether it folds entries of a type.
    pub(super) fn folds(&self, entry_type: &EntryType) -> bool {
        self.types.contains(entry_type)
    }

    /// What it makes of no entries.
    pub(super) fn start(&self) -> Whole {
        Whole::new(self.extension.start())
    }

    /// What it had made when a state was written; none if the state does not have it, or of
    /// another version of it.
    pub(super) fn kept(&self, folds: &BTreeMap<String, FoldState>) -> Option<Whole> {
        let fold = folds.get(self.extension.name()).filter(|fold| self.is_of(fold))?;
        self.extension.restore(fold.state.as_str()).map(Whole::new)
    }

    fn is_of(&self, fold: &FoldState) -> bool {
        let names = self.types.iter().map(EntryType::as_str);
        fold.v == self.extension.version() && names.eq(fold.types.iter().map(String::as_str))
    }

    fn keep(&self, whole: &Whole) -> Option<(String, FoldState)> {
        let state = Payload::parse(whole.extended.save()).ok()?;
        let types = self.types.iter().map(|it| it.as_str().to_owned()).collect();
        let fold = FoldState { v: self.extension.version(), types, state };
        Some((self.extension.name().to_owned(), fold))
    }
}

impl Foldings {
    /// Of no entries.
    pub(super) fn start(extensions: &Extensions) -> Self {
        Self::each(extensions, |of| Made::Whole(of.start()))
    }

    /// As a state has them; what it does not have is to be read from before it.
    pub(super) fn resume(extensions: &Extensions, folds: &BTreeMap<String, FoldState>) -> Self {
        Self::each(extensions, |of| of.kept(folds).map_or(Made::Unread, Made::Whole))
    }

    fn each(extensions: &Extensions, made: impl Fn(&Of) -> Made) -> Self {
        let folding = |extension| {
            let of = Of::new(extension);
            Folding { made: made(&of), of }
        };
        Self(extensions.iter().map(folding).collect())
    }

    /// Each of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Folding> {
        self.0.iter()
    }

    /// Takes the next entry.
    pub(super) fn take(&mut self, entry: &Entry) {
        for folding in &mut self.0 {
            if let Made::Whole(whole) = &mut folding.made
                && folding.of.folds(&entry.entry_type)
            {
                whole.take(entry);
            }
        }
    }

    /// Takes from a state of all that stands before it what could not be made of the entries.
    pub(super) fn take_up(&mut self, folds: &BTreeMap<String, FoldState>) {
        for folding in &mut self.0 {
            if !matches!(folding.made, Made::Whole(_))
                && let Some(whole) = folding.of.kept(folds)
            {
                folding.made = Made::Whole(whole);
            }
        }
    }

    /// Notes that entries are missing.
    pub(super) fn break_at(&mut self, place: DamagePlace) {
        for folding in &mut self.0 {
            if let Made::Whole(_) = folding.made {
                folding.made = Made::Broken(place);
            }
        }
    }

    /// Says what was made where that is to be read from before what was folded.
    pub(super) fn make_up(&mut self, of: &Of, made: Made) {
        let is_unread = |folding: &&mut Folding| {
            let name = folding.of.extension.name();
            matches!(folding.made, Made::Unread) && name == of.extension.name()
        };
        if let Some(folding) = self.0.iter_mut().find(is_unread) {
            folding.made = made;
        }
    }

    /// What a state keeps of them.
    pub(super) fn to_members(&self) -> BTreeMap<String, FoldState> {
        let keep = |folding: &Folding| match &folding.made {
            Made::Whole(whole) => folding.of.keep(whole),
            Made::Unread | Made::Broken(_) => None,
        };
        self.0.iter().filter_map(keep).collect()
    }

    /// Whether what a state keeps of them is what was made of the entries here; what can't be
    /// compared does not differ.
    pub(super) fn agree_with(&self, folds: &BTreeMap<String, FoldState>) -> bool {
        let agrees = |folding: &Folding| {
            let Made::Whole(whole) = &folding.made else { return true };
            let Some((name, ours)) = folding.of.keep(whole).filter(|_| !whole.altered) else {
                return true;
            };
            let theirs = folds.get(&name).filter(|theirs| folding.of.is_of(theirs));
            theirs.is_none_or(|theirs| theirs.state == ours.state)
        };
        self.0.iter().all(agrees)
    }

    /// About how many bytes of memory they take.
    pub(super) fn weight(&self) -> usize {
        let weight = |folding: &Folding| match &folding.made {
            Made::Whole(whole) => whole.extended.weight(),
            Made::Unread | Made::Broken(_) => 0,
        };
        self.0.iter().map(weight).sum()
    }

    /// What an extension has made that makes this type.
    pub(super) fn of_type<T: Extended>(&self) -> Result<&T, Error> {
        let folding = self.0.iter().find(|folding| folding.of.makes == TypeId::of::<T>());
        let clause = "the store was opened without the fold that this takes";
        let unknown = || Error::new(ErrorKind::Unsupported, clause);
        let folding = folding.ok_or_else(unknown)?;
        let name = folding.of.extension.name();
        match &folding.made {
            Made::Whole(whole) => {
                let extended: &dyn Any = &*whole.extended;
                extended.downcast_ref().ok_or_else(unknown)
            }
            Made::Broken(place) => {
                Err(Error::corrupt(*place, format!("and what the fold {name} makes of it")))
            }
            Made::Unread => {
                let clause = format!("what the fold {name} makes of the session was not read");
                Err(Error::new(ErrorKind::Unavailable, clause).retryable())
            }
        }
    }
}
