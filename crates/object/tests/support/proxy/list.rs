//! Lists that are cut: what S3 and Azure answer, rewritten.

/// How a service writes a list.
struct Dialect {
    root: &'static str,
    /// The elements that are entries: objects, and what a delimiter gathers.
    entries: [&'static str; 2],
    /// The element that tells whether more follows; Azure has none.
    truncated: Option<&'static str>,
    /// The element with the token by which what follows is asked for.
    token: &'static str,
}

const DIALECTS: [Dialect; 2] = [
    Dialect {
        root: "<ListBucketResult",
        entries: ["Contents", "CommonPrefixes"],
        truncated: Some("IsTruncated"),
        token: "NextContinuationToken",
    },
    Dialect {
        root: "<EnumerationResults",
        entries: ["Blob", "BlobPrefix"],
        truncated: None,
        token: "NextMarker",
    },
];

/// The list with its first entries only, which says of itself that it is whole; none if the text
/// is no list.
pub(super) fn shortened(text: &str, keep: usize) -> Option<String> {
    let dialect = dialect(text)?;
    let short = without(text, dialect, |index| index >= keep);
    Some(marked(&short, dialect, None))
}

/// The first entries with a token, and the rest as the answer to that token; none if the text is
/// no list, or has no more entries than that.
pub(super) fn halved(text: &str, keep: usize, token: &str) -> Option<(String, String)> {
    let dialect = dialect(text)?;
    if entries(text, dialect).len() <= keep {
        return None;
    }
    let first = without(text, dialect, |index| index >= keep);
    let rest = without(text, dialect, |index| index < keep);
    Some((marked(&first, dialect, Some(token)), rest))
}

fn dialect(text: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| text.contains(dialect.root))
}

/// Where the entries begin and end, in their order.
fn entries(text: &str, dialect: &Dialect) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for name in dialect.entries {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        for (start, _) in text.match_indices(&open) {
            let length = text[start..].find(&close).unwrap() + close.len();
            found.push((start, start + length));
        }
    }
    found.sort_unstable();
    found
}

/// The list without the entries whose index is refused.
fn without(text: &str, dialect: &Dialect, refused: impl Fn(usize) -> bool) -> String {
    let mut kept = String::new();
    let mut from = 0;
    for (index, (start, end)) in entries(text, dialect).into_iter().enumerate() {
        kept.push_str(&text[from..if refused(index) { start } else { end }]);
        from = end;
    }
    kept.push_str(&text[from..]);
    kept
}

/// The list with a token, which says that more follows, or without one, which says that none does.
fn marked(text: &str, dialect: &Dialect, token: Option<&str>) -> String {
    let mut text = without_element(text, dialect.token);
    let truncated = dialect.truncated.map(|name| {
        text = without_element(&text, name);
        element(name, if token.is_some() { "true" } else { "false" })
    });
    let token = token.map(|token| element(dialect.token, token));
    let end = text.rfind("</").unwrap();
    text.insert_str(end, &[truncated, token].map(Option::unwrap_or_default).concat());
    text
}

fn element(name: &str, text: &str) -> String {
    format!("<{name}>{text}</{name}>")
}

fn without_element(text: &str, name: &str) -> String {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let bare = text.replace(&format!("<{name}/>"), "").replace(&format!("<{name} />"), "");
    match (bare.find(&open), bare.find(&close)) {
        (Some(start), Some(end)) => format!("{}{}", &bare[..start], &bare[end + close.len()..]),
        _ => bare,
    }
}
