//! JSON that parsers, encoders and splitters are known to change.

/// Halves of surrogate pairs: alone, in the wrong order, at the end of a string, in a key.
pub(in crate::cases) const HALVES: &[&str] = &[
    r#""\ud83d""#,
    r#""\ude00""#,
    r#""\ude00\ud83d""#,
    r#""text \uD83D""#,
    r#"{"\udc00":"\ud800"}"#,
    r#""\ud83d\ude00 😀""#,
];

/// What some readers take for the end of a line: raw where JSON allows it, else escaped.
pub(in crate::cases) const LINE_BREAKS: &[&str] = &[
    "\"a\u{2028}b\u{2029}c\u{85}d\"",
    r#""a\u2028b\u2029c\u0085d""#,
    r#""a\rb\nc\r\nd\u000be\u000cf\u001cg""#,
    "{\"\u{2028}\":\"\u{feff}\u{7f}\"}",
    r#""\n""#,
];

/// NUL, text that only speaks of it, and both as keys.
pub(in crate::cases) const NULS: &[&str] = &[
    r#""\u0000""#,
    r#""\\u0000""#,
    r#""\\\u0000""#,
    r#""\\\\u0000 \u0000\u0001""#,
    r#"{"\u0000":1,"\\u0000":2}"#,
];

/// Whole numbers that a double can't hold.
pub(in crate::cases) const WHOLE_NUMBERS: &[&str] = &[
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "2512292042121000001",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1000000000000000000000000000000",
    r#"{"a":[9007199254740993,[-9007199254740993,{"b":[2512292042121000001]}]]}"#,
];

/// Numbers with more than one spelling, or none that a double keeps.
pub(in crate::cases) const SPELLINGS: &[&str] = &[
    "1.5777777777770001",
    "0.30000000000000004",
    "5e-324",
    "1.7976931348623157e308",
    "-0.0",
    "-0",
    "1e21",
    "1E+021",
    "1.0",
    "1",
    "1e400",
    "0.1000000000000000000000000000000000000000000001",
];

/// Objects whose keys are doubled, unordered, empty, or those of our own lines.
pub(in crate::cases) const OBJECTS: &[&str] = &[
    r#"{"b":1,"a":2,"b":3}"#,
    r#"{ "z" : 1 ,  "a":[ 1 , 2 ] }"#,
    "[\t1,\t2]",
    r#"{"":"","a":{}}"#,
    r#"{"seq":0,"seq":1,"type":"session","type":"delete","crc":"00000000"}"#,
    r#"{"session_id":"a","session_id":"b","version":1,"version":2}"#,
    r#""\/ / \u002f \u0041""#,
    "null",
    "[]",
    "{}",
    r#""""#,
    "true",
];

/// Strings with the marks by which a journal's lines are told apart.
pub(in crate::cases) const LINES: &[&str] = &[
    r#""{\"seq\":1,\"at\":1,\"type\":\"message\",\"data\":1,\"crc\":\"00000000\"}""#,
    r#"{"a":",\"crc\":\"1a2b3c4d\"}"}"#,
    r#"{"data":{"seq":9,"more":true,"crc":"1a2b3c4d"},"commit":"c","n":1,"crc":"1a2b3c4d"}"#,
    r#"{"crc":"1a2b3c4d"}"#,
    r#"{"redacted":true}"#,
    r#""\n{\"seq\":""#,
];

/// Types that no version reserves.
pub(in crate::cases) const TYPE_NAMES: &[&str] = &[
    "x",
    "x.y/z",
    "Message",
    "with \"quotes\" and \\",
    "ünï\u{2028}code",
    "line\nbreak\r",
    "\u{1}",
];

/// Members that no version knows.
pub(in crate::cases) const MEMBERS: &[(&str, &str)] = &[
    ("enc", r#"{"key":"k1","nonce":"00"}"#),
    ("x.y", "1.0"),
    ("with \"quotes\"\n", "[9007199254740993]"),
    ("ü\u{2028}", r#""\ud83d""#),
    ("", "null"),
];
