//! The part of the page that is generated.

use anyhow::Context as _;

const BEGIN: &str = "<!-- The table is written by `cargo xtask matrix --write`. -->\n";
const END: &str = "<!-- Here it ends. -->\n";

/// The page with another text between its two marks.
pub(super) fn replaced(page: &str, text: &str) -> anyhow::Result<String> {
    let (before, rest) = page
        .split_once(BEGIN)
        .with_context(|| format!("the page has no line `{}`", BEGIN.trim_end()))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("the page has no line `{}`", END.trim_end()))?;
    Ok(format!("{before}{BEGIN}\n{text}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = format!("a\n{BEGIN}old\n{END}b\n");
        let once = replaced(&page, "new\n").unwrap();
        assert_eq!(once, format!("a\n{BEGIN}\nnew\n\n{END}b\n"));
        assert_eq!(replaced(&once, "new\n").unwrap(), once);
    }

    #[test]
    fn a_page_without_marks_is_refused() {
        assert!(replaced(BEGIN, "x").is_err());
        assert!(replaced(END, "x").is_err());
    }
}
