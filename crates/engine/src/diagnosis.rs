//! What is wrong with a session, what it means, and what there is to do about it.

use sessile_core::backend::SetAside;
use sessile_core::{Error, ErrorKind, SessionId};

use crate::info::Info;
use crate::store::Store;
use crate::verify::Verification;

/// What was found of a session.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let diagnosis = store.examine("ses_42").await?;
/// assert!(diagnosis.sound && diagnosis.ailments.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The session.
    pub session: SessionId,
    /// Whether nothing is damaged or torn and all of it is there, as
    /// [`verify`](Store::verify) tells.
    pub sound: bool,
    /// What there is to say of it, the worst first; nothing where all is well.
    pub ailments: Vec<Ailment>,
}

/// Something that is wrong, or waits for somebody.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Ailment;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// drop(turn);
/// // Whoever held it has gone: that is no damage, and waits for somebody.
/// let diagnosis = store.examine("ses_42").await?;
/// let ailment: &Ailment = &diagnosis.ailments[0];
/// assert!(diagnosis.sound && ailment.what.contains("req-1"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ailment {
    /// What it is.
    pub what: String,
    /// What follows from it for whoever uses the session.
    pub means: String,
    /// What can be done.
    pub remedy: Remedy,
    /// What that would do.
    pub would: String,
}

/// What can be done about an [`Ailment`].
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Remedy;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// drop(turn);
/// let diagnosis = store.examine("ses_42").await?;
/// // A repair would not help: a person decides.
/// assert_eq!(diagnosis.ailments[0].remedy, Remedy::Decide);
/// assert_eq!(Remedy::Repair.name(), "repair");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// [`Session::repair`](crate::Session::repair): nothing that was acknowledged is lost by it.
    Repair,
    /// A person has to decide: what to do is said in words.
    Decide,
    /// Nothing has to be done.
    Nothing,
}

impl Remedy {
    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::Decide => "decide",
            Self::Nothing => "nothing",
        }
    }
}

/// Examines a session; reads only.
pub(crate) async fn examine(store: &Store, id: SessionId) -> Result<Diagnosis, Error> {
    let found = match store.verify(&id).await {
        Ok(found) => found,
        Err(error) if is_unreadable(&error) => {
            let ailments = vec![unreadable(&error)];
            return Ok(Diagnosis { session: id, sound: false, ailments });
        }
        Err(error) => return Err(error),
    };
    let mut ailments = of_the_journal(&id, &found);
    match store.open_session(&id).await {
        Ok(session) => ailments.extend(of_the_request(&id, &session.info())),
        // The journal has told it already.
        Err(error) if is_unreadable(&error) || error.kind() == ErrorKind::Incomplete => {}
        Err(error) if error.kind() == ErrorKind::Deleted => {}
        Err(error) => return Err(error),
    }
    Ok(Diagnosis { session: id, sound: found.sound, ailments })
}

fn is_unreadable(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::UnknownVersion)
}

fn unreadable(error: &Error) -> Ailment {
    let (means, would) = match error.kind() {
        ErrorKind::UnknownVersion => (
            "a newer version of sessile wrote it; this one leaves it alone",
            "use that version, or a newer one",
        ),
        _ => (
            "nothing of it can be read, and nothing can be added",
            "copy it from another store into a space of its own; until then it is kept as it is",
        ),
    };
    let what = error.clause().to_owned();
    Ailment { what, means: means.into(), remedy: Remedy::Decide, would: would.into() }
}

fn of_the_journal(id: &SessionId, found: &Verification) -> Vec<Ailment> {
    let mut ailments = Vec::new();
    let mut tell = |what: String, means: &str, remedy: Remedy, would: String| {
        ailments.push(Ailment { what, means: means.to_owned(), remedy, would });
    };
    for damage in &found.damage {
        let before = damage.seq.number().saturating_sub(1);
        tell(
            format!("entry {} is damaged: {}", damage.seq, damage.reason),
            "reads that cover it fail; what stands before and behind it can be read, and messages \
             can be added",
            Remedy::Decide,
            format!(
                "`sessile fork {id} --at {before}` goes on from before it, `sessile export {id} \
                 --skip-damaged` saves the rest; neither changes the session"
            ),
        );
    }
    if found.incomplete {
        tell(
            "it is a fork that was cut short".to_owned(),
            "it can't be opened",
            Remedy::Decide,
            format!("forking again under its id completes it; `sessile delete {id}` drops it"),
        );
    }
    if let Some(end) = found.copied_to {
        tell(
            format!("it is a copy that was cut short: its source ended at position {end}"),
            "it lacks what its source had behind its own end",
            Remedy::Decide,
            format!(
                "copying it again completes it; `sessile fork {id}` makes what is there a session of \
                 its own"
            ),
        );
    }
    ailments.extend(found.set_aside.iter().filter_map(|aside| of_the_tail(aside, found)));
    let mut tell = |what: String, means: &str, remedy: Remedy, would: String| {
        ailments.push(Ailment { what, means: means.to_owned(), remedy, would });
    };
    for unfinished in &found.unfinished {
        tell(
            format!(
                "entry {} is recorded as {}, and is still there",
                unfinished.seq,
                unfinished.what.name()
            ),
            "whoever removed it was cut short: who can read the place can still read it",
            Remedy::Repair,
            "a repair removes what it holds, for good".to_owned(),
        );
    }
    for lost in &found.lost {
        tell(
            format!("entries {} to {} could not be read when it was forked", lost.from, lost.to),
            "reads that cover them fail",
            Remedy::Nothing,
            "they may be readable in the session that it was forked from".to_owned(),
        );
    }
    for seq in &found.passed_over {
        tell(
            format!("the derived state {seq} can't be read"),
            "opening takes a little longer; nothing is lost",
            Remedy::Nothing,
            "`sessile vacuum` drops it once a later one stands".to_owned(),
        );
    }
    ailments
}

/// A torn tail that still stands at the end of the journal.
fn of_the_tail(aside: &SetAside, found: &Verification) -> Option<Ailment> {
    if aside.kept_at.is_some() {
        return None;
    }
    let (means, remedy, would) = if found.copied_to.is_some() {
        (
            "they are not served; whoever copied died while writing them",
            Remedy::Nothing,
            "copying it again keeps them beside the journal and goes on; a repair is refused",
        )
    } else {
        (
            "they are not served; a process died while it was writing them, or they were lost with \
             the power and may have been acknowledged",
            Remedy::Repair,
            "a repair keeps them beside the journal and notes it there; whatever can be read stays",
        )
    };
    let what = format!("{} bytes at its end are torn: {}", aside.bytes, aside.reason);
    Some(Ailment { what, means: means.to_owned(), remedy, would: would.to_owned() })
}

/// What holds a session, or waits in it.
fn of_the_request(id: &SessionId, info: &Info) -> Vec<Ailment> {
    let mut ailments = Vec::new();
    if let Some(active) = &info.active {
        ailments.push(Ailment {
            what: format!("request {} holds it by claim {}", active.request, active.claim),
            means: "other requests hear busy until it ends".to_owned(),
            remedy: Remedy::Decide,
            would: format!(
                "if its owner has stopped: `sessile recover {id} {} --claim {} --retry` lets it in \
                 again, --abandon ends it without a result",
                active.request, active.claim
            ),
        });
    } else if let Some(claim) = info.unreadable_claim {
        ailments.push(Ailment {
            what: format!("claim {claim} holds it, and can't be read"),
            means: "requests hear corrupt".to_owned(),
            remedy: Remedy::Decide,
            would: format!("`sessile fork {id}` goes on without it"),
        });
    }
    ailments
}
