//! A line of a script.

/// A command line as it would be typed, and what is given to it.
pub(super) struct Line {
    pub(super) args: &'static str,
    pub(super) input: &'static str,
}

pub(super) const fn line(args: &'static str) -> Line {
    Line { args, input: "" }
}

pub(super) const fn given(input: &'static str, args: &'static str) -> Line {
    Line { args, input }
}
