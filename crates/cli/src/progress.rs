//! How far long work has come: on a terminal, and nowhere else.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::output::Output;

/// A line on standard error that goes away when the work has ended.
#[derive(Debug)]
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Begins to tell of work of so many parts; of a number that is not known, without a total.
    ///
    /// Standard output may be the same terminal: its lines are printed above.
    pub(crate) fn begin(what: &'static str, total: Option<u64>, json: bool) -> Self {
        if json || !io::stderr().is_terminal() {
            return Self(None);
        }
        let (bar, template) = match total {
            Some(total) => (ProgressBar::new(total), "{msg} {wide_bar} {pos} of {len}, {eta} left"),
            None => (ProgressBar::no_length(), "{spinner} {msg} {pos}"),
        };
        let style = ProgressStyle::with_template(template);
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(Some(bar))
    }

    /// Of work that nobody is told of.
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// One more part is done.
    pub(crate) fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }

    /// Whether anybody sees it.
    pub(crate) const fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// So many parts are done.
    pub(crate) fn at(&self, parts: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(parts);
        }
    }

    /// Prints something without the line in its way, whole: what is held back would come out where the
    /// line stands.
    pub(crate) fn aside(
        &self,
        output: &mut Output,
        print: impl FnOnce(&mut Output) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match &self.0 {
            Some(bar) => bar.suspend(|| {
                print(output)?;
                output.flush()
            }),
            None => print(output),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
