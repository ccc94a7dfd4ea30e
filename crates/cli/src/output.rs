//! Standard output: data, and nothing else.

use std::io::{self, BufWriter, Stdout, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// Where the answer of a command goes.
#[derive(Debug)]
pub(crate) struct Output {
    out: BufWriter<Stdout>,
    json: bool,
}

impl Output {
    /// Answers for people, or in JSON Lines.
    pub(crate) fn new(json: bool) -> Self {
        Self { out: BufWriter::new(io::stdout()), json }
    }

    /// Whether the answer is in JSON Lines.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Prints one line.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        writeln!(self.out, "{text}").map_err(Failure::Output)
    }

    /// Prints one value as a line of JSON.
    pub(crate) fn value(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.out, value)
            .map_err(|error| Failure::Output(io::Error::from(error)))?;
        self.line("")
    }

    /// Prints bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write_all(bytes).map_err(Failure::Output)
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
    let _untold = writeln!(io::stderr(), "{text}");
}
