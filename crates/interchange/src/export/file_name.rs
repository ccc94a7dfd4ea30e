//! The name of a file that a session is exported to.

use sessile_core::digest::Digest;
use sessile_core::{SessionId, Space};

use crate::export::form::ExportFormat;

/// The most bytes of a title within a name. Filesystems take 255 of the whole, and some of them
/// count more bytes than there are, because they take letters apart.
const MAX_TITLE_BYTES: usize = 120;

/// How many hex digits tell sessions of one title apart.
const DIGITS: usize = 16;

/// A name for the file that a session is exported to.
///
/// It begins with the title and is safe on every common filesystem, whatever the title holds: at
/// most 255 bytes, no separator, no reserved name, no dot but the one before the ending. Two
/// sessions never get the same name, also where a filesystem merges upper and lower case; the
/// same session always does.
///
/// # Examples
/// ```
/// use sessile_interchange::{ExportFormat, file_name};
///
/// let (space, id) = ("default".parse()?, "ses_1".parse()?);
/// let name = file_name(Some("../Fix: the parser."), &space, &id, ExportFormat::Markdown);
/// assert!(name.starts_with("Fix_ the parser-") && name.ends_with(".md"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
pub fn file_name(title: Option<&str>, space: &Space, id: &SessionId, form: ExportFormat) -> String {
    let parts = ["sessile export", space.as_str(), id.as_str()];
    let digest = Digest::of_parts(parts.map(str::as_bytes)).to_string();
    let digits = digest.get(..DIGITS).unwrap_or(&digest);
    let title = safe(title.unwrap_or_default());
    let title = if title.is_empty() { "session" } else { &title };
    format!("{title}-{digits}.{}", form.extension())
}

/// The letters, digits and spaces of a title; one mark stands for each run of others.
fn safe(title: &str) -> String {
    let mut name = String::new();
    for letter in title.chars() {
        let letter = match letter {
            _ if letter.is_alphanumeric() || letter == '-' => letter,
            _ if letter.is_whitespace() => ' ',
            _ => '_',
        };
        let is_repeated = !letter.is_alphanumeric() && name.ends_with(letter);
        if name.len() + letter.len_utf8() > MAX_TITLE_BYTES {
            break;
        }
        if !is_repeated {
            name.push(letter);
        }
    }
    // A name that begins with a dash is an option to many programs.
    name.trim_matches([' ', '_', '-']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(title: &str) -> String {
        let (space, id) = ("default".parse().unwrap(), "ses_1".parse().unwrap());
        file_name(Some(title), &space, &id, ExportFormat::Markdown)
    }

    #[test]
    fn titles_of_every_kind_make_safe_names() {
        let digits = name("").strip_prefix("session-").unwrap().to_owned();
        for (title, begins) in [
            ("Fix the parser", "Fix the parser"),
            ("../x", "x"),
            ("a/b\\c", "a_b_c"),
            ("CON", "CON"),
            ("con.txt", "con_txt"),
            ("", "session"),
            ("....", "session"),
            (" \t\n", "session"),
            ("-rf", "rf"),
            ("a\0b\u{202e}c", "a_b_c"),
            ("Grüße 日本", "Grüße 日本"),
        ] {
            assert_eq!(name(title), format!("{begins}-{digits}"), "{title:?}");
        }
        assert!(name(&"x".repeat(300)).len() <= 255);
        assert_eq!(name(&"日".repeat(100)), format!("{}-{digits}", "日".repeat(40)));
    }

    #[test]
    fn two_sessions_of_one_title_have_two_names() {
        let of = |space: &str, id: &str| {
            let (space, id) = (space.parse().unwrap(), id.parse().unwrap());
            file_name(Some("t"), &space, &id, ExportFormat::Markdown).to_lowercase()
        };
        let names = [of("s", "a"), of("s", "A"), of("t", "a"), of("s", "b")];
        for (index, one) in names.iter().enumerate() {
            assert!(names.iter().skip(index + 1).all(|other| other != one));
        }
    }

    proptest! {
        #[test]
        fn any_title_makes_a_safe_name(title in any::<String>()) {
            let name = name(&title);
            prop_assert!(name.len() <= 255);
            prop_assert_eq!(name.split_once('.').map(|(_, ending)| ending), Some("md"));
            prop_assert!(!name.starts_with(['.', '-', ' ']));
            prop_assert_eq!(name.matches('.').count(), 1);
            prop_assert!(!name.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|', '\0']));
            prop_assert!(!name.chars().any(char::is_control));
        }
    }
}
