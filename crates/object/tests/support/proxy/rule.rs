//! Which requests meet a fault, and which fault.

use std::time::Duration;

use crate::support::http::Request;

/// What is done to a request, or to its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The server never sees the request, and the client learns this of it.
    Unseen(Loss),
    /// The server does what is asked, and of its answer the client learns this.
    Unanswered(Loss),
    /// The request is held until [`Proxy::release`](crate::support::proxy::Proxy::release), also
    /// when the client has given up.
    Held,
    /// The request waits before anything is done with it, also when the client has given up.
    Delayed(Duration),
    /// Of a list the client gets the first entries, as if there were no more.
    Shortened(usize),
    /// Of a list the client gets the first entries, and the rest when it asks for more.
    Paged(usize),
}

/// What a client learns of an answer that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The connection is closed.
    Close,
    /// The connection is reset.
    Reset,
    /// Nothing comes until the client gives up.
    Hang,
    /// The first half of the answer comes, then the connection is closed.
    Half,
    /// Another answer comes, of this status.
    Status(u16),
}

/// A fault, and the requests that meet it: some of those of a method whose target has a part.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    method: &'static str,
    part: String,
    passes: usize,
    times: usize,
    fault: Fault,
}

impl Rule {
    /// The fault for the first such request; an empty part is in every target.
    pub(crate) fn on(method: &'static str, part: impl Into<String>, fault: Fault) -> Self {
        Self { method, part: part.into(), passes: 0, times: 1, fault }
    }

    /// The same rule when this many such requests have passed.
    pub(crate) fn after(self, passes: usize) -> Self {
        Self { passes, ..self }
    }

    /// The same rule for so many such requests.
    pub(crate) fn times(self, times: usize) -> Self {
        Self { times, ..self }
    }

    /// The same rule for every such request from there on.
    pub(crate) fn always(self) -> Self {
        self.times(usize::MAX)
    }

    /// The fault that a request meets by this rule, which counts it.
    pub(super) fn meets(&mut self, request: &Request) -> Option<Fault> {
        if request.method != self.method || !request.target.contains(&self.part) {
            return None;
        }
        if self.passes > 0 {
            self.passes -= 1;
            return None;
        }
        self.times = self.times.checked_sub(1)?;
        Some(self.fault)
    }
}
