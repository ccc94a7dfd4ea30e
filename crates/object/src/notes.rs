//! The notes of sessions in the catalog: objects whose names tell when a session was last active,
//! and which may say how it ended.
//!
//! The greatest time of a session counts, so a note that lands late or is written twice does no
//! harm, and older ones are deleted only when a newer one is there. What a note says is replaced
//! under its entity tag. That a swap may be repeated long after it was sent is no matter: whoever
//! reads it asks whether the session still ends there.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use sessile_core::backend::Gist;
use sessile_core::id::{SessionId, SessionKey, Space};
use sessile_core::{Error, ErrorKind};

use crate::client::{Object, Only};
use crate::ending::Ending;
use crate::known::Known;
use crate::piece;
use crate::place::Place;
use crate::settle::{Settled, Whose, settle};

/// How often others may be met who replace the same note.
const RIVALS: usize = 8;

/// The greatest note of a session, as a list tells of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    pub(crate) millis: u64,
    /// How many bytes it has.
    pub(crate) bytes: u64,
}

/// The sessions of a space that are noted, each with its greatest note.
///
/// # Errors
/// *unavailable*, *permission*.
pub(crate) async fn noted(place: &Place, space: &Space) -> Result<Vec<(SessionId, Noted)>, Error> {
    let mut listed = place.client.list(&place.keys.catalog(space), None);
    let mut greatest: BTreeMap<SessionId, Noted> = BTreeMap::new();
    while let Some(listed) = listed.try_next().await? {
        if let Some((id, millis)) = place.keys.noted(space, &listed.path) {
            let noted = Noted { millis, bytes: listed.bytes };
            let known = greatest.entry(id).or_insert(noted);
            if known.millis < millis {
                *known = noted;
            }
        }
    }
    Ok(greatest.into_iter().collect())
}

/// How a handle left a session.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    pub(crate) known: Arc<Known>,
    /// What a listing shows of it, if somebody has told that.
    pub(crate) gist: Option<Arc<Gist>>,
}

impl Left {
    /// What a note says of it.
    ///
    /// Nothing where it was seen so long ago that the session may be deleted and purged by now: the
    /// objects behind the last one are gone then, so that no reader could tell.
    fn body(&self, place: &Place, key: &SessionKey) -> Bytes {
        let most = place.client.options().waits_to_purge() / 2;
        if !most.is_zero() && self.known.looked.age() >= most {
            return Bytes::new();
        }
        Ending::encode(key, &self.known, self.gist.as_deref())
    }
}

/// The notes of one session, as far as a handle knows them.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    greatest: Option<u64>,
    /// What the greatest one is, if this handle wrote it or has read it.
    object: Option<Object>,
    /// Those that are to be deleted.
    older: Vec<u64>,
    /// Whether what others noted before is among them.
    is_listed: bool,
}

impl Notes {
    /// Sees to it that there is a note of a time or a greater one, which says how the session was
    /// left unless it says more, and deletes those before it.
    ///
    /// # Errors
    /// Those of [`settle`] and of reading.
    pub(crate) async fn write(
        &mut self,
        place: &Place,
        key: &SessionKey,
        millis: u64,
        left: Option<&Left>,
    ) -> Result<(), Error> {
        let body = left.map(|left| left.body(place, key)).unwrap_or_default();
        if self.greatest < Some(millis) {
            self.create(place, key, millis, &body).await?;
        } else if body.is_empty() {
            return Ok(());
        }
        let listed = self.is_listed || self.list(place, key).await.is_ok();
        if let Some(left) = left.filter(|_| !body.is_empty()) {
            self.say(place, key, millis, &body).await?;
            self.check(place, key, left).await?;
        }
        if !listed {
            // The next note lists them, and deletes what is left.
            return Ok(());
        }
        self.delete_older(place, key).await.or(Ok(()))
    }

    /// Sees to it that there is a note of a time, which says nothing if there is none yet.
    ///
    /// # Errors
    /// Those of [`settle`].
    pub(crate) async fn stub(
        &mut self,
        place: &Place,
        key: &SessionKey,
        millis: u64,
    ) -> Result<(), Error> {
        self.create(place, key, millis, &Bytes::new()).await
    }

    /// Takes from all notes of the session whatever they say, and leaves the greatest.
    ///
    /// # Errors
    /// Those of [`settle`], of listing and of deleting; *unavailable*, *permission*.
    pub(crate) async fn scrub(&mut self, place: &Place, key: &SessionKey) -> Result<(), Error> {
        // Others may have replaced what this handle wrote.
        self.object = None;
        self.list(place, key).await?;
        for _ in 0..RIVALS {
            let Some(object) = self.read(place, key).await? else {
                if self.greatest.is_none() {
                    return self.delete_older(place, key).await;
                }
                self.list_anew(place, key).await?;
                continue;
            };
            if object.bytes.is_empty() || self.swap(place, key, object, &Bytes::new()).await? {
                return self.delete_older(place, key).await;
            }
        }
        let clause = "others go on noting how the session ends";
        Err(Error::new(ErrorKind::Unavailable, clause).retryable())
    }

