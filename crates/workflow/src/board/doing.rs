//! Commands and questions as the engine decides them: on the newest state, as often as it takes.

use sessile_core::fold::{Lifecycle, SessionState};
use sessile_core::{EntryType, Error, ErrorKind, Payload, Position, SessionKey, UnixMillis};
use sessile_engine::{Move, Operation};

use super::answers::Observe;
use super::assignment::Assignment;
use super::bounds::Bounds;
use super::complete;
use super::decision::{self, Command, Decision, Draft, Setting};
use super::failure::BoardError;
use super::id::{Draws, MessageId};
use super::kind::Kind;
use super::list::{self, Changes, Query};
use super::message::Message;
use super::overview::{self, Standing};
use super::refused::Refused;
use super::state::Board;

/// The board of a folded session.
///
/// # Errors
/// *unsupported* where the store does not fold boards; *corrupt* where entries that it would be
/// folded from can't be read.
pub(crate) fn board_of(state: &SessionState) -> Result<&Board, Error> {
    state.extended::<Board>()
}

/// A command under way.
#[derive(Debug)]
pub(crate) struct Doing<C> {
    pub(crate) command: C,
    pub(crate) draws: Draws,
    pub(crate) key: SessionKey,
    pub(crate) bounds: Bounds,
}

impl<C> Operation for Doing<C>
where
    C: Command + Send + Sync + 'static,
    C::Answer: Send + 'static,
{
    type Answer = C::Answer;
    type Refusal = BoardError;

    fn is_barrier(&self) -> bool {
        self.command.is_barrier()
    }

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<C::Answer>, BoardError> {
        refuse_deleted(state)?;
        let setting = Setting {
            session: &self.key,
            is_active: state.lifecycle() == Lifecycle::Active,
            bounds: &self.bounds,
            draws: self.draws,
        };
        let Decision { drafts, answer } =
            decision::decide(board_of(state)?, &setting, &self.command)?;
        if drafts.is_empty() {
            return Ok(Move::Stands(answer));
        }
        let pair = |draft: Draft| -> (EntryType, Payload) { (draft.entry_type, draft.data) };
        Ok(Move::Append(drafts.into_iter().map(pair).collect(), answer))
    }
}

/// Something to be told of a board, once it is durable.
pub(crate) trait Question {
    type Answer;

    /// Answers on the board of a journal that ends there.
    ///
    /// # Errors
    /// Why there is no answer.
    fn answer(
        &self,
        board: &Board,
        end: Position,
        key: &SessionKey,
        bounds: &Bounds,
    ) -> Result<Self::Answer, Refused>;
}

/// A question under way.
#[derive(Debug)]
pub(crate) struct Asking<Q> {
    pub(crate) question: Q,
    pub(crate) key: SessionKey,
    pub(crate) bounds: Bounds,
}

impl<Q> Operation for Asking<Q>
where
    Q: Question + Send + Sync + 'static,
    Q::Answer: Send + 'static,
{
    type Answer = Q::Answer;
    type Refusal = BoardError;

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<Q::Answer>, BoardError> {
        refuse_deleted(state)?;
        let (board, end) = (board_of(state)?, state.position());
        Ok(Move::Stands(self.question.answer(board, end, &self.key, &self.bounds)?))
    }
}

fn refuse_deleted(state: &SessionState) -> Result<(), Error> {
    match state.lifecycle() {
        Lifecycle::Active | Lifecycle::Closed => Ok(()),
        Lifecycle::Deleted => Err(Error::new(ErrorKind::Deleted, "it was deleted")),
    }
}

/// What has changed, and where the journal ended then.
#[derive(Debug)]
pub(crate) struct Look {
    token: Option<String>,
    limit: Option<usize>,
}

impl Look {
    pub(crate) fn of(observe: &Observe) -> Self {
        Self { token: observe.token.clone(), limit: observe.limit }
    }
}

impl Question for Look {
    type Answer = (Changes, Position);

    fn answer(
        &self,
        board: &Board,
        end: Position,
        key: &SessionKey,
        bounds: &Bounds,
    ) -> Result<(Changes, Position), Refused> {
        let changes = list::changes(board, key, bounds, self.token.as_deref(), self.limit)?;
        Ok((changes, end))
    }
}

/// An open task with what answers it.
#[derive(Debug)]
pub(crate) struct Take(pub(crate) MessageId);

impl Question for Take {
    type Answer = Assignment;

    fn answer(
        &self,
        board: &Board,
        _: Position,
        key: &SessionKey,
        bounds: &Bounds,
    ) -> Result<Assignment, Refused> {
        let task = decision::found(board, &self.0)?;
        if task.kind != Kind::Todo {
            return Err(Refused::NotTodo(self.0.clone()));
        }
        if !task.is_open() {
            return Err(Refused::MessageNotOpen(self.0.clone()));
        }
        complete::assigned(board, key, bounds, task)
    }
}

/// The messages that a query lets through, and how many there are.
#[derive(Debug)]
pub(crate) struct Ask(pub(crate) Query);

impl Question for Ask {
    type Answer = (Vec<Message>, usize);

    fn answer(
        &self,
        board: &Board,
        _: Position,
        _: &SessionKey,
        bounds: &Bounds,
    ) -> Result<(Vec<Message>, usize), Refused> {
        Ok(self.0.on(board, bounds))
    }
}

/// What the board holds in short, and the last messages of each kind.
#[derive(Debug)]
pub(crate) struct InShort;

impl Question for InShort {
    type Answer = (Standing, Vec<Message>);

    fn answer(
        &self,
        board: &Board,
        _: Position,
        _: &SessionKey,
        bounds: &Bounds,
    ) -> Result<(Standing, Vec<Message>), Refused> {
        Ok((Standing::of(board), overview::last(board, bounds)))
    }
}
