//! Finding where a journal ends.
//!
//! A handle that has looked a short while ago asks for the one object behind the last that it
//! knows: whatever a look is to find, commits and removals, shows there. Any other lists the session's objects and reads the last ones: the list is where
//! to look, and the objects are what counts.

use std::sync::Arc;

use futures_util::future::try_join;
use futures_util::{StreamExt as _, stream};
use sessile_core::commit::Tip;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::header;
use sessile_core::id::SessionKey;
use sessile_core::journal::LastWord;

use crate::age::Moment;
use crate::chain::{Link, Walk};
use crate::client::{Client, Object};
use crate::ends::Ends;
use crate::keys::SessionKeys;
use crate::known::{Journal, Known};
use crate::mark;
use crate::piece::{self, Begun, Piece};
use crate::place::Place;
use crate::survey::Survey;

/// How many objects are asked for one after the other before a list is quicker.
const STEPS: usize = 16;

/// How many objects back a walk begins to find the end of a chain whose last links do not fit; a
/// mask leaves two notices there.
const FIRST_BACK: u64 = 4;

/// How many times as far it begins where that was not on the chain.
const FURTHER_BACK: u64 = 16;

/// How many objects of a walk are asked for at once.
const ABREAST: usize = 16;

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
        let age = self.client().options().believes_looks_for();
        self.journal.known().filter(|known| known.looked.age() < age)
    }

    /// Looks where it ends; none where there is no such journal.
    ///
    /// What is known then knows of every removal that was acknowledged before: one that is ends
    /// with a notice behind the end of the log.
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

    /// Takes the object behind the last known one; answers what it holds, if that is the next
    /// piece of the journal and nothing else is to be known of it.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) async fn advance(
        &self,
        known: &mut Known,
        number: u64,
        object: &Object,
    ) -> Result<Option<Piece>, Error> {
        if piece::is_left_over(&object.bytes, &self.key) {
            *known = self.left_over(number, object, known.looked)?;
            return Ok(None);
        }
        known.taken = number;
        if known.first > 0 {
            // Behind what is left of a journal nothing is of it.
            return Ok(None);
        }
        if piece::is_notice(&object.bytes) {
            known.bytes += length(object);
            known.masked = mark::read(self.client(), &self.keys).await?;
            return Ok(None);
        }
        let salt = known.begun.salt;
        let piece = Piece::read(object.bytes.clone(), salt, Some(known.tip));
        if piece.follows(known.tip) != Some(true) {
            let apart = Piece::read(object.bytes.clone(), salt, None);
            if apart.follows(known.tip) == Some(false) {
                // What is known may have been damaged since: only what stands there tells.
                self.walk(known).await?;
                return Ok(None);
            }
        }
        known.last = number;
        known.tip = piece.end;
        known.bytes += length(object);
        known.weigh(length(object), piece.span_bytes());
        object.tag.text().clone_into(&mut known.tag);
        known.word = last_word(&piece).unwrap_or(known.word);
        Ok(Some(piece))
    }

    /// Lists the session's objects and reads what tells where the journal ends.
    async fn survey(&self) -> Result<Option<Arc<Known>>, Error> {
        let looked = Moment::now();
        let (survey, mark) = self.listed().await?;
        if survey.last.is_none() && self.client().get(&self.keys.log(0)).await?.is_none() {
            self.journal.forget();
            return Ok(None);
        }
        self.surveyed(survey, &mark, looked).await
    }

    /// Looks where it ends, for whoever is to create it: where neither a list nor the mark shows
    /// anything, what stands in the way is what the write finds.
    ///
    /// # Errors
    /// Those of [`look`](Self::look).
    pub(crate) async fn look_before_creating(&self) -> Result<Option<Arc<Known>>, Error> {
        let looked = Moment::now();
        let (survey, mark) = self.listed().await?;
        match survey.last {
            None => {
                self.journal.forget();
                Ok(None)
            }
            Some(_) => self.surveyed(survey, &mark, looked).await,
        }
    }

    /// What a list and the mark show: of a purged session one of them is enough.
    async fn listed(&self) -> Result<(Survey, String), Error> {
        let (client, keys) = (self.client(), &self.keys);
        let (mut survey, mark) =
            try_join(Survey::of(client, keys), mark::read(client, keys)).await?;
        survey.last = survey.last.max(mark::purged(&mark));
        Ok((survey, mark))
    }

    async fn surveyed(
        &self,
        mut survey: Survey,
        mark: &str,
        looked: Moment,
    ) -> Result<Option<Arc<Known>>, Error> {
        let ends = Ends::of(self.client(), &self.keys, &mut survey).await?;
        // What was read between two looks at the same mark is valid under it.
        if ends.masked == mark {
            for (number, object) in ends.all() {
                let path = self.keys.log(number);
                self.place.bodies.keep(path, mark, object.bytes.clone());
            }
        }
        let last = survey.last.unwrap_or(0);
        if let Some((number, object)) = self.left_over_among(&ends, last) {
            let mut known = self.left_over(number, object, looked)?;
            known.taken = number.max(last);
            return Ok(Some(self.journal.learn(known)));
        }
        let Some(first) = &ends.first else {
            return Err(header::corrupt("its first object is missing"));
        };
        let begun = piece::begun(&first.bytes, &self.key)?;
        let end = ends.last_up_to(last);
        let before = match end.map(|(number, _)| number.checked_sub(1)) {
            Some(Some(before)) => ends.last_up_to(before).and_then(|(_, before)| {
                let piece = Piece::read(before.bytes.clone(), begun.salt, None);
                Some(piece.end).filter(|_| piece.is_whole())
            }),
            Some(None) => Some(Tip::ABSENT),
            None => None,
        };
        let mut known = Known {
            begun,
            first: 0,
            last,
            taken: last,
            tip: Tip::ABSENT,
            bytes: survey.bytes,
            tag: String::new(),
            masked: ends.masked.clone(),
            word: LastWord::default(),
            framing: 0,
            ranges: survey.ranges.into(),
            ranged: last,
            looked,
        };
        match (end, before) {
            (Some((number, object)), Some(before)) if continues(object, &known.begun, before) => {
                let piece = Piece::read(object.bytes.clone(), known.begun.salt, Some(before));
                known.last = number;
                known.tip = piece.end;
                object.tag.text().clone_into(&mut known.tag);
                known.framing = length(object).saturating_sub(piece.span_bytes());
                known.word = match last_word(&piece) {
                    Some(word) => word,
                    None => self.word_before(&known.begun, number).await?,
                };
            }
            _ => self.walk(&mut known).await?,
        }
        // The list shows less than there is, and another one may again: names tell the rest.
        while let Some(object) = ends.at(known.taken + 1) {
            let number = known.taken + 1;
            self.advance(&mut known, number, object).await?;
        }
        if known.taken > last {
            while self.step(&mut known).await? {}
        }
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
        let mut back = FIRST_BACK;
        while !self.walk_from(known, known.taken.saturating_sub(back)).await? {
            back = back.saturating_mul(FURTHER_BACK);
        }
        Ok(())
    }

    /// Walks along the chain from a number on; answers whether that was on it.
    async fn walk_from(&self, known: &mut Known, start: u64) -> Result<bool, Error> {
        let salt = known.begun.salt;
        let mut walk =
            if start == 0 { Walk::from_first(salt) } else { Walk::from_the_middle(salt) };
        let mut word = None;
        let (client, keys) = (self.client(), &self.keys);
        let objects = (start..=known.taken).map(|number| async move {
            Ok::<_, Error>((number, client.get(&keys.log(number)).await?))
        });
        let mut objects = stream::iter(objects).buffered(ABREAST);
        while let Some((number, object)) = objects.next().await.transpose()? {
            let Some(object) = object else {
                walk.gap = true;
                continue;
            };
            let bytes = length(&object);
            match walk.take(client, keys, (object.bytes, number)).await? {
                Link::Astray => return Ok(false),
                Link::Off | Link::Nothing => {}
                Link::On(piece) => {
                    known.last = number;
                    known.tip = piece.end;
                    known.weigh(bytes, piece.span_bytes());
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

    /// What is left of a purged session, among the objects at the end of its log.
    fn left_over_among<'e>(&self, ends: &'e Ends, last: u64) -> Option<(u64, &'e Object)> {
        let ends_with = [last.saturating_add(1), last];
        // One that was copied behind it by hand does not bring the others back.
        let below = last.checked_sub(1).filter(|_| ends.first.is_none());
        let numbers = ends_with.into_iter().chain(below).filter(|number| *number > 0);
        let mut objects = numbers.filter_map(|number| Some((number, ends.at(number)?)));
        objects.find(|(_, object)| piece::is_left_over(&object.bytes, &self.key))
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
            framing: 0,
            ranges: Arc::default(),
            ranged: number,
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