    async fn create(
        &mut self,
        place: &Place,
        key: &SessionKey,
        millis: u64,
        body: &Bytes,
    ) -> Result<(), Error> {
        let path = place.keys.note(key, millis);
        let whose = |found: &Object| if found.bytes == *body { Whose::Ours } else { Whose::Others };
        let object = match settle(&place.client, &path, body, &Only::IfAbsent, whose).await? {
            Settled::Ours(tag) => Some(Object { bytes: body.clone(), tag }),
            Settled::Others(object) => Some(object),
            Settled::Gone => None,
        };
        self.know(millis);
        if self.greatest == Some(millis) {
            self.object = object;
        }
        Ok(())
    }

    /// Has the greatest note say something, unless it says more.
    async fn say(
        &mut self,
        place: &Place,
        key: &SessionKey,
        millis: u64,
        body: &Bytes,
    ) -> Result<(), Error> {
        let ours = Ending::decode(key, body);
        let says_more = |object: &Object| {
            let theirs = Ending::decode(key, &object.bytes);
            theirs.zip(ours.as_ref()).is_some_and(|(theirs, ours)| {
                let is_behind = theirs.taken > ours.taken;
                is_behind || (theirs.taken == ours.taken && ours.gist.is_none())
            })
        };
        for _ in 0..RIVALS {
            if self.greatest < Some(millis) {
                self.create(place, key, millis, body).await?;
            }
            let Some(object) = self.read(place, key).await? else {
                self.list_anew(place, key).await?;
                continue;
            };
            if object.bytes == *body || says_more(&object) {
                return Ok(());
            }
            if self.swap(place, key, object, body).await? {
                return Ok(());
            }
        }
        // Whoever replaces it just now has seen as much of the session.
        Ok(())
    }

    /// Takes back what was said of a gist, if something stands behind the session by now: data may
    /// have been removed that the gist tells of, and whoever did so may have looked for notes before.
    async fn check(&mut self, place: &Place, key: &SessionKey, left: &Left) -> Result<(), Error> {
        if left.gist.is_none() {
            return Ok(());
        }
        let next = place.keys.session(key).log(left.known.taken.saturating_add(1));
        if place.client.get_start(&next, piece::START_BYTES).await?.is_none() {
            return Ok(());
        }
        if let Some(object) = self.object.clone() {
            let says = Ending::decode(key, &object.bytes);
            if says.is_some_and(|it| it.taken <= left.known.taken && it.gist.is_some()) {
                self.swap(place, key, object, &Bytes::new()).await?;
            }
        }
        Ok(())
    }

    /// What the greatest note is; none where it is gone.
    async fn read(&mut self, place: &Place, key: &SessionKey) -> Result<Option<Object>, Error> {
        let Some(millis) = self.greatest else { return Ok(None) };
        if self.object.is_none() {
            self.object = place.client.get(&place.keys.note(key, millis)).await?;
        }
        Ok(self.object.clone())
    }

    /// Replaces what the greatest note says; answers whether that was done.
    async fn swap(
        &mut self,
        place: &Place,
        key: &SessionKey,
        object: Object,
        body: &Bytes,
    ) -> Result<bool, Error> {
        let Some(millis) = self.greatest else { return Ok(false) };
        let path = place.keys.note(key, millis);
        let only = Only::IfStill(object.tag.clone());
        let whose = |found: &Object| match () {
            () if found.bytes == *body => Whose::Ours,
            () if found.tag == object.tag => Whose::Expected,
            () => Whose::Others,
        };
        self.object = None;
        match settle(&place.client, &path, body, &only, whose).await? {
            Settled::Ours(tag) => {
                self.object = Some(Object { bytes: body.clone(), tag });
                return Ok(true);
            }
            Settled::Others(object) => self.object = Some(object),
            Settled::Gone => {}
        }
        Ok(false)
    }

    /// Forgets the greatest note, which is gone, and looks which there are.
    async fn list_anew(&mut self, place: &Place, key: &SessionKey) -> Result<(), Error> {
        (self.greatest, self.object, self.is_listed) = (None, None, false);
        self.list(place, key).await
    }

    async fn list(&mut self, place: &Place, key: &SessionKey) -> Result<(), Error> {
        for listed in place.client.list_all(&place.keys.notes(key), None).await? {
            if let Some((_, millis)) = place.keys.noted(&key.space, &listed.path) {
                self.know(millis);
            }
        }
        self.is_listed = true;
        Ok(())
    }

    async fn delete_older(&mut self, place: &Place, key: &SessionKey) -> Result<(), Error> {
        if self.older.is_empty() {
            return Ok(());
        }
        let paths = self.older.iter().map(|millis| place.keys.note(key, *millis)).collect();
        place.client.delete(paths).await?;
        self.older.clear();
        Ok(())
    }

    fn know(&mut self, millis: u64) {
        match self.greatest {
            Some(greatest) if greatest == millis => {}
            Some(greatest) => {
                self.older.push(greatest.min(millis));
                if greatest < millis {
                    self.object = None;
                }
                self.greatest = Some(greatest.max(millis));
            }
            None => self.greatest = Some(millis),
        }
        let greatest = self.greatest;
        self.older.retain(|older| Some(*older) < greatest);
        self.older.sort_unstable();
        self.older.dedup();
    }
}
