//! What single members of other programs' records say.

use std::borrow::Cow;

use jiff::Timestamp;
use sessile_core::UnixMillis;
use sessile_core::lens::View;

/// Numbers below this are seconds: as milliseconds they would lie before March 1973, and no
/// session is that old.
const FIRST_MILLIS: u64 = 100_000_000_000;

/// Reads text that names something; blank text names nothing.
pub(crate) fn name(value: Option<View<'_>>) -> Option<Cow<'_, str>> {
    value.and_then(View::text).filter(|text| !text.trim().is_empty())
}

/// Reads a time: text of RFC 3339, or a whole number of seconds or milliseconds since 1970.
pub(crate) fn time(value: View<'_>) -> Option<UnixMillis> {
    if let Some(number) = value.whole_number() {
        let is_seconds = number < FIRST_MILLIS;
        return Some(UnixMillis(if is_seconds { number * 1_000 } else { number }));
    }
    let time: Timestamp = value.text()?.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok().map(UnixMillis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(json: &str) -> Option<u64> {
        time(View::parse(json).unwrap()).map(UnixMillis::millis)
    }

    #[test]
    fn blank_text_names_nothing() {
        assert_eq!(name(View::parse("\" a \"")).as_deref(), Some(" a "));
        for json in ["\"\"", "\" \\n\"", "null", "7"] {
            assert_eq!(name(View::parse(json)), None, "{json}");
        }
    }

    #[test]
    fn text_and_numbers_are_times() {
        assert_eq!(millis("\"1970-01-01T00:00:01Z\""), Some(1_000));
        assert_eq!(millis("\"2025-11-20T23:33:50.805Z\""), Some(1_763_681_630_805));
        assert_eq!(millis("\"2025-11-21T00:33:50.805+01:00\""), Some(1_763_681_630_805));
        assert_eq!(millis("1763681630805"), Some(1_763_681_630_805));
        assert_eq!(millis("1763681630"), Some(1_763_681_630_000));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for json in [
            "\"\"",
            "\"yesterday\"",
            "\"2025-11-20\"",
            "\"1969-12-31T23:59:59Z\"",
            "-1",
            "1.5",
            "null",
            "[1763681630805]",
            "99999999999999999999999",
        ] {
            assert_eq!(millis(json), None, "{json}");
        }
    }
}
