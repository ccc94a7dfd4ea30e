//! What random steps of requests ask, and how the answers are read.

use sessile_core::entry::shape::Contract;
use sessile_core::{Error, ErrorKind, RequestId, Seq};
use sessile_engine::{Admission, Admit, Done, From, RawMessage, Session};

use super::book::{Book, End};
use crate::failed::{Failed, fails, same};

/// The requests that are sent: few, so that they meet.
pub(super) const IDS: &[&str] = &["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"];

/// The actions of each of them.
pub(super) const ACTIONS: &[&str] = &["a", "b"];

/// A way to go on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Admit,
    AdmitOtherwise,
    Push,
    Checkpoint,
    Act,
    Commit,
    Fail,
    Cancel,
    Recover,
    RecoverLate,
    EndOther,
    Release,
    Append,
    Note,
    Fork,
    Vacuum,
    DeleteAndBack,
    Reopen,
}

/// The steps, those that are taken more often several times.
pub(super) const STEPS: &[Step] = &[
    Step::Admit,
    Step::Admit,
    Step::Admit,
    Step::AdmitOtherwise,
    Step::Push,
    Step::Push,
    Step::Push,
    Step::Checkpoint,
    Step::Checkpoint,
    Step::Act,
    Step::Act,
    Step::Commit,
    Step::Commit,
    Step::Fail,
    Step::Cancel,
    Step::Recover,
    Step::Recover,
    Step::RecoverLate,
    Step::EndOther,
    Step::Release,
    Step::Append,
    Step::Append,
    Step::Note,
    Step::Fork,
    Step::Vacuum,
    Step::DeleteAndBack,
    Step::Reopen,
];

pub(super) fn terms() -> Result<Contract, Error> {
    Contract::new().part("agent", "a")
}

pub(super) fn admit(id: &str) -> Result<Admit, Failed> {
    let id: RequestId = id.parse()?;
    Ok(Admit::new(&id, id.as_str(), &terms()?))
}

pub(super) fn end_of(done: &Done) -> End {
    let result = done.result.as_ref().map(|result| result.as_str().to_owned());
    End { status: done.status, result, claim: done.claim, seq: done.seq }
}

/// Fails unless an answer is *busy* by the one that holds the session.
pub(super) fn is_busy<T>(answer: Result<T, Error>, book: &Book) -> Result<(), Failed> {
    let error = fails("it is held", answer, ErrorKind::Busy)?;
    let told = error.occupant().map(|it| (it.request.to_string(), it.claim));
    same("by whom", told, book.held.as_ref().map(|held| (held.id.clone(), held.claim)))
}

pub(super) fn is_current(book: &Book, claim: Seq) -> bool {
    book.held.as_ref().is_some_and(|held| held.claim == claim && !held.released)
}

pub(super) async fn messages(session: &Session) -> Result<Vec<String>, Failed> {
    let messages: Vec<RawMessage> = session.transcript(From::start()).await?.all().await?;
    Ok(messages.into_iter().map(|message| message.data.as_str().to_owned()).collect())
}

/// Fails unless a request is told to have ended like that.
pub(super) fn is_told(admission: Admission, end: &End) -> Result<(), Failed> {
    match admission {
        Admission::Replay(done) => same("how it ended", &end_of(&done), end),
        Admission::Started(_) => Err(Failed::new("what ended is done again")),
    }
}
