//! What a session is begun or continued with, and what came of it.

use std::fmt;

use serde::Serialize;
use sessile_core::{Error, Name, Payload, SessionId, Text};

use crate::context;
use crate::guards::{Asked, Guards};
use crate::options::Options;
use crate::problem::Problem;
use crate::redaction::bounded;
use crate::summary::Summary;

/// What a session is begun with, or continued with where it [names one](Self::resume).
///
/// What is refused is told when it is begun.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Options, Workflow};
/// use serde_json::json;
/// use sessile_workflow::{Begin, Problem};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// let begin = Begin::new()
///     .project("shop")
///     .project_identity("git:4f0c")
///     .mode("read_only")
///     .context(&json!({"default_cwd": "src"}))
///     .instruction("look at the orders");
/// let begun = workflow.begin(begin).await?.summary;
/// assert_eq!(begun.guards.denies(["write"]), Some("write"));
///
/// // Another project of that name does not go on with it.
/// let elsewhere = Begin::new().project("shop").project_identity("git:77aa");
/// let refused = workflow.begin(elsewhere.resume(begun.id.as_str())).await.unwrap_err();
/// assert_eq!(Problem::of(&refused), Some(&Problem::OtherProjectIdentity));
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use = "nothing is begun before it is given to `Workflow::begin`"]
pub struct Begin {
    pub(crate) resume: Option<String>,
    project: Option<Name>,
    project_identity: Option<Text>,
    title: Option<Text>,
    asked: Asked,
    context: Option<Payload>,
    instruction: Option<Text>,
    by: Option<Text>,
    baseline: Option<Payload>,
    ephemeral: Option<Payload>,
    refused: Option<Error>,
}

impl Begin {
    /// A new session that says nothing about itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Continues the session of an id. Nothing is begun where there is none; without an id a
    /// session is always a new one, whatever else there is.
    pub fn resume(mut self, id: impl Into<String>) -> Self {
        self.resume = Some(id.into());
        self
    }

    /// Names the project; a session is continued from its own only.
    pub fn project(mut self, name: impl TryInto<Name, Error: Into<Error>>) -> Self {
        self.project = self.checked(name.try_into());
        self
    }

    /// Says what tells the project from another of the same name.
    pub fn project_identity(mut self, identity: impl Into<String>) -> Self {
        self.project_identity = Some(Text::from(identity.into()));
        self
    }

    /// Sets the title of a new session. Without one its first instruction is its title; it stays
    /// the same when the session is continued.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(Text::from(title.into()));
        self
    }

    /// Asks for a mode; what a continuation does not name stays.
    pub fn mode(mut self, mode: impl Into<String>) -> Self {
        self.asked.mode = Some(mode.into());
        self
    }

    /// Asks for something to be denied. Within its mode a session's guards only tighten.
    pub fn deny(mut self, guard: impl Into<String>) -> Self {
        self.asked.deny.insert(guard.into());
        self
    }

    /// Says that the scope to lift fenced guards was verified.
    pub const fn scope_verified(mut self) -> Self {
        self.asked.scope_verified = true;
        self
    }

    /// Sets the execution context, whole; an empty object clears it, and without one it stays.
    pub fn context<T: Serialize + ?Sized>(mut self, context: &T) -> Self {
        self.context = self.checked(Payload::of(context));
        self
    }

    /// Says what is to be done; a blank text says nothing.
    pub fn instruction(mut self, text: impl Into<String>) -> Self {
        self.instruction = Some(Text::from(text.into()));
        self
    }

    /// Says who asks for it.
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.by = Some(Text::from(who.into()));
        self
    }

    /// Keeps a value with a new session that later ones are compared with; a continuation's is not
    /// looked at.
    pub fn baseline<T: Serialize + ?Sized>(mut self, baseline: &T) -> Self {
        self.baseline = self.checked(Payload::of(baseline));
        self
    }

    /// Attaches instructions to the session that are never stored: they are there for as long as
    /// the [`Workflow`](crate::Workflow) or a clone of it is, and the session is not closed.
    pub fn ephemeral<T: Serialize + ?Sized>(mut self, instructions: &T) -> Self {
        self.ephemeral = self.checked(Payload::of(instructions));
        self
    }

    /// Keeps the first refusal: a builder has no answer of its own.
    fn checked<T, E: Into<Error>>(&mut self, value: Result<T, E>) -> Option<T> {
        match value {
            Ok(value) => Some(value),
            Err(error) => {
                self.refused.get_or_insert_with(|| error.into());
                None
            }
        }
    }

    /// What it says, in the form in which it counts: all that can be refused without looking at a
    /// session was, in the order in which it is stated.
    ///
    /// # Errors
    /// *invalid id* for what is to be continued or for a project; *refused* for guards and a
    /// context.
    pub(crate) fn prepared(self, options: &Options) -> Result<Wanted, Error> {
        let resume = self.resume.map(|id| id.parse::<SessionId>());
        let resume = resume.transpose().map_err(|_| Problem::InvalidId.error())?;
        self.refused.map_or(Ok(()), Err)?;
        // Of a new one; a continuation's depend on what is stored.
        let begun = options.modes.begun(&self.asked)?;
        let context = self.context.as_ref();
        let context = context.map(|it| context::check(&*options.context, it)).transpose()?;
        Ok(Wanted {
            resume,
            project: self.project,
            project_identity: self.project_identity,
            title: self.title,
            asked: self.asked,
            begun,
            context,
            instruction: self.instruction.and_then(|it| instruction(&it, options)),
            by: self.by,
            baseline: self.baseline,
            ephemeral: self.ephemeral,
        })
    }
}

