//! The title of a session that nobody gave one.

/// The title where there is no prompt to take one from.
pub const UNTITLED: &str = "New session";

/// The most characters that a title made from a prompt has.
const MAX_CHARACTERS: usize = 60;

/// Makes a title from a prompt: its first line that is not blank, trimmed, and cut after 60
/// characters.
pub fn title_from_prompt(prompt: &str) -> String {
    prompt
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map_or_else(|| UNTITLED.to_owned(), |line| line.chars().take(MAX_CHARACTERS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_says_something_is_the_title() {
        assert_eq!(title_from_prompt("\r\n \t\n  Fix the\tbug \nplease"), "Fix the\tbug");
        assert_eq!(title_from_prompt("one"), "one");
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let long = "é".repeat(61);
        assert_eq!(title_from_prompt(&long), "é".repeat(60));
        assert_eq!(title_from_prompt(&"é".repeat(60)), "é".repeat(60));
    }

    #[test]
    fn a_blank_prompt_has_the_title_of_none() {
        for blank in ["", " ", "\n\r\n\t\u{a0}"] {
            assert_eq!(title_from_prompt(blank), "New session");
        }
    }
}
