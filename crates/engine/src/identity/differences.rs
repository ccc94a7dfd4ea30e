//! In what two identities differ.

use std::fmt;

use sessile_core::digest::Digest;
use sessile_core::{Error, ErrorKind, Payload};

use super::field;
use super::recorded::Fields;

/// In what a session's identity is not the one that a run expects: each field that differs, in the
/// order in which they are compared.
///
/// It names both sides to their values, so that accepting it accepts this and nothing else. Its
/// `Display` tells the innermost place of the first one and both values; its `Debug` no value.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Expected, NewSession};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let session = store.create_as("ses_42", NewSession::new().project("shop")).await?;
/// let expected = Expected::new().project("depot");
/// let differences = session.differences(&expected).await?;
/// assert_eq!(differences.iter().len(), 1);
/// session.accept(&differences, None).await?;
/// assert!(session.differences(&expected).await?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Differences {
    all: Vec<Differing>,
}

/// A field that differs.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::Payload;
/// use sessile_engine::{Differing, Expected, NewSession};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let session = store.create_as("ses_42", NewSession::new().project("shop")).await?;
/// let differences = session.differences(&Expected::new().project("depot")).await?;
/// let differing: &Differing = differences.iter().next().expect("one field differs");
/// assert_eq!(differing.field, "project");
/// assert_eq!(differing.saved.as_ref().map(Payload::as_str), Some("\"shop\""));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Differing {
    /// Its name.
    pub field: String,
    /// What the session has; none where it has none.
    pub saved: Option<Payload>,
    /// What the run expects; none where it expects that there is none.
    pub current: Option<Payload>,
    /// The innermost place and both values.
    told: String,
}

impl Differences {
    /// Compares what is asked for; `others` says of a field that was not asked for whether it is
    /// expected not to be there.
    pub(crate) fn between(saved: &Fields, asked: &Fields, others: impl Fn(&str) -> bool) -> Self {
        let beside = saved.keys().map(String::as_str).filter(|name| others(name));
        let names = field::in_order(asked.keys().map(String::as_str).chain(beside));
        let differing = |name: &str| {
            let (saved, current) = (saved.get(name), asked.get(name));
            Some(Differing {
                told: field::difference(name, saved, current)?,
                field: name.to_owned(),
                saved: saved.cloned(),
                current: current.cloned(),
            })
        };
        Self { all: names.into_iter().filter_map(differing).collect() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The fields that differ, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Differing> {
        self.all.iter()
    }

    /// Names the difference to its last byte, so that it can be told to whoever is to accept it:
    /// the SHA-256 of the names and values of both sides.
    pub fn digest(&self) -> Digest {
        let side = |value: Option<&Payload>| match value {
            None => ["none".to_owned(), String::new()],
            Some(value) => ["some".to_owned(), value.as_str().to_owned()],
        };
        let parts = |it: &Differing| {
            let sides = [side(it.saved.as_ref()), side(it.current.as_ref())];
            std::iter::once(it.field.clone()).chain(sides.into_iter().flatten())
        };
        let parts: Vec<String> = self.all.iter().flat_map(parts).collect();
        Digest::of_parts(parts.iter().map(String::as_bytes))
    }

    /// Refuses a run where there is any.
    ///
    /// # Errors
    /// *mismatch* that tells the first one, and the two ways out.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_empty() {
            return Ok(());
        }
        let digest = self.digest();
        Err(Error::new(ErrorKind::Mismatch, self.to_string()).with_hint(format!(
            "open it without saying what it is expected to be, or accept difference {digest}"
        )))
    }

    /// The identity of a session once this was accepted; none where it is that already.
    ///
    /// # Errors
    /// *conflict* where it is neither what was shown nor what was accepted.
    pub(crate) fn accepted_on(&self, saved: &Fields) -> Result<Option<Fields>, Error> {
        let is = |it: &Differing, value: Option<&Payload>| {
            field::difference(&it.field, saved.get(&it.field), value).is_none()
        };
        if self.all.iter().all(|it| is(it, it.current.as_ref())) {
            return Ok(None);
        }
        if let Some(changed) = self.all.iter().find(|it| !is(it, it.saved.as_ref())) {
            let told = |value: Option<&Payload>| {
                value.map_or_else(|| "nothing".to_owned(), |value| value.as_str().to_owned())
            };
            let clause = format!(
                "identity.{} is {}, and the difference that is accepted was shown with {}",
                changed.field,
                told(saved.get(&changed.field)),
                told(changed.saved.as_ref())
            );
            return Err(Error::new(ErrorKind::Conflict, clause)
                .with_hint("compare again, and accept what is shown then"));
        }
        let mut fields = saved.clone();
        for Differing { field, current, .. } in &self.all {
            match current {
                Some(value) => fields.insert(field.clone(), value.clone()),
                None => fields.remove(field),
            };
        }
        Ok(Some(fields))
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.all.split_first() else {
            return f.write_str("nothing differs");
        };
        f.write_str(&first.told)?;
        for (at, other) in others.iter().enumerate() {
            f.write_str(if at == 0 { "; so do " } else { ", " })?;
            f.write_str(&other.field)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}

impl fmt::Debug for Differing {
    /// Tells no value: what a session belongs to is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Differing").field("field", &self.field).finish_non_exhaustive()
    }
}
