//! What opening a session tells of what is not served.

use std::fmt;

use sessile_core::backend::SetAside;
use sessile_core::entry::shape::Lost;
use sessile_core::error::DamagePlace;
use sessile_core::{Position, Seq, SessionId};

/// What was kept of a session, what was set aside, where, and why.
///
/// `Display` says it to people in one line.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Receipt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// // Where all was as it should be there is none.
/// let again = store.open_session("ses_42").await?;
/// let receipt: Option<Receipt> = again.receipt();
/// assert!(receipt.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// The session.
    pub session: SessionId,
    /// How many entries can be read.
    pub entries: u64,
    /// Where they end.
    pub position: Position,
    /// Torn tails. One that nothing keeps yet stands at the end of the journal until the next
    /// append sets it aside.
    ///
    /// A tail is what a crash leaves of a write that nobody was told of. After a power cut it may
    /// also hold the last commits that were acknowledged: from the journal alone the two can't be
    /// told apart.
    pub set_aside: Vec<SetAside>,
    /// Damage to what was acknowledged: what lies there is not served, and reading across it is
    /// refused.
    pub damage: Vec<DamagePlace>,
    /// What could not be read when the session was forked, and so is not here.
    pub lost: Vec<Lost>,
    /// Derived states that are not what they should be. Nothing is lost by it: what they said was
    /// found out from other entries.
    pub passed_over: Vec<Seq>,
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: kept {} entries up to position {}",
            self.session, self.entries, self.position
        )?;
        for SetAside { offset, bytes, reason, kept_at } in &self.set_aside {
            let why = format_args!("({reason}; possibly acknowledged)");
            match kept_at {
                Some(place) => write!(
                    f,
                    "; set aside {bytes} bytes at offset {offset} {why}, kept at {place}"
                )?,
                None => write!(
                    f,
                    "; {bytes} bytes at offset {offset} are not served {why}, the next append \
                     sets them aside"
                )?,
            }
        }
        for DamagePlace { seq, offset } in &self.damage {
            write!(f, "; damaged from entry {seq} at offset {offset} on")?;
        }
        for Lost { from, to } in &self.lost {
            write!(f, "; entries {from} to {to} could not be read when it was forked")?;
        }
        for seq in &self.passed_over {
            write!(f, "; passed over the derived state {seq}, nothing is lost by it")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_was_kept_and_what_was_not() {
        let aside = |kept_at: Option<&str>| SetAside {
            offset: 311,
            bytes: 17,
            reason: "its commit is not closed".to_owned(),
            kept_at: kept_at.map(str::to_owned),
        };
        let receipt = Receipt {
            session: "ses_1".parse().unwrap(),
            entries: 4,
            position: Position::new(5).unwrap(),
            set_aside: vec![aside(Some("ses_1.torn-1")), aside(None)],
            damage: vec![DamagePlace { seq: Seq::new(2).unwrap(), offset: 90 }],
            lost: vec![Lost { from: Seq::new(1).unwrap(), to: Seq::new(1).unwrap() }],
            passed_over: vec![Seq::new(3).unwrap()],
        };
        assert_eq!(
            receipt.to_string(),
            "ses_1: kept 4 entries up to position 5; \
             set aside 17 bytes at offset 311 (its commit is not closed; possibly acknowledged), \
             kept at ses_1.torn-1; \
             17 bytes at offset 311 are not served (its commit is not closed; possibly \
             acknowledged), the next append sets them aside; \
             damaged from entry 2 at offset 90 on; \
             entries 1 to 1 could not be read when it was forked; \
             passed over the derived state 3, nothing is lost by it"
        );
    }
}
