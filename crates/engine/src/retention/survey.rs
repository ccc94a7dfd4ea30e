//! Looking at every session that may be removed; it writes nothing.

use std::cmp::Reverse;
use std::sync::Arc;

use sessile_core::backend::{self, Gist, Recency, Scope};
use sessile_core::error::Occupant;
use sessile_core::fold::{Active, Lifecycle};
use sessile_core::{
    EntryType, Error, ErrorKind, Position, SessionId, SessionKey, Space, UnixMillis, header,
};

use super::policy::Rules;
use super::seen::{self, Course, Reach, Seen};
use super::verdict::{Judged, KeptBack, Verdict};
use crate::info::Info;
use crate::opened::Opened;

/// A session that the filter lets through.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) recency: Recency,
    pub(super) position: Position,
    pub(super) is_closed: bool,
    /// Why it is kept whatever its age; none if nothing speaks for it.
    protected: Option<KeptBack>,
    /// Whether it counts among the last so many.
    counts: bool,
}

/// What was seen of a space.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// What was judged, newest first.
    pub(super) judged: Vec<Judged>,
    /// What is to be removed, the least missed first: closed before active, oldest first. With it
    /// where it stands among those that were judged.
    pub(super) to_remove: Vec<(usize, Candidate)>,
}

/// Looks at every session of a space and judges it.
///
/// # Errors
/// Those of listing, and of reading where nothing can be read any more: then nobody knows which
/// the last ones are.
pub(super) async fn survey(
    opened: &Arc<Opened>,
    space: &Space,
    rules: &Rules,
) -> Result<Survey, Error> {
    let (mut candidates, mut unreadable) = (Vec::new(), Vec::new());
    let mut course = Course::new(opened, space, Scope::ALL);
    let mut reach = Reach::default();
    while let Some(Seen { key, seen }) = course.next().await? {
        let id = key.id.clone();
        let looked = match seen {
            Ok(seen) if seen.is_deleted() => continue,
            Ok(backend::Seen::Gist(gist)) => Ok(known(rules, id.clone(), &gist)),
            Ok(backend::Seen::Head(head)) => match header::read(&head.header) {
                Ok(header) if !rules.filter.scope().takes(&header) => continue,
                Ok(_) => look(opened, key, rules).await,
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        match looked {
            Ok(candidate) => {
                reach.answered();
                candidates.extend(candidate);
            }
            Err(error) if reach.is_lost_by(&error) => return Err(error),
            Err(error) => unreadable.push(Judged {
                id,
                updated_at: None,
                verdict: Verdict::Kept(KeptBack::Unreadable(error)),
            }),
        }
    }
    Ok(judge(rules, candidates, unreadable))
}

/// Looks at one session; none for one that the filter does not let through after all.
async fn look(
    opened: &Arc<Opened>,
    key: SessionKey,
    rules: &Rules,
) -> Result<Option<Candidate>, Error> {
    let id = key.id.clone();
    let Some(resident) = seen::living(opened, key).await? else {
        return Ok(None);
    };
    let folded = resident.folded();
    let (info, tags) = (Info::of(&folded), folded.state().meta().tags());
    let standing = Standing {
        updated_at: info.updated_at,
        position: info.position,
        lifecycle: info.lifecycle,
        damaged: info.damaged,
        incomplete: folded.state().is_incomplete(),
        occupant: info.active().map(Active::occupant),
        is_held: info.active.is_some() || info.unreadable_claim.is_some(),
    };
    if !rules.filter.takes(info.lifecycle, info.damaged, &tags) {
        return Ok(None);
    }
    // What a newer version has built, only that may end.
    folded.state().accepts(&EntryType::Delete)?;
    Ok(Some(standing.candidate(rules, id)))
}

/// What a gist tells of one session; none for one that the filter does not let through.
fn known(rules: &Rules, id: SessionId, gist: &Gist) -> Option<Candidate> {
    let filter = &rules.filter;
    if !filter.scope().takes_gist(gist) || !filter.takes(gist.lifecycle, gist.damaged, &gist.tags) {
        return None;
    }
    let standing = Standing {
        updated_at: gist.updated_at,
        position: gist.tip.position,
        lifecycle: gist.lifecycle,
        damaged: gist.damaged,
        incomplete: gist.incomplete,
        occupant: gist.occupant.clone(),
        is_held: gist.occupant.is_some(),
    };
    Some(standing.candidate(rules, id))
}

/// What a session is judged by.
struct Standing {
    updated_at: UnixMillis,
    position: Position,
    lifecycle: Lifecycle,
    damaged: bool,
    incomplete: bool,
    occupant: Option<Occupant>,
    is_held: bool,
}

impl Standing {
    fn candidate(self, rules: &Rules, id: SessionId) -> Candidate {
        let protected = if self.incomplete {
            Some(KeptBack::Incomplete)
        } else if self.is_held && !rules.even_held {
            Some(KeptBack::Held(self.occupant))
        } else if self.damaged && !rules.even_damaged {
            Some(KeptBack::Damaged)
        } else {
            None
        };
        Candidate {
            recency: Recency { updated_at: self.updated_at, id },
            position: self.position,
            is_closed: self.lifecycle == Lifecycle::Closed,
            protected,
            counts: !self.incomplete,
        }
    }
}

/// Judges every session by the rules.
fn judge(rules: &Rules, mut candidates: Vec<Candidate>, unreadable: Vec<Judged>) -> Survey {
    candidates.sort_by(|a, b| {
        let key = |it: &Candidate| Reverse(it.recency.updated_at);
        key(a).cmp(&key(b)).then_with(|| a.recency.id.cmp(&b.recency.id))
    });
    let mut survey = Survey::default();
    let mut counted = 0;
    for mut candidate in candidates {
        let is_last = candidate.counts && rules.keep_last.is_some_and(|last| counted < last);
        counted += usize::from(candidate.counts);
        let kept = if rules.is_off() {
            Some(KeptBack::Off)
        } else if rules.is_recent(candidate.recency.updated_at) {
            Some(KeptBack::Recent)
        } else if is_last {
            Some(KeptBack::AmongTheLast)
        } else {
            candidate.protected.take()
        };
        let verdict = kept.map_or(Verdict::Removed, Verdict::Kept);
        let is_removed = matches!(verdict, Verdict::Removed);
        survey.judged.push(Judged {
            id: candidate.recency.id.clone(),
            updated_at: Some(candidate.recency.updated_at),
            verdict,
        });
        if is_removed {
            survey.to_remove.push((survey.judged.len().saturating_sub(1), candidate));
        }
    }
    // Whatever stops it half-way, what is gone by then is what would be missed least.
    survey.to_remove.reverse();
    survey.to_remove.sort_by_key(|(_, candidate)| !candidate.is_closed);
    survey.judged.extend(unreadable);
    survey
}

/// Whether an error says that somebody added something meanwhile.
pub(super) fn is_changed(error: &Error) -> bool {
    error.kind() == ErrorKind::Conflict
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::retention::policy::Retention;

    fn candidate(id: &str, at: u64, is_closed: bool) -> Candidate {
        Candidate {
            recency: Recency { updated_at: UnixMillis(at), id: id.parse().unwrap() },
            position: Position::START,
            is_closed,
            protected: None,
            counts: true,
        }
    }

    fn removed(retention: &Retention, candidates: Vec<Candidate>) -> Vec<String> {
        let rules = retention.check(UnixMillis(1_000)).unwrap();
        let survey = judge(&rules, candidates, Vec::new());
        survey.to_remove.iter().map(|(_, it)| it.recency.id.to_string()).collect()
    }

    fn some() -> Vec<Candidate> {
        vec![
            candidate("a", 100, false),
            candidate("b", 900, true),
            candidate("c", 300, true),
            candidate("d", 300, false),
            candidate("e", 200, true),
        ]
    }

    #[test]
    fn what_is_both_old_and_none_of_the_last_goes_closed_ones_first_and_the_oldest_first() {
        let old = Retention::new().older_than(Duration::from_millis(500));
        assert_eq!(removed(&old, some()), ["e", "c", "a", "d"]);
        assert_eq!(removed(&old.clone().keep_last(3), some()), ["e", "a"]);
        assert_eq!(removed(&Retention::new().keep_last(2), some()), ["e", "a", "d"]);
        assert_eq!(removed(&old.keep_last(9), some()), [""; 0]);
        assert_eq!(removed(&Retention::new(), some()), [""; 0]);
    }

    #[test]
    fn what_is_protected_stays_and_counts_and_what_is_cut_short_does_not_count() {
        let mut candidates = some();
        for candidate in &mut candidates {
            if candidate.recency.id.as_str() == "d" {
                candidate.protected = Some(KeptBack::Damaged);
            }
            if candidate.recency.id.as_str() == "b" {
                candidate.counts = false;
                candidate.protected = Some(KeptBack::Incomplete);
            }
        }
        assert_eq!(removed(&Retention::new().keep_last(1), candidates), ["e", "a"]);
    }
}
