//! The page, read.
//!
//! A row is an item of a list, over several lines if need be:
//!
//! ```text
//! - **records/14** What it says. *held by* `group/case`, `crate::module::test`
//! - **records/26** What it says. *pending*: what it waits for; so far `group/case`
//! - **CLK-1** What it says. *does not apply*: the reason
//! ```

/// The rows of the page, and what can't be read as one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) rows: Vec<Row>,
    /// A line and what is wrong there.
    pub(super) unreadable: Vec<(usize, String)>,
}

/// A statement and what is said of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Counted from one.
    pub(super) line: usize,
    pub(super) tag: String,
    pub(super) verdict: Verdict,
}

/// What is said of a statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Tests assert it.
    HeldBy(Vec<String>),
    /// It needs what is not there yet; these tests assert some of it.
    Pending(Vec<String>),
    /// There is nothing to hold.
    DoesNotApply,
}

impl Verdict {
    /// The tests that are named.
    pub(super) fn names(&self) -> &[String] {
        match self {
            Self::HeldBy(names) | Self::Pending(names) => names,
            Self::DoesNotApply => &[],
        }
    }
}

/// What begins a row.
const ITEM: &str = "- **";

/// What stands before the names in a row that is held, and elsewhere before a reason.
const MARKS: [&str; 3] = ["*held by* ", "*pending*: ", "*does not apply*: "];

/// What stands before the names in a row that is pending.
const SO_FAR: &str = "; so far ";

/// Reads the page; what is no row is prose.
pub(super) fn read(text: &str) -> Page {
    let mut items: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with(ITEM) {
            items.push((number, line.to_owned()));
            inside = true;
        } else if let (true, Some(more), Some((_, item))) =
            (inside, line.strip_prefix("  "), items.last_mut())
        {
            item.push(' ');
            item.push_str(more);
        } else {
            inside = false;
        }
    }
    let mut page = Page::default();
    for (line, item) in items {
        match row(&item) {
            Ok((tag, verdict)) => page.rows.push(Row { line, tag, verdict }),
            Err(reason) => page.unreadable.push((line, reason)),
        }
    }
    page
}

fn row(item: &str) -> Result<(String, Verdict), String> {
    let (tag, said) = item
        .strip_prefix(ITEM)
        .and_then(|item| item.split_once("** "))
        .ok_or("a row begins with its tag between two pairs of stars, and says something")?;
    let found: Vec<(&str, usize)> =
        MARKS.iter().flat_map(|mark| said.match_indices(mark).map(|(at, _)| (*mark, at))).collect();
    let [(mark, at)] = found[..] else {
        let all = MARKS.map(str::trim_end).join("`, `");
        return Err(format!("{tag} must have exactly one of `{all}`, and has {}", found.len()));
    };
    let (statement, rest) = said.split_at_checked(at).unwrap_or((said, ""));
    if statement.trim().is_empty() {
        return Err(format!("{tag} does not say what is to hold"));
    }
    let rest = rest.strip_prefix(mark).unwrap_or_default().trim();
    if rest.is_empty() {
        return Err(format!("{tag}: nothing follows `{}`", mark.trim_end()));
    }
    let verdict = match mark {
        "*held by* " => Verdict::HeldBy(names(tag, rest)?),
        "*pending*: " => match rest.split_once(SO_FAR) {
            Some((_, so_far)) => Verdict::Pending(names(tag, so_far)?),
            None => Verdict::Pending(Vec::new()),
        },
        _ => Verdict::DoesNotApply,
    };
    Ok((tag.to_owned(), verdict))
}

/// Reads a list of names, each between back ticks.
fn names(tag: &str, text: &str) -> Result<Vec<String>, String> {
    text.split(", ")
        .map(|name| {
            let bare = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
            let bare = bare.filter(|bare| !bare.is_empty() && !bare.contains([' ', '`']));
            bare.map(str::to_owned).ok_or_else(|| format!("{tag}: {name} is no name of a test"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(item: &str) -> String {
        let page = read(item);
        assert_eq!(page.rows, []);
        page.unreadable.into_iter().map(|(_, reason)| reason).collect()
    }

    #[test]
    fn rows_are_read_with_what_they_say() {
        let page = read(
            "# Title\n\nText with *held by* in it.\n\n\
             - **records/1** One\n  line. *held by* `a/b`,\n  `c::d`\n\
             - **TORN-1** Two. *pending*: later; so far `a/c`\n\
             - **TORN-2** Three. *pending*: later\n\n  not a row\n\
             - **CLK-1** Four. *does not apply*: a reason\n",
        );
        assert_eq!(page.unreadable, []);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let rows = [
            (5, "records/1", Verdict::HeldBy(names(&["a/b", "c::d"]))),
            (8, "TORN-1", Verdict::Pending(names(&["a/c"]))),
            (9, "TORN-2", Verdict::Pending(Vec::new())),
            (12, "CLK-1", Verdict::DoesNotApply),
        ];
        let rows = rows.map(|(line, tag, verdict)| Row { line, tag: tag.to_owned(), verdict });
        assert_eq!(page.rows, rows);
    }

    #[test]
    fn a_row_without_a_verdict_or_with_two_is_refused() {
        assert!(refusal("- **ID-1** It holds.").contains("has 0"));
        let two = refusal("- **ID-1** It. *held by* `a/b` *pending*: later");
        assert!(two.contains("has 2"), "{two}");
    }

    #[test]
    fn a_row_that_says_nothing_is_refused() {
        assert!(refusal("- **ID-1** *pending*: later").contains("does not say"));
        assert!(refusal("- **ID-1**").contains("begins with its tag"));
        assert!(refusal("- **ID-1** It. *pending*: ").contains("nothing follows"));
    }

    #[test]
    fn what_is_no_list_of_names_is_refused() {
        for names in ["a/b", "`a/b` and more", "`a b`", "`a/b`, ", "``"] {
            let refusal = refusal(&format!("- **ID-1** It. *held by* {names}"));
            assert!(refusal.contains("is no name"), "{names}: {refusal}");
        }
    }
}
