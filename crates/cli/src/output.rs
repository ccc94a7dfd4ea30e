//! Standard output: data, and nothing else.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};

use serde::Serialize;

use crate::failure::Failure;
use crate::reading;

/// Where the answer of a command goes.
#[derive(Debug)]
pub(crate) struct Output {
    out: BufWriter<Stdout>,
    json: bool,
    is_terminal: bool,
}

impl Output {
    /// Answers for people, or in JSON Lines.
    pub(crate) fn new(json: bool) -> Self {
        let out = io::stdout();
        Self { is_terminal: out.is_terminal(), out: BufWriter::new(out), json }
    }

    /// Whether the answer is in JSON Lines.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a line or several, without what a terminal would act upon: anything may have come into
    /// them from a session, a file or a server.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        writeln!(self.out, "{}", reading::visible_lines(text)).map_err(Failure::Output)
    }

    /// Prints one value as a line of JSON.
    pub(crate) fn value(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let mut text =
            serde_json::to_vec(value).map_err(|error| Failure::Output(io::Error::from(error)))?;
        text.push(b'\n');
        self.bytes(&text)
    }

    /// Prints bytes as they are; on a terminal without what it would act upon.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = if self.is_terminal {
            let text = reading::visible_lines(&String::from_utf8_lossy(bytes));
            self.out.write_all(text.as_bytes())
        } else {
            self.out.write_all(bytes)
        };
        written.map_err(Failure::Output)
    }

    /// Puts out what is still held back.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::Output)
    }
}

/// Tells people, behind the answer, what scripts see without being told.
pub(crate) fn remark(text: &str, output: &mut Output) -> Result<(), Failure> {
    output.flush()?;
    if !output.is_json() {
        notice(&format!("sessile: {text}"));
    }
    Ok(())
}

/// Tells people something that is no data, on standard error.
pub(crate) fn notice(text: &str) {
    // There is nowhere left to tell that standard error is closed.
    let _untold = writeln!(io::stderr(), "{}", reading::visible_lines(text));
}
