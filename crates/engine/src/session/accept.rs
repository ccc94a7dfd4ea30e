//! Letting a session go on under another identity.

use serde::{Deserialize, Serialize};
use sessile_core::entry::shape::AcceptedIdentity;
use sessile_core::{EntryType, Error, Seq, Text};

use super::handle::Session;
use super::planned::{Plan, Planned};
use crate::append::{Append, Committed};
use crate::identity::{self, Differences, Expected};
use crate::info::Info;
use crate::mutation;
use crate::reading::Seen;
use crate::resident::Resident;

impl Session {
    /// Tells in what the session's identity is not the one that a run expects; reads what others
    /// have added, and writes nothing.
    ///
    /// # Errors
    /// *refused* for values without JSON form; *corrupt* where the record of what was accepted
    /// can't be read; *missing*, *deleted*, *unavailable*, *deadline*, *permission*.
    pub async fn differences(&self, expected: &Expected) -> Result<Differences, Error> {
        let resident = self.at_hand().await?;
        resident.catch_up().await?;
        resident.refuse_deleted()?;
        let info = Info::of(&resident.folded());
        let compared = info.identity().and_then(|saved| expected.differences(&saved));
        compared.map_err(|error| error.about(self.key()))
    }

    /// Lets the session go on under another identity, by exactly the difference that was shown, and
    /// records both identities and who accepted it; none where nothing is left to be accepted.
    ///
    /// From then on the identity of a run is compared with what was accepted. What the session was
    /// created with stays in its header, which says also under which project it is listed. It needs
    /// no expected position: the difference names the values that it is accepted on, and accepting
    /// twice is accepting once. Closed sessions take it, and so do those that a request holds.
    ///
    /// # Errors
    /// *conflict* where a field is not any more what was shown; *corrupt* where the record of what
    /// was accepted can't be read; *refused* above a limit; *deleted*, *unavailable*, *deadline*,
    /// *permission*.
    pub async fn accept(
        &self,
        differences: &Differences,
        by: Option<Text>,
    ) -> Result<Option<Committed>, Error> {
        let accepting = Acceptance { differences: differences.clone(), by };
        let planned = Planned::new(Append::at_end(), accepting);
        let done = mutation::carry_out(&*self.admit_change().await?, planned).await?;
        Ok(done.map(|(committed, ())| committed))
    }
}

/// A difference that is accepted.
struct Acceptance {
    differences: Differences,
    by: Option<Text>,
}

/// The `meta` that records it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    #[serde(rename = "accepted-identity")]
    accepted: AcceptedIdentity,
}

impl Plan for Acceptance {
    type Shape = Recorded;
    type Told = ();

    const TYPE: EntryType = EntryType::Meta;

    async fn work_out(
        &self,
        resident: &Resident,
        _: &Seen,
    ) -> Result<Option<(Recorded, ())>, Error> {
        let saved = {
            let folded = resident.folded();
            identity::recorded(folded.state().header(), folded.state().meta())?
        };
        let Some(current) = self.differences.accepted_on(&saved)? else {
            return Ok(None);
        };
        let (at, by) = (resident.opened().now(), self.by.clone());
        Ok(Some((Recorded { accepted: AcceptedIdentity { at, by, saved, current } }, ())))
    }

    async fn recall(&self, _: &Resident, _: Seq, _: &Recorded) -> Result<Option<()>, Error> {
        // No caller names the commit, so that none is a repeat.
        Ok(None)
    }
}
