//! Finding where a journal ends.
//!
//! A handle that has looked a short while ago asks for the one object behind the last that it
//! knows. Any other lists the session's objects and reads the last ones: the list is where
//! to look, and the objects are what counts.

use std::sync::Arc;

use futures_util::future::{try_join, try_join5};
use sessile_core::commit::Tip;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::header;
use sessile_core::id::SessionKey;
use sessile_core::journal::LastWord;

use crate::age::Moment;
use crate::chain::{Link, Walk};
use crate::client::{Client, Object};
use crate::keys::SessionKeys;
use crate::known::{Journal, Known};
use crate::piece::{self, Begun, Piece};
use crate::place::Place;
use crate::survey::Survey;

/// How many objects are asked for one after the other before a list is quicker.
const STEPS: usize = 16;

/// How many objects back a walk begins to find the end of a chain whose last links do not fit.
const STEP_BACK: u64 = 16;

/// One journal of a place, as a handle works on it.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) place: Arc<Place>,
    pub(crate) key: SessionKey,
    pub(crate) keys: SessionKeys,
    pub(crate) journal: Arc<Journal>,
}

impl Session {
    pub(crate) fn new(place: Arc<Place>, key: SessionKey, journal: Arc<Journal>) -> Self {
        let keys = place.keys.session(&key);
        Self { place, key, keys, journal }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.place.client
    }

    /// What is known of the journal, where that is young enough to build upon.
    pub(crate) fn young(&self) -> Option<Arc<Known>> {
        let age = self.client().options().look_age;
        self.journal.known().filter(|known| known.looked.age() < age)
    }

    /// Looks where it ends; none where there is no such journal.
    ///
    /// # Errors
    /// *corrupt* where its header can't be read; *unavailable*, *permission*.
    pub(crate) async fn look(&self) -> Result<Option<Arc<Known>>, Error> {
        match self.young() {
            Some(known) => self.forward(Known::clone(&known)).await,
            None => self.survey().await,
        }
    }

    /// Looks where it ends, for whoever needs it to be there.
    ///
    /// # Errors
    /// Those of [`look`](Self::look); *missing*.
    pub(crate) async fn look_at_existing(&self) -> Result<Arc<Known>, Error> {
        self.look().await?.ok_or_else(missing)
    }

    /// Looks where it ends, and whether data of it was removed since the last look.
    ///
    /// # Errors
    /// Those of [`look`](Self::look); *missing*.
    pub(crate) async fn look_closely(&self) -> Result<Arc<Known>, Error> {
        let surveyed = match self.young() {
            Some(known) => self.glance(&known).await?,
            None => self.survey().await?,
        };
        surveyed.ok_or_else(missing)
    }

    /// Asks for the object behind the last one, and for what says that data was removed.
    async fn glance(&self, known: &Arc<Known>) -> Result<Option<Arc<Known>>, Error> {
        let looked = Moment::now();
        let behind = self.keys.log(known.taken + 1);
        let (behind, masked) = try_join(self.client().get(&behind), self.masked()).await?;
        let mut known = Known::clone(known);
        (known.masked, known.looked) = (masked, looked);
        let Some(object) = behind else {
            return Ok(Some(self.journal.learn(known)));
        };
        let number = known.taken + 1;
        self.advance(&mut known, number, &object).await?;
        self.forward(known).await
    }

    /// What says for which time data of the log was removed; empty where none ever was.
    ///
    /// # Errors
    /// *unavailable*, *permission*.
    pub(crate) async fn masked(&self) -> Result<String, Error> {
        let object = self.client().get(&self.keys.masked()).await?;
        Ok(object.map(|it| String::from_utf8_lossy(&it.bytes).into_owned()).unwrap_or_default())
    }

    /// Asks for the objects behind the last known one, and lists them where there are many.
    async fn forward(&self, mut known: Known) -> Result<Option<Arc<Known>>, Error> {
        for _ in 0..STEPS {
            if !self.step(&mut known).await? {
                return Ok(Some(self.journal.learn(known)));
            }
        }
        Box::pin(self.survey()).await
    }

