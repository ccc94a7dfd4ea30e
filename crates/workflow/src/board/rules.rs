//! What may be given to a board.

use super::bounds::Bounds;
use super::refused::Refused;

/// The text of a message without the white space around it.
pub(crate) fn text<'a>(text: &'a str, bounds: &Bounds) -> Result<&'a str, Refused> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Refused::InvalidInput("a message has a text"));
    }
    bounded(text, bounds.text_chars, "the text of a message is too long")
}

/// How a message was dealt with, without the white space around it; none where that is nothing.
pub(crate) fn resolution<'a>(
    text: Option<&'a str>,
    bounds: &Bounds,
) -> Result<Option<&'a str>, Refused> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    text.map(|text| bounded(text, bounds.resolution_chars, "the resolution is too long"))
        .transpose()
}

/// Tags without white space around them, blank ones and those that stand twice.
pub(crate) fn tags<'a>(given: &'a [String], bounds: &Bounds) -> Result<Vec<&'a str>, Refused> {
    let mut tags: Vec<&str> = Vec::new();
    for tag in given.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()) {
        bounded(tag, bounds.tag_chars, "a tag is too long")?;
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let is_few = tags.len() <= bounds.tags;
    is_few.then_some(tags).ok_or(Refused::InvalidInput("there are too many tags"))
}

/// A delivery key without the white space around it.
pub(crate) fn key<'a>(key: &'a str, bounds: &Bounds) -> Result<&'a str, Refused> {
    let key = key.trim();
    if key.is_empty() {
        return Err(Refused::InvalidInput("a delivery key is not empty"));
    }
    bounded(key, bounds.key_chars, "the delivery key is too long")
}

/// Whether a text is 64 lower-case hex digits.
pub(crate) fn is_fingerprint(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn bounded<'a>(text: &'a str, most: usize, rule: &'static str) -> Result<&'a str, Refused> {
    // Counting stops where it is known.
    let is_short = text.len() <= most || text.chars().nth(most).is_none();
    is_short.then_some(text).ok_or(Refused::InvalidInput(rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_and_not_bytes() {
        let bounds = Bounds::default();
        let long = "\u{e9}".repeat(8_000);
        assert_eq!(text(&format!(" {long}\n"), &bounds), Ok(long.as_str()));
        assert!(matches!(text(&format!("{long}x"), &bounds), Err(Refused::InvalidInput(_))));
        for blank in ["", " \n\t", "\u{3000}"] {
            assert!(matches!(text(blank, &bounds), Err(Refused::InvalidInput(_))));
            assert_eq!(resolution(Some(blank), &bounds), Ok(None));
        }
        assert!(resolution(Some(&format!("{long}x")), &bounds).is_err());
        assert!(key(&"k".repeat(128), &bounds).is_ok());
        assert!(key(&"k".repeat(129), &bounds).is_err());
        assert!(key(" ", &bounds).is_err());
    }

    #[test]
    fn tags_are_trimmed_and_the_first_of_equal_ones_stays() {
        let bounds = Bounds::default();
        let given = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect::<Vec<_>>();
        let tags_given = given(&[" b ", "a", "", "b", "  ", "a"]);
        assert_eq!(tags(&tags_given, &bounds), Ok(vec!["b", "a"]));
        let many: Vec<String> = (0..17).map(|n| n.to_string()).collect();
        assert!(tags(&many[..16], &bounds).is_ok());
        assert!(tags(&many, &bounds).is_err());
        assert!(tags(&given(&["t".repeat(64).as_str()]), &bounds).is_ok());
        assert!(tags(&given(&["t".repeat(65).as_str()]), &bounds).is_err());
    }

    #[test]
    fn a_fingerprint_has_one_spelling() {
        assert!(is_fingerprint(&"0a".repeat(32)));
        for text in ["", &"0A".repeat(32), &"0a".repeat(31), &"0g".repeat(32)] {
            assert!(!is_fingerprint(text), "{text}");
        }
    }
}
