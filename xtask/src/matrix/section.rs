//! The parts of the page that are generated.

use anyhow::Context as _;

const BEGIN: &str = "<!-- The table is written by `cargo xtask matrix --write`. -->\n";
const END: &str = "<!-- Here it ends. -->\n";

/// The page with other texts between its pairs of marks, one after the other.
pub(super) fn replaced(page: &str, texts: &[String]) -> anyhow::Result<String> {
    let (mut done, mut rest) = (String::new(), page);
    for text in texts {
        let (before, begun) = rest
            .split_once(BEGIN)
            .with_context(|| format!("the page lacks a line `{}`", BEGIN.trim_end()))?;
        let (_, after) = begun
            .split_once(END)
            .with_context(|| format!("the page lacks a line `{}`", END.trim_end()))?;
        done.extend([before, BEGIN, "\n", text, "\n", END]);
        rest = after;
    }
    Ok(done + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = format!("a\n{BEGIN}old\n{END}b\n{BEGIN}{END}c\n");
        let texts = ["new\n".to_owned(), "newer\n".to_owned()];
        let once = replaced(&page, &texts).unwrap();
        assert_eq!(once, format!("a\n{BEGIN}\nnew\n\n{END}b\n{BEGIN}\nnewer\n\n{END}c\n"));
        assert_eq!(replaced(&once, &texts).unwrap(), once);
    }

    #[test]
    fn a_page_without_marks_is_refused() {
        let texts = ["x".to_owned()];
        assert!(replaced(BEGIN, &texts).is_err());
        assert!(replaced(END, &texts).is_err());
        let one = format!("{BEGIN}{END}");
        assert!(replaced(&one, &[texts, ["y".to_owned()]].concat()).is_err());
    }
}