impl fmt::Debug for Begin {
    /// Tells no content: what is asked for is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Begin").field("continues", &self.resume.is_some()).finish_non_exhaustive()
    }
}

/// What is wanted of a session, in the form in which it counts.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) resume: Option<SessionId>,
    pub(crate) project: Option<Name>,
    pub(crate) project_identity: Option<Text>,
    pub(crate) title: Option<Text>,
    pub(crate) asked: Asked,
    pub(crate) begun: Guards,
    pub(crate) context: Option<Payload>,
    pub(crate) instruction: Option<Text>,
    pub(crate) by: Option<Text>,
    pub(crate) baseline: Option<Payload>,
    pub(crate) ephemeral: Option<Payload>,
}

impl Wanted {
    /// Refuses a context where there is no project for it.
    ///
    /// # Errors
    /// *refused*.
    pub(crate) fn check_context(&self) -> Result<(), Error> {
        let has_context = self.context.as_ref().is_some_and(|it| !context::is_empty(it));
        if has_context && self.project.is_none() {
            return Err(Problem::NoProject.error());
        }
        Ok(())
    }
}

/// An instruction as it is stored; none of a blank text.
pub(crate) fn instruction(text: &str, options: &Options) -> Option<Text> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    Some(bounded(options.redaction.text(text), options.instruction_chars).into())
}

/// What came of beginning a session, or continuing one.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Options, Workflow};
/// use sessile_workflow::Begun;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let begin = Begin::new().project("shop").instruction("find the bug");
/// # let id = workflow.begin(begin).await?.summary.id;
/// let more = Begin::new().resume(id.as_str()).project("shop").instruction("fix it").deny("shell");
/// let begun: Begun = workflow.begin(more).await?;
/// // What whoever goes on is to be told: it is the session of before, under tighter guards.
/// assert!(begun.reused && begun.capability_changed && !begun.context_changed);
/// assert_eq!(begun.previous_guards().map(|guards| guards.deny.len()), Some(0));
/// assert_eq!(begun.summary.guards.denies(["shell"]), Some("shell"));
/// let told = begun.before.and_then(|before| before.instruction?.text);
/// assert_eq!(told.as_deref(), Some("find the bug"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Begun {
    /// What the session is.
    pub summary: Summary,
    /// Whether it was there before.
    pub reused: bool,
    /// What a continued session was before: without what it was continued with.
    pub before: Option<Summary>,
    /// Whether its mode or its guards are others than before; of a new session they are not.
    pub capability_changed: bool,
    /// Whether its execution context is another than before.
    pub context_changed: bool,
}

impl Begun {
    /// The mode and the guards that a continued session had before.
    pub fn previous_guards(&self) -> Option<&Guards> {
        self.before.as_ref().map(|before| &before.guards)
    }

    /// The execution context that a continued session had before.
    pub fn previous_context(&self) -> Option<&Payload> {
        self.before.as_ref()?.context.as_ref()
    }
}

/// Refuses text that says nothing.
///
/// # Errors
/// *refused*.
pub(crate) fn not_blank(text: &str, options: &Options) -> Result<Text, Error> {
    instruction(text, options).ok_or_else(|| Problem::Blank.error())
}
