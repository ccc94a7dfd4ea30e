//! Finding a place before what was folded, from state to state.

use sessile_core::backend::Span;
use sessile_core::fold::{Mark, Marks};
use sessile_core::{Error, Seq};

use crate::resident::Resident;

/// The last mark that stands before what is looked for, where the marks at hand lead back to the
/// beginning of the journal only.
///
/// The states say where those before them stand, so that few of them are read. One that can't be
/// used makes the mark a worse one, and never a wrong one.
///
/// # Errors
/// Those of reading but for damage.
pub(crate) async fn closest(
    resident: &Resident,
    at_hand: Mark,
    is_before: impl Fn(&Mark) -> bool,
) -> Result<Mark, Error> {
    if at_hand != Mark::START {
        return Ok(at_hand);
    }
    let (mut marks, hidden) = {
        let folded = resident.folded();
        (folded.state().marks().clone(), folded.state().sight().hidden().clone())
    };
    // Of what a rewind hides the count was another.
    let is_before = |mark: &Mark| !hidden.is_rewound(mark.seq) && is_before(mark);
    loop {
        let closest = marks.iter().find(is_before).unwrap_or(Mark::START);
        let Some(beyond) = marks.iter().take_while(|mark| !is_before(mark)).last() else {
            return Ok(closest);
        };
        match marks_of(resident, beyond.seq).await? {
            Some(earlier) => marks = earlier,
            None => return Ok(closest),
        }
    }
}

/// The marks that the state with a number has.
async fn marks_of(resident: &Resident, state: Seq) -> Result<Option<Marks>, Error> {
    let opened = resident.opened();
    let mut commits = opened.read(resident.key(), Span::From(state)).await?;
    match opened.next(&mut commits).await {
        Some(Ok(commit)) if commit.state == Some(state) => Ok(Marks::of(&commit)),
        Some(Err(error)) if error.damage().is_none() => Err(error.about(resident.key())),
        _ => Ok(None),
    }
}
