//! Failures of the filesystem that a test asks for; in the product there are none to ask for.

use std::io;

/// What the door does that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// Writing bytes.
    Write,
    /// Adding bytes to a file that is derived.
    Add,
    /// Making a file durable.
    SyncFile,
    /// Making a folder durable.
    SyncFolder,
    /// Making, linking, renaming or removing a name.
    Name,
    /// Cutting a file.
    Truncate,
}

/// The failures that are asked for.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    #[cfg(test)]
    plan: std::sync::Mutex<Plan>,
    #[cfg(test)]
    watch: std::sync::Mutex<Watch>,
    /// What was done all the same.
    #[cfg(test)]
    pub(crate) record: crate::record::Record,
}

#[cfg(not(test))]
impl Faults {
    /// Fails if a test asked for it.
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "a test's twin of it has something to look at, and to fail with"
    )]
    pub(crate) const fn before(&self, _step: Step) -> io::Result<()> {
        Ok(())
    }

    /// How many bytes of a write go through.
    #[expect(clippy::unused_self, reason = "a test's twin of it has something to look at")]
    pub(crate) const fn let_through(&self, bytes: usize) -> usize {
        bytes
    }

    /// How many bytes that are added go through.
    #[expect(clippy::unused_self, reason = "a test's twin of it has something to look at")]
    pub(crate) const fn let_through_added(&self, bytes: usize) -> usize {
        bytes
    }
}

/// What fails, how often, and how.
#[cfg(test)]
#[derive(Debug, Default)]
struct Plan {
    failing: Vec<(Step, u32, u32, rustix::io::Errno)>,
    short: Option<usize>,
    short_added: Option<usize>,
}

/// What is called before each step, on the thread that takes it.
#[cfg(test)]
#[derive(Default)]
struct Watch(Option<Box<dyn FnMut(Step) + Send>>);

#[cfg(test)]
impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Watch").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
impl Faults {
    /// Calls this before each step from here on.
    pub(crate) fn watch(&self, watch: impl FnMut(Step) + Send + 'static) {
        self.watch.lock().unwrap().0 = Some(Box::new(watch));
    }

    /// Lets so many steps of a kind pass, then fails so many with an error.
    pub(crate) fn fail(&self, step: Step, after: u32, times: u32, error: rustix::io::Errno) {
        self.plan.lock().unwrap().failing.push((step, after, times, error));
    }

    /// Lets only so many bytes of the next write through before it fails.
    pub(crate) fn cut_short(&self, bytes: usize) {
        self.plan.lock().unwrap().short = Some(bytes);
    }

    /// The same for the next write of either kind.
    pub(crate) fn cut_any_short(&self, bytes: usize) {
        let mut plan = self.plan.lock().unwrap();
        (plan.short, plan.short_added) = (Some(bytes), Some(bytes));
    }

    /// Asks for no more failures.
    pub(crate) fn mend(&self) {
        *self.plan.lock().unwrap() = Plan::default();
    }

    pub(crate) fn before(&self, step: Step) -> io::Result<()> {
        if let Some(watch) = &mut self.watch.lock().unwrap().0 {
            watch(step);
        }
        let mut plan = self.plan.lock().unwrap();
        for (failing, after, times, error) in &mut plan.failing {
            if *failing != step || *times == 0 {
                continue;
            }
            if *after > 0 {
                *after -= 1;
                continue;
            }
            *times -= 1;
            return Err((*error).into());
        }
        Ok(())
    }

    pub(crate) fn let_through(&self, bytes: usize) -> usize {
        let mut plan = self.plan.lock().unwrap();
        match plan.short.take() {
            Some(short) if short < bytes => {
                plan.failing.push((Step::Write, 0, 1, rustix::io::Errno::NOSPC));
                short
            }
            _ => bytes,
        }
    }

    pub(crate) fn let_through_added(&self, bytes: usize) -> usize {
        let short = self.plan.lock().unwrap().short_added.take();
        short.map_or(bytes, |short| short.min(bytes))
    }
}
