//! How it is told who holds a session.

use serde::Serialize;
use sessile::{
    Active, Asked, Info, Inherited, Intended, Name, RequestId, Seq, Strays, UnixMillis, Usage,
};

use crate::reading;

/// Who holds a session, in `--json` output.
#[derive(Debug, Serialize)]
pub(crate) struct Told<'a> {
    /// `idle`, `active`, `released`, or `unreadable`.
    admission: &'static str,
    active: Option<Holding<'a>>,
    /// The claim of which nothing else can be read.
    unreadable_claim: Option<Seq>,
    /// Side effects of the active request of which nobody knows.
    indeterminate: Vec<Unknown<'a>>,
    /// The same of requests of the session that this one was forked from.
    inherited: Vec<Unknown<'a>>,
    strays: Option<Strays>,
}

/// The active request.
#[derive(Debug, Serialize)]
struct Holding<'a> {
    request: &'a RequestId,
    claim: Seq,
    since: UnixMillis,
    holder: Option<&'a str>,
    usage: &'a Usage,
    checkpoint: Option<u64>,
    approvals: Vec<Leave<'a>>,
}

/// A side effect of which nobody knows whether it happened.
#[derive(Debug, Serialize)]
struct Unknown<'a> {
    action: &'a Name,
    name: &'a Name,
    seq: Seq,
    /// The claim under which it was intended; none where a fork has inherited it.
    claim: Option<Seq>,
}

/// Leave that was asked for.
#[derive(Debug, Serialize)]
struct Leave<'a> {
    id: &'a Name,
    action: &'a Name,
    seq: Seq,
    /// `pending`, `allowed`, `denied`, or `used`.
    state: &'static str,
}

impl<'a> Told<'a> {
    /// What is known of a session.
    pub(crate) fn of(info: &'a Info) -> Self {
        let active = info.active();
        Self {
            admission: match (active, info.unreadable_claim) {
                (Some(active), _) if active.released => "released",
                (Some(_), _) => "active",
                (None, Some(_)) => "unreadable",
                (None, None) => "idle",
            },
            active: active.map(Holding::of),
            unreadable_claim: info.unreadable_claim,
            indeterminate: active.map(unknown).unwrap_or_default(),
            inherited: info.inherited.iter().map(Unknown::inherited).collect(),
            strays: info.strays,
        }
    }

    /// The same for people.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![("admission", self.standing())];
        if let Some(active) = &self.active {
            if !active.usage.is_empty() {
                let used = active.usage.iter().map(|(name, amount)| format!("{name}={amount}"));
                let used: Vec<String> = used.collect();
                rows.push(("usage", reading::visible(&used.join(", "))));
            }
            let pending = active.approvals.iter().filter(|leave| leave.state == "pending");
            rows.extend(pending.map(|leave| {
                let text = format!("{} for {} at {}", leave.id, leave.action, leave.seq);
                ("awaits leave", reading::visible(&text))
            }));
        }
        rows.extend(self.indeterminate.iter().map(|it| ("outcome unknown", it.text())));
        let inherited = self.inherited.iter();
        rows.extend(inherited.map(|it| ("inherited", format!("outcome unknown: {}", it.text()))));
        rows.extend(self.strays.map(|Strays { count, first, last, .. }| {
            let count = reading::counted(count, "entry", "entries");
            ("strays", format!("{count} of owners that were fenced, from {first} to {last}"))
        }));
        rows
    }

    fn standing(&self) -> String {
        let Some(Holding { request, claim, since, holder, .. }) = &self.active else {
            return match self.unreadable_claim {
                Some(claim) => format!("claim {claim} holds it and can't be read"),
                None => self.admission.to_owned(),
            };
        };
        let by = holder.map(|label| format!(", by {}", reading::visible(label)));
        let by = by.unwrap_or_default();
        let since = reading::time(*since);
        let standing = self.admission;
        format!("{standing}: request {request}, claim {claim}, since {since}{by}")
    }
}

impl<'a> Holding<'a> {
    fn of(active: &'a Active) -> Self {
        Self {
            request: &active.request,
            claim: active.claim,
            since: active.since,
            holder: active.holder.as_deref(),
            usage: &active.usage,
            checkpoint: active.checkpoint.as_ref().map(|last| last.number),
            approvals: active.approvals.iter().map(Leave::of).collect(),
        }
    }
}

impl<'a> Unknown<'a> {
    fn of((action, intended): (&'a Name, &'a Intended)) -> Self {
        let Intended { seq, claim, name, .. } = intended;
        Self { action, name, seq: *seq, claim: Some(*claim) }
    }

    fn inherited(inherited: &'a Inherited) -> Self {
        let Inherited { seq, action, name, .. } = inherited;
        Self { action, name, seq: *seq, claim: None }
    }

    fn text(&self) -> String {
        let claim = self.claim.map(|claim| format!(", under claim {claim}")).unwrap_or_default();
        reading::visible(&format!("{} ({}) at {}{claim}", self.name, self.action, self.seq))
    }
}

impl<'a> Leave<'a> {
    fn of((id, asked): (&'a Name, &'a Asked)) -> Self {
        let state = match (asked.used_by, asked.decided) {
            (Some(_), _) => "used",
            (None, Some(decided)) if decided.allow => "allowed",
            (None, Some(_)) => "denied",
            (None, None) => "pending",
        };
        Self { id, action: &asked.action, seq: asked.seq, state }
    }
}

fn unknown(active: &Active) -> Vec<Unknown<'_>> {
    active.indeterminate().map(Unknown::of).collect()
}

/// What to tell people of side effects of a request of which nobody knows; none if there are none.
pub(crate) fn warning(active: &Active) -> Option<String> {
    let unknown: Vec<String> = unknown(active).iter().map(Unknown::text).collect();
    (!unknown.is_empty()).then(|| {
        let unknown = unknown.join(", ");
        format!("nobody knows what came of {unknown}: look at what it acts on")
    })
}