    /// Takes the object behind the last known one; answers whether there is one.
    async fn step(&self, known: &mut Known) -> Result<bool, Error> {
        let looked = Moment::now();
        let number = known.taken + 1;
        let Some(object) = self.client().get(&self.keys.log(number)).await? else {
            known.looked = looked;
            return Ok(false);
        };
        self.advance(known, number, &object).await?;
        Ok(true)
    }

    /// Takes the object behind the last known one.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) async fn advance(
        &self,
        known: &mut Known,
        number: u64,
        object: &Object,
    ) -> Result<(), Error> {
        if piece::is_left_over(&object.bytes, &self.key) {
            *known = self.left_over(number, object, known.looked)?;
            return Ok(());
        }
        known.taken = number;
        if known.first > 0 {
            // Behind what is left of a journal nothing is of it.
            return Ok(());
        }
        let salt = known.begun.salt;
        if Piece::read(object.bytes.clone(), salt, None).follows(known.tip) == Some(false) {
            // What is known may have been damaged since: only what stands there tells.
            return self.walk(known).await;
        }
        let piece = Piece::read(object.bytes.clone(), salt, Some(known.tip));
        known.last = number;
        known.tip = piece.end;
        known.bytes += length(object);
        object.tag.text().clone_into(&mut known.tag);
        known.word = last_word(&piece).unwrap_or(known.word);
        Ok(())
    }

    /// Lists the session's objects and reads what tells where the journal ends.
    async fn survey(&self) -> Result<Option<Arc<Known>>, Error> {
        let looked = Moment::now();
        let survey = Survey::of(self.client(), &self.keys).await?;
        self.surveyed(survey, looked).await
    }

    async fn surveyed(&self, survey: Survey, looked: Moment) -> Result<Option<Arc<Known>>, Error> {
        let last = survey.last.unwrap_or(0);
        let get = |number: Option<u64>| async move {
            match number {
                Some(number) => self.client().get(&self.keys.log(number)).await,
                None => Ok(None),
            }
        };
        // A list that was cut short shows fewer; so what follows the last one is asked for by name.
        let (first, before, end, behind, masked) = try_join5(
            get(Some(0)),
            get(last.checked_sub(1).filter(|before| *before > 0)),
            get(Some(last).filter(|last| *last > 0)),
            get(last.checked_add(1)),
            // Also where the list shows none: it may have been cut short.
            self.masked(),
        )
        .await?;
        if end.is_none() && survey.jumped {
            // There is less than the ranges say.
            let survey = Survey::of_all(self.client(), &self.keys).await?;
            return Box::pin(self.surveyed(survey, looked)).await;
        }
        let ends = [(last.saturating_add(1), &behind), (last, &end)];
        // One that was copied behind it by hand does not bring the others back.
        let below = [(last.saturating_sub(1), &before)].into_iter().filter(|_| first.is_none());
        if let Some((number, object)) = self.left_over_among(ends.into_iter().chain(below)) {
            let mut known = self.left_over(number, object, looked)?;
            known.taken = number.max(last);
            return Ok(Some(self.journal.learn(known)));
        }
        let Some(first) = first else {
            if survey.last.is_none() && behind.is_none() {
                self.journal.forget();
                return Ok(None);
            }
            return Err(header::corrupt("its first object is missing"));
        };
        let begun = piece::begun(&first.bytes, &self.key)?;
        let before = if last == 1 { Some(first.clone()) } else { before };
        let end = if last == 0 { Some(first) } else { end };
        let before = match before.filter(|_| last > 0) {
            Some(before) => {
                let piece = Piece::read(before.bytes, begun.salt, None);
                Some(piece.end).filter(|_| piece.is_whole())
            }
            None => Some(Tip::ABSENT).filter(|_| last == 0),
        };
        let mut known = Known {
            begun,
            first: 0,
            last,
            taken: last,
            tip: Tip::ABSENT,
            bytes: survey.bytes,
            tag: String::new(),
            masked,
            word: LastWord::default(),
            looked,
        };
        match (end, before) {
            (Some(object), Some(before)) if continues(&object, &known.begun, before) => {
                let piece = Piece::read(object.bytes, known.begun.salt, Some(before));
                known.tip = piece.end;
                object.tag.text().clone_into(&mut known.tag);
                known.word = match last_word(&piece) {
                    Some(word) => word,
                    None => self.word_before(&known.begun, last).await?,
                };
            }
            _ => self.walk(&mut known).await?,
        }
        // The list shows less than there is, and another one may again: names tell the rest.
        while behind.is_some() && self.step(&mut known).await? {}
        Ok(Some(self.journal.learn(known)))
    }

    /// What a caller said last, where the last objects hold nothing of a caller's.
    async fn word_before(&self, begun: &Begun, last: u64) -> Result<LastWord, Error> {
        for number in (0..last).rev() {
            let object = self.client().get(&self.keys.log(number)).await?;
            let piece = object.map(|object| Piece::read(object.bytes, begun.salt, None));
            if let Some(word) = piece.as_ref().and_then(last_word) {
                return Ok(word);
            }
        }
        Ok(LastWord::default())
    }

    /// Walks along the chain up to the greatest number that is taken, where its last links do not
    /// fit together: from as far back as it takes to find it.
    async fn walk(&self, known: &mut Known) -> Result<(), Error> {
        let mut back = STEP_BACK;
        while !self.walk_from(known, known.taken.saturating_sub(back)).await? {
            back = back.saturating_mul(STEP_BACK);
        }
        Ok(())
    }

    /// Walks along the chain from a number on; answers whether that was on it.
    async fn walk_from(&self, known: &mut Known, start: u64) -> Result<bool, Error> {
        let salt = known.begun.salt;
        let mut walk =
            if start == 0 { Walk::from_first(salt) } else { Walk::from_the_middle(salt) };
        let mut word = None;
        for number in start..=known.taken {
            let Some(object) = self.client().get(&self.keys.log(number)).await? else {
                walk.gap = true;
                continue;
            };
            match walk.take(self.client(), &self.keys, (object.bytes, number)).await? {
                Link::Astray => return Ok(false),
                Link::Off => {}
                Link::On(piece) => {
                    known.last = number;
                    known.tip = piece.end;
                    object.tag.text().clone_into(&mut known.tag);
                    word = last_word(&piece).or(word);
                }
            }
        }
        if !walk.proven {
            return Ok(false);
        }
        known.word = match word {
            Some(word) => word,
            None => self.word_before(&known.begun, start).await?,
        };
        Ok(true)
    }

    fn left_over_among<'o>(
        &self,
        objects: impl IntoIterator<Item = (u64, &'o Option<Object>)>,
    ) -> Option<(u64, &'o Object)> {
        let found = objects.into_iter().filter_map(|(number, it)| Some((number, it.as_ref()?)));
        let is_left_over = |object: &Object| piece::is_left_over(&object.bytes, &self.key);
        found.into_iter().find(|(number, object)| *number > 0 && is_left_over(object))
    }

    /// What is known of a journal of which only the tombstone is left.
    fn left_over(&self, number: u64, object: &Object, looked: Moment) -> Result<Known, Error> {
        let begun = piece::begun(&object.bytes, &self.key)?;
        let piece = Piece::read(object.bytes.clone(), begun.salt, None);
        Ok(Known {
            begun,
            first: number,
            last: number,
            taken: number,
            tip: piece.end,
            bytes: length(object),
            tag: object.tag.text().to_owned(),
            masked: String::new(),
            word: last_word(&piece).unwrap_or_default(),
            looked,
        })
    }
}

/// The answer for a journal that never was.
pub(crate) fn missing() -> Error {
    Error::new(ErrorKind::Missing, "there is no such session")
}

/// The answer for a journal that was deleted.
pub(crate) fn deleted() -> Error {
    Error::new(ErrorKind::Deleted, "it was deleted").with_hint("use another id")
}

fn continues(object: &Object, begun: &Begun, before: Tip) -> bool {
    let piece = Piece::read(object.bytes.clone(), begun.salt, None);
    piece.follows(before).unwrap_or(true)
}

fn last_word(piece: &Piece) -> Option<LastWord> {
    piece.commits().rev().find_map(LastWord::of)
}

fn length(object: &Object) -> u64 {
    u64::try_from(object.bytes.len()).unwrap_or(u64::MAX)
}
