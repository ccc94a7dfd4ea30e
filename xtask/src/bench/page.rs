//! The part of the page that is generated.

use anyhow::Context as _;

const BEGIN: &str = "<!-- What follows is written by `cargo xtask bench --write`. -->\n";
const END: &str = "<!-- Here it ends. -->\n";

/// The page with other tables between its marks.
pub(super) fn replaced(page: &str, tables: &str) -> anyhow::Result<String> {
    let lacks = |mark: &str| format!("the page lacks a line `{}`", mark.trim_end());
    let (before, begun) = page.split_once(BEGIN).with_context(|| lacks(BEGIN))?;
    let (_, after) = begun.split_once(END).with_context(|| lacks(END))?;
    Ok([before, BEGIN, "\n", tables, END, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let once = replaced(&format!("a\n{BEGIN}old\n{END}b\n"), "new\n").unwrap();
        assert_eq!(once, format!("a\n{BEGIN}\nnew\n{END}b\n"));
        assert_eq!(replaced(&once, "new\n").unwrap(), once);
    }

    #[test]
    fn a_page_without_marks_is_refused() {
        assert!(replaced("a\n", "new\n").is_err());
        assert!(replaced(BEGIN, "new\n").is_err());
    }
}
