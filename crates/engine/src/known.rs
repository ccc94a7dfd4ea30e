//! What is kept of a session that is cold: its header, what it came to, and nothing to fold on.

use sessile_core::backend::SetAside;
use sessile_core::{Position, Seq};

use crate::findings::Findings;
use crate::folded::Folded;
use crate::info::Info;
use crate::receipt::Receipt;

/// A session as it was when it was last read.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    info: Box<Info>,
    /// None where there is nothing to tell of.
    findings: Option<Box<Findings>>,
}

impl Known {
    /// What a fold tells.
    pub(crate) fn of(folded: &Folded) -> Self {
        Self { info: Box::new(Info::of(folded)), findings: folded.findings().map(Box::new) }
    }

    /// The session.
    pub(crate) fn info(&self) -> &Info {
        &self.info
    }

    /// Where its journal ended.
    pub(crate) fn position(&self) -> Position {
        self.info.position
    }

    /// What there is to tell to whoever has opened it at a position.
    pub(crate) fn receipt(&self, opened_at: Position) -> Option<Receipt> {
        self.findings.as_ref()?.receipt(&self.info.header.id, opened_at)
    }

    /// What was set aside, by the entries that tell of it.
    pub(crate) fn repaired(&self) -> &[(Seq, SetAside)] {
        self.findings.as_ref().map_or(&[], |findings| &findings.repaired)
    }
}
