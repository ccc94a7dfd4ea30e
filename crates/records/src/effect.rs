//! Something that is done outside of the store, and how far it came.

use serde::{Deserialize, Serialize};
use sessile_core::digest::Digest;
use sessile_core::{Error, ErrorKind, Name, Payload, UnixMillis};

use crate::kind::Kind;
use crate::state::State;

/// What doing it again does.
///
/// # Examples
/// ```
/// # use sessile_core::Payload;
/// use sessile_records::{Class, Request};
///
/// # let input = Payload::parse("{}")?;
/// let request = Request::new("call-1".parse()?, "acme.act".parse()?, "tool".parse()?, &input);
/// let is_safe = |class| request.clone().class(class).is_retry_safe();
/// assert!(is_safe(Class::Pure) && is_safe(Class::ReadOnly));
/// assert!(!is_safe(Class::NonIdempotent));
/// // That a repeat changes nothing holds under a key only, which tells that it is one.
/// assert!(!is_safe(Class::IdempotentWrite));
/// let keyed = request.clone().class(Class::IdempotentWrite).key("order-7".parse()?);
/// assert!(keyed.is_retry_safe());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Class {
    /// It touches nothing outside.
    Pure,
    /// It looks at something outside and changes nothing.
    ReadOnly,
    /// It changes something, and the same key changes it once, however often it is sent.
    IdempotentWrite,
    /// It changes something each time.
    NonIdempotent,
}

/// An effect that is asked for.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_records::{Class, Request};
///
/// let input = Payload::parse(r#"{"to":"ops@example.com"}"#)?;
/// let mail = Request::new("run-1:call-3".parse()?, "acme.mail".parse()?, "mail".parse()?, &input)
///     .class(Class::IdempotentWrite)
///     .key("order-7".parse()?);
/// assert!(mail.is_retry_safe());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// Names this effect: the same id is the same effect.
    pub id: Name,
    /// Names the call that it is part of, for people; the effect's id unless given.
    pub invocation: Name,
    /// What it is.
    pub kind: Kind,
    /// Names what does it: a tool, a service.
    pub capability: Name,
    /// The digest of the bytes of its input, which itself is not kept.
    pub input: Digest,
    /// What doing it again does; [`Class::NonIdempotent`] unless given.
    pub class: Class,
    /// Names the work within the capability: another effect under the same key is this one.
    pub key: Option<Name>,
}

impl Request {
    /// An effect that is not to be repeated, without a key.
    pub fn new(id: Name, kind: Kind, capability: Name, input: &Payload) -> Self {
        Self {
            invocation: id.clone(),
            id,
            kind,
            capability,
            input: Digest::of(input.as_str().as_bytes()),
            class: Class::NonIdempotent,
            key: None,
        }
    }

    /// The same, as part of a call.
    #[must_use]
    pub fn invocation(self, invocation: Name) -> Self {
        Self { invocation, ..self }
    }

    /// The same, of a class.
    #[must_use]
    pub const fn class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }

    /// The same, under a key.
    #[must_use]
    pub fn key(self, key: Name) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Whether it may be done again although it may have been done: it changes nothing, or the
    /// same thing once under its key.
    pub const fn is_retry_safe(&self) -> bool {
        match self.class {
            Class::Pure | Class::ReadOnly => true,
            Class::IdempotentWrite => self.key.is_some(),
            Class::NonIdempotent => false,
        }
    }

    /// Refuses another request for the same work: one that is not what was recorded first, but for
    /// its id and its invocation.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`], naming the first member that differs.
    pub(crate) fn check_same_work(&self, recorded: &Self) -> Result<(), Error> {
        let differs = [
            ("kind", self.kind != recorded.kind),
            ("capability", self.capability != recorded.capability),
            ("input", self.input != recorded.input),
            ("class", self.class != recorded.class),
            ("key", self.key != recorded.key),
        ];
        match differs.into_iter().find(|(_, differs)| *differs) {
            Some((member, _)) => Err(Error::new(
                ErrorKind::Conflict,
                format!("the effect was recorded with another {member}"),
            )
            .with_hint("other work has an id and a key of its own")),
            None => Ok(()),
        }
    }
}

