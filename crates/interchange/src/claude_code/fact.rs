//! What matters of one record.

use std::borrow::Cow;

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::{self, View, title_from_prompt};
use sessile_core::{Payload, UnixMillis};

use crate::member::{name, time};

/// What matters of one record; of a value that is no record, nothing.
#[derive(Default)]
pub(super) struct Fact<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) parent: Option<Cow<'a, str>>,
    /// What came before a compaction.
    pub(super) logical_parent: Option<Cow<'a, str>>,
    pub(super) is_sidechain: bool,
    pub(super) agent: Option<Cow<'a, str>>,
    pub(super) session: Option<Cow<'a, str>>,
    pub(super) cwd: Option<Cow<'a, str>>,
    pub(super) at: Option<UnixMillis>,
    pub(super) message: Option<Message<'a>>,
    pub(super) title: Option<Title<'a>>,
}

/// What matters of a message.
pub(super) struct Message<'a> {
    /// Whether it says something of its own, and is not only tool work: calls and results are
    /// written down beside one another when they run in parallel, which makes no branch.
    pub(super) speaks: bool,
    /// The title that it makes, if a person wrote it.
    pub(super) prompt: Option<String>,
    pub(super) model: Option<Cow<'a, str>>,
}

/// A record that names a session.
pub(super) enum Title<'a> {
    /// By its user.
    Given(Cow<'a, str>),
    /// By the program.
    Made(Cow<'a, str>),
    /// In hindsight: the conversation that ends in a record.
    Summary { text: Cow<'a, str>, leaf: Cow<'a, str> },
}

/// The model of messages that no model wrote.
const NO_MODEL: &str = "<synthetic>";

/// How texts begin that stand for a command and its output, and not for words of the user's.
const NO_PROMPT: &[&str] =
    &["<command-", "<local-command-", "<bash-", "Caveat: The messages below were generated"];

impl<'a> Fact<'a> {
    pub(super) fn of(data: &'a Payload) -> Self {
        let record = View::of(data);
        let [kind, id, parent, logical_parent, sidechain, agent, session] = record.pick([
            "type",
            "uuid",
            "parentUuid",
            "logicalParentUuid",
            "isSidechain",
            "agentId",
            "sessionId",
        ]);
        let [cwd, at, message] = record.pick(["cwd", "timestamp", "message"]);
        let kind = kind.and_then(View::text).unwrap_or_default();
        let message = matches!(&*kind, "user" | "assistant")
            .then(|| Message::of(data, record, message.and_then(|it| it.member("model"))));
        Self {
            id: name(id),
            parent: name(parent),
            logical_parent: name(logical_parent),
            is_sidechain: sidechain.is_some_and(View::is_true),
            agent: name(agent),
            session: name(session),
            cwd: name(cwd),
            at: at.and_then(time),
            message,
            title: Title::of(&kind, record),
        }
    }

    /// The model that wrote it.
    pub(super) fn model(&self) -> Option<&str> {
        self.message.as_ref()?.model.as_deref()
    }
}

impl<'a> Message<'a> {
    fn of(data: &'a Payload, record: View<'a>, model: Option<View<'a>>) -> Self {
        let reading = lens::read(Dialect::ClaudeCode, data);
        let [meta, summary] = record.pick(["isMeta", "isCompactSummary"]);
        let by_program = [meta, summary].into_iter().flatten().any(View::is_true);
        let is_user = reading.role.as_deref() == Some("user");
        let is_tool_work = !reading.calls.is_empty() || !reading.results.is_empty();
        let text = reading.text.as_deref();
        let is_prompt = is_user && !is_tool_work && !by_program;
        Self {
            // An image alone is a prompt too; an answer without text is a thought on the way.
            speaks: !is_tool_work
                && (text.is_some() || is_user)
                && !meta.is_some_and(View::is_true),
            prompt: text
                .filter(|text| is_prompt && !NO_PROMPT.iter().any(|no| text.starts_with(no)))
                .map(title_from_prompt),
            model: name(model).filter(|model| model != NO_MODEL),
        }
    }
}

impl<'a> Title<'a> {
    fn of(kind: &str, record: View<'a>) -> Option<Self> {
        let [custom, made, summary, leaf] =
            record.pick(["customTitle", "aiTitle", "summary", "leafUuid"]).map(name);
        match kind {
            "custom-title" => custom.map(Self::Given),
            "ai-title" => made.map(Self::Made),
            "summary" => summary.map(|text| match leaf {
                Some(leaf) => Self::Summary { text, leaf },
                None => Self::Made(text),
            }),
            _ => None,
        }
    }
}
