//! One state of a run, and what may follow it.

use sessile_core::{Error, ErrorKind, Name, Payload, Position, SessionId, UnixMillis};

use crate::kind::Kind;

/// A state that one run moves on, number by number.
///
/// The number is 0 at first and one more each time. What follows a checkpoint is of the same run,
/// kind, schema and session. The payload is the caller's JSON and comes back byte for byte.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_records::Checkpoint;
///
/// let state = Payload::parse(r#"{"step": "plan"}"#)?;
/// let first = Checkpoint::new("job-7".parse()?, "run-1".parse()?, "agent.step".parse()?, 1, state);
/// let second = first.next(Payload::parse(r#"{"step": "act"}"#)?)?;
/// assert_eq!((first.number, second.number), (0, 1));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checkpoint {
    /// What it is found by.
    pub name: Name,
    /// How many were before it under its name.
    pub number: u64,
    /// The run that it is a state of.
    pub run: Name,
    /// What its payload is.
    pub kind: Kind,
    /// The version of the payload's format, which the kind's owner counts.
    pub schema: u32,
    /// The state itself.
    pub payload: Payload,
    /// When it was put, by the clock of whoever did; never earlier than that of the one before it.
    /// It is set by whoever puts it.
    pub updated_at: UnixMillis,
    /// The session that it goes with: purging that removes it.
    pub session: Option<SessionId>,
    /// The position of that session's journal that the state was built on.
    pub built_on: Option<Position>,
}

impl Checkpoint {
    /// The first of its name, of no session.
    pub const fn new(name: Name, run: Name, kind: Kind, schema: u32, payload: Payload) -> Self {
        Self {
            name,
            number: 0,
            run,
            kind,
            schema,
            payload,
            updated_at: UnixMillis(0),
            session: None,
            built_on: None,
        }
    }

    /// The same state, to be purged with a session.
    #[must_use]
    pub fn of_session(self, session: SessionId) -> Self {
        Self { session: Some(session), ..self }
    }

    /// The same state, built on a position of its session's journal, which an append has answered:
    /// what is only read may not be durable yet.
    #[must_use]
    pub const fn built_on(mut self, position: Position) -> Self {
        self.built_on = Some(position);
        self
    }

    /// What follows it, with another payload and on no position.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] where there is no greater number.
    pub fn next(&self, payload: Payload) -> Result<Self, Error> {
        let number = self.successor()?;
        Ok(Self { number, payload, built_on: None, ..self.clone() })
    }

    /// The number of what follows it.
    pub(crate) fn successor(&self) -> Result<u64, Error> {
        self.number.checked_add(1).ok_or_else(|| {
            Error::new(ErrorKind::Conflict, "the checkpoint has the greatest number there is")
                .with_hint("go on under another name")
        })
    }

    /// Refuses what does not follow it but for the number.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`], naming the first member that differs.
    pub(crate) fn check_successor(&self, next: &Self) -> Result<(), Error> {
        let differs = [
            ("run", self.run != next.run),
            ("kind", self.kind != next.kind),
            ("schema", self.schema != next.schema),
            ("session", self.session != next.session),
        ];
        match differs.into_iter().find(|(_, differs)| *differs) {
            Some((member, _)) => Err(Error::new(
                ErrorKind::Refused,
                format!("what follows a checkpoint has its {member}, and this has another"),
            )
            .with_hint("begin anew under another name")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first() -> Checkpoint {
        let payload = Payload::parse("1").unwrap();
        let (name, run) = ("n".parse().unwrap(), "r".parse().unwrap());
        Checkpoint::new(name, run, "a.b".parse().unwrap(), 1, payload)
    }

    #[test]
    fn what_follows_has_the_next_number_and_the_same_of_all_that_stays() {
        let first = first().of_session("s".parse().unwrap()).built_on(Position::START);
        let next = first.next(Payload::parse("2").unwrap()).unwrap();
        assert_eq!((next.number, next.built_on), (1, None));
        assert!(first.check_successor(&next).is_ok());
    }

    #[test]
    fn the_greatest_number_has_no_successor_and_does_not_wrap() {
        let last = Checkpoint { number: u64::MAX, ..first() };
        let error = last.next(last.payload.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
    }

    #[test]
    fn another_run_kind_schema_or_session_is_refused_by_name() {
        let others = [
            ("run", Checkpoint { run: "x".parse().unwrap(), ..first() }),
            ("kind", Checkpoint { kind: "a.x".parse().unwrap(), ..first() }),
            ("schema", Checkpoint { schema: 2, ..first() }),
            ("session", first().of_session("s".parse().unwrap())),
        ];
        for (member, other) in others {
            let error = first().check_successor(&other).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused);
            assert!(error.clause().contains(member), "{error}");
        }
    }
}
