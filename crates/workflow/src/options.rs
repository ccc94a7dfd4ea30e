//! What workflow sessions are held to; each has a default.

use std::sync::Arc;

use crate::board::Bounds;
use crate::context::{AnyContext, ContextRule};
use crate::guards::Modes;
use crate::redaction::Redaction;

/// The options of workflow sessions.
///
/// Lengths of texts are counted in characters.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use serde_json::json;
/// use sessile_workflow::{Begin, Options, ToolContext, Workflow};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let mut options = Options::default();
/// options.instruction_chars = 8;
/// options.context = Arc::new(ToolContext);
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// let begin = Begin::new().project("shop").instruction("find the bug");
/// let begun = workflow.begin(begin).await?.summary;
/// let text = begun.instruction.and_then(|it| it.text);
/// assert_eq!(text.as_deref(), Some("find the..."));
/// let outside = Begin::new().project("shop").context(&json!({"default_cwd": "/etc"}));
/// assert!(workflow.begin(outside).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How many of its last events a session has in its window; 200. None at all acts as one.
    ///
    /// What left the window stands in the journal still: the window bounds what a summary counts
    /// and what evidence is gathered from.
    pub event_window: usize,
    /// The length of an instruction; 4,000. A longer one is cut, and `...` tells so.
    pub instruction_chars: usize,
    /// The length of a title that is shown; 240. A longer one is cut.
    pub title_chars: usize,
    /// How many events a summary shows unless it is asked for another number; 50.
    pub summary_events: usize,
    /// How many it shows at most; 200.
    pub summary_events_most: usize,
    /// How many sessions a page of a discovery shows at most; 20.
    pub discover_most: usize,
    /// How many findings are taken of one event as evidence; 201.
    pub evidence_items: usize,
    /// How many ids are drawn for a session before it is given up; 16.
    pub id_draws: usize,
    /// What minted ids begin with; `ses_`.
    pub id_prefix: String,
    /// What is not carried on; bearer tokens, members that are named like secrets, and the like.
    pub redaction: Redaction,
    /// What a session may be denied; modes `normal` and `read_only`.
    pub modes: Modes,
    /// What the messages of a board are held to.
    pub board: Bounds,
    /// What an execution context may be; any object.
    pub context: Arc<dyn ContextRule>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            event_window: 200,
            instruction_chars: 4_000,
            title_chars: 240,
            summary_events: 50,
            summary_events_most: 200,
            discover_most: 20,
            evidence_items: 201,
            id_draws: 16,
            id_prefix: "ses_".to_owned(),
            redaction: Redaction::default(),
            modes: Modes::default(),
            board: Bounds::default(),
            context: Arc::new(AnyContext),
        }
    }
}