/// An effect as it is recorded.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{EffectRecord, Effects, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// let mail = Request::new("call-1".parse()?, "acme.mail".parse()?, "mail".parse()?, &input)
///     .key("order-7".parse()?);
/// let sends = async |_| Ok(sent.clone());
/// let executed = effects.execute(&mail, Retry::RejectAmbiguous, None, sends).await?;
///
/// // Who has only the key finds what was done under it.
/// let record: EffectRecord = effects.find(&"mail".parse()?, &"order-7".parse()?).await?;
/// assert_eq!(record.request, mail);
/// assert_eq!(record.number, executed.number);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EffectRecord {
    /// What was asked for, by whoever did first.
    pub request: Request,
    /// How often it changed; the fencing token of the attempt that changed it last.
    pub number: u64,
    /// When it did, by the clock of whoever changed it.
    pub updated_at: UnixMillis,
    /// How far it came.
    pub state: State,
}

impl EffectRecord {
    /// The record of an effect that is to be done.
    pub(crate) const fn prepared(request: Request, at: UnixMillis) -> Self {
        Self { request, number: 0, updated_at: at, state: State::Prepared }
    }

    /// The record that follows it.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] for a state that can't follow, and where there is no greater number.
    pub(crate) fn becoming(&self, state: State, at: UnixMillis) -> Result<Self, Error> {
        let conflict = |clause: String| Error::new(ErrorKind::Conflict, clause);
        if !self.state.may_become(&state) {
            let (from, to) = (self.state.name(), state.name());
            return Err(conflict(format!("an effect that is {from} can't become {to}")));
        }
        let number = self.number.checked_add(1);
        let number = number
            .ok_or_else(|| conflict("the effect has the greatest number there is".to_owned()))?;
        let updated_at = at.max(self.updated_at);
        Ok(Self { request: self.request.clone(), number, updated_at, state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Kept;

    fn states() -> [State; 4] {
        let kept = Kept::Whole(Payload::parse("1").unwrap());
        [State::Prepared, State::Started, State::Completed(kept.clone()), State::Failed(kept)]
    }

    fn request() -> Request {
        let input = Payload::parse("{}").unwrap();
        let (id, capability) = ("e".parse().unwrap(), "mail".parse().unwrap());
        Request::new(id, "a.mail".parse().unwrap(), capability, &input)
    }

    #[test]
    fn a_state_is_left_only_for_those_that_follow_it() {
        let allowed = [
            ("prepared", "started"),
            ("started", "started"),
            ("started", "completed"),
            ("started", "failed"),
        ];
        for from in states() {
            for to in states() {
                let record = EffectRecord {
                    state: from.clone(),
                    ..EffectRecord::prepared(request(), UnixMillis(5))
                };
                let next = record.becoming(to.clone(), UnixMillis(3));
                let is_allowed = allowed.contains(&(from.name(), to.name()));
                assert_eq!(next.is_ok(), is_allowed, "{} to {}", from.name(), to.name());
                match next {
                    Ok(next) => {
                        assert_eq!((next.number, next.updated_at), (1, UnixMillis(5)));
                    }
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict),
                }
            }
        }
        let last =
            EffectRecord { number: u64::MAX, ..EffectRecord::prepared(request(), UnixMillis(5)) };
        let error = last.becoming(State::Started, UnixMillis(5)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
    }

    #[test]
    fn only_what_changes_nothing_or_has_a_key_may_be_repeated() {
        let keyed = |class| request().key("k".parse().unwrap()).class(class);
        assert!(request().class(Class::Pure).is_retry_safe());
        assert!(request().class(Class::ReadOnly).is_retry_safe());
        assert!(!request().class(Class::IdempotentWrite).is_retry_safe());
        assert!(keyed(Class::IdempotentWrite).is_retry_safe());
        assert!(!keyed(Class::NonIdempotent).is_retry_safe());
    }

    #[test]
    fn other_work_is_a_conflict_by_name_and_another_id_or_call_is_none() {
        let other_input = Payload::parse("{ }").unwrap();
        let others = [
            ("kind", Request { kind: "a.b".parse().unwrap(), ..request() }),
            ("capability", Request { capability: "x".parse().unwrap(), ..request() }),
            ("input", Request { input: Digest::of(other_input.as_str().as_bytes()), ..request() }),
            ("class", request().class(Class::Pure)),
            ("key", request().key("k".parse().unwrap())),
        ];
        for (member, other) in others {
            let error = other.check_same_work(&request()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Conflict);
            assert!(error.clause().ends_with(member), "{error}");
        }
        let again = Request { id: "f".parse().unwrap(), ..request() };
        assert!(again.invocation("i".parse().unwrap()).check_same_work(&request()).is_ok());
    }
}
