//! A command line that must fail, and how.

/// The line and what comes of it. In its arguments `{}` is the folder of the scene.
pub(super) struct Mistake {
    pub(super) args: &'static [&'static str],
    pub(super) input: &'static [u8],
    pub(super) status: i32,
    pub(super) kind: &'static str,
    /// What the message names.
    pub(super) names: &'static str,
}

pub(super) const fn mistake(
    status: i32,
    kind: &'static str,
    names: &'static str,
    args: &'static [&'static str],
) -> Mistake {
    Mistake { args, input: b"1", status, kind, names }
}

pub(super) const fn said(
    input: &'static [u8],
    status: i32,
    kind: &'static str,
    names: &'static str,
    args: &'static [&'static str],
) -> Mistake {
    Mistake { args, input, status, kind, names }
}
