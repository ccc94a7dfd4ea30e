//! The objects that tell where a log ends, asked for at once.

use futures_util::future::{try_join_all, try_join4};
use sessile_core::Error;

use crate::client::{Client, Object};
use crate::keys::SessionKeys;
use crate::mark;
use crate::piece;
use crate::survey::Survey;

/// How many objects behind the merged ranges are asked for by name at most, while they are listed.
const MOST_AHEAD: u64 = 33;

/// How many objects before the last one are asked for at most.
const MOST_BACK: u64 = 8;

/// The objects at the end of a log.
#[derive(Debug)]
pub(crate) struct Ends {
    /// The first object of the log.
    pub(crate) first: Option<Object>,
    /// The number of the first of the others.
    from: u64,
    objects: Vec<Option<Object>>,
    /// The mark, which was read after the log was listed as far as there are notices in it.
    pub(crate) masked: String,
}

impl Ends {
    /// Reads the last two objects of a journal that a list shows and the one behind, which it may have been cut
    /// before, and adds to what the list shows what it left to be asked for.
    ///
    /// # Errors
    /// *unavailable*, *permission*.
    pub(crate) async fn of(
        client: &Client,
        keys: &SessionKeys,
        survey: &mut Survey,
    ) -> Result<Self, Error> {
        let last = survey.last.unwrap_or(0);
        // Behind a mask the last ones are notices.
        let two = last.saturating_sub(1);
        let before = survey.before.filter(|before| last - before <= MOST_BACK).unwrap_or(two);
        let from = before.min(two).max(1);
        // As many as there are mostly, so that they need not be listed first.
        let every = client.options().merge_every;
        let ahead = if survey.jumped { (every + 1).min(MOST_AHEAD) } else { 1 };
        let until = last.saturating_add(ahead);
        let objects =
            (from..=until).map(|number| async move { client.get(&keys.log(number)).await });
        let is_jump = survey.jumped;
        let behind = async {
            if is_jump { Survey::behind(client, keys, last).await } else { Ok(Survey::default()) }
        };
        let first = keys.log(0);
        let (first, objects, masked, behind) =
            try_join4(client.get(&first), try_join_all(objects), mark::read(client, keys), behind)
                .await?;
        let ends = Self { first, from, objects, masked };
        if is_jump {
            if ends.at(last).is_none() {
                // There is less than the ranges say.
                *survey = Survey::of_all(client, keys).await?;
                return Box::pin(Self::of(client, keys, survey)).await;
            }
            survey.go_on(&behind);
            let end = survey.last.unwrap_or(last);
            // A notice that was listed by then may be newer than the mark.
            let is_older = |number| ends.at(number).is_some_and(|it| !piece::is_notice(&it.bytes));
            if end >= until || !(last + 1..=end).all(is_older) {
                return Box::pin(Self::of(client, keys, survey)).await;
            }
        }
        Ok(ends)
    }

    /// The object of a number, if it was asked for and is there.
    pub(crate) fn at(&self, number: u64) -> Option<&Object> {
        if number == 0 {
            return self.first.as_ref();
        }
        let at = usize::try_from(number.checked_sub(self.from)?).ok()?;
        self.objects.get(at)?.as_ref()
    }

    /// The last object of the journal up to a number, which is no notice; none where that is not
    /// at hand.
    pub(crate) fn last_up_to(&self, number: u64) -> Option<(u64, &Object)> {
        let mut number = number;
        loop {
            let object = self.at(number)?;
            if !piece::is_notice(&object.bytes) {
                return Some((number, object));
            }
            number = number.checked_sub(1)?;
        }
    }

    /// All objects that are there, by their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, &Object)> {
        let others = (self.from..).zip(&self.objects);
        let all = std::iter::once((0, &self.first)).chain(others);
        all.filter_map(|(number, object)| Some((number, object.as_ref()?)))
    }
}
