//! Values of flags and arguments, as they are given on the command line.
//!
//! A value is told by the name of its flag, never by its text: it may be anything, a secret
//! included.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use sessile::{Cursor, Error, Filter, Limits, Name, Position, Seq};

use crate::failure::Failure;

/// An id or a name.
pub(crate) fn id<T: FromStr<Err = Error>>(text: &str, flag: &str) -> Result<T, Failure> {
    text.parse().map_err(|error: Error| error.about(flag).into())
}

/// Text that must be a name.
pub(crate) fn name(text: String, flag: &str) -> Result<String, Failure> {
    id::<Name>(&text, flag).map(|_| text)
}

/// The sessions of a project, an owner and a tag, as far as these are given.
pub(crate) fn filter(
    project: Option<String>,
    owner: Option<String>,
    tag: Option<String>,
) -> Result<Filter, Failure> {
    let mut filter = Filter::all();
    if let Some(project) = project {
        filter = filter.project(name(project, "--project")?);
    }
    if let Some(owner) = owner {
        filter = filter.owner(name(owner, "--owner")?);
    }
    if let Some(tag) = tag {
        filter = filter.tag(name(tag, "--tag")?);
    }
    Ok(filter)
}

/// One of a few words that the library knows.
pub(crate) fn word<T: FromStr<Err = Error>>(
    text: &str,
    flag: &'static str,
    all: &[impl Display],
) -> Result<T, Failure> {
    text.parse().map_err(|_: Error| {
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        Failure::usage(flag, "it is none that is known", format!("one of: {}", all.join(", ")))
    })
}

/// The number of an entry.
pub(crate) fn seq(number: u64, flag: &'static str) -> Result<Seq, Failure> {
    Seq::new(number).ok_or_else(|| {
        let hint = "`sessile show ID --events` tells the numbers that there are";
        Failure::usage(flag, "an entry has a number below 2^53 - 1", hint)
    })
}

/// Where a journal ends.
pub(crate) fn position(number: u64, flag: &'static str) -> Result<Position, Failure> {
    Position::new(number).ok_or_else(|| {
        let hint = "`sessile info ID` tells the position";
        Failure::usage(flag, "a position is below 2^53", hint)
    })
}

/// Where a page begins.
pub(crate) fn cursor(text: &str, flag: &'static str) -> Result<Cursor, Failure> {
    text.parse().map_err(|error: Error| {
        let hint = "take the one that the page before ended with, or leave it out to begin anew";
        Failure::usage(flag, error.clause(), hint)
    })
}

/// How many of something, at least one.
pub(crate) fn count(number: usize, flag: &'static str) -> Result<usize, Failure> {
    if number == 0 {
        return Err(Failure::usage(
            flag,
            "0 of something is nothing to show",
            "ask for at least 1",
        ));
    }
    Ok(number)
}

/// How many rows a page has.
pub(crate) fn rows(number: usize, flag: &'static str) -> Result<usize, Failure> {
    let most = Limits::default().page_rows;
    if number > most {
        let clause = format!("a page has at most {most} rows");
        return Err(Failure::usage(flag, clause, "--after goes on after a page"));
    }
    count(number, flag)
}

/// How old something is: a number and a unit.
pub(crate) fn age(text: &str, flag: &'static str) -> Result<Duration, Failure> {
    let read = || {
        let (split, unit) = text.char_indices().next_back()?;
        let number: u64 = text.get(..split)?.parse().ok()?;
        let seconds: u64 = match unit {
            's' => 1,
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            'w' => 7 * 24 * 60 * 60,
            _ => return None,
        };
        number.checked_mul(seconds).filter(|seconds| *seconds > 0).map(Duration::from_secs)
    };
    read().ok_or_else(|| {
        let hint = "a number above 0 and s, m, h, d or w, as in 30d";
        Failure::usage(flag, "it is no age", hint)
    })
}
