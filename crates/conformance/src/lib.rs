//! The suite that every backend of sessile must pass: ours, or yours.
//!
//! What a backend promises stands in [`Clause`](sessile_core::backend::Clause), one promise a
//! variant. Each [case](cases()) checks one thing that follows from them, on a fresh place, and
//! names by its tags what it checks: a clause, a numbered statement, a reported fault.
//!
//! Above them stand [cases of sessions](sessions()), which the engine keeps on the backend: that
//! nothing above a backend takes a promise back. Some of them take random steps and compare each
//! with a plain model. Beside those stand [cases of records](records()): of checkpoints and effects,
//! which are kept as documents of the backend; and [cases of workflow sessions](workflows()).
//!
//! # Write your own backend in five steps
//!
//! 1. Implement [`Backend`](sessile_core::Backend). It has no method with a default, so the
//!    compiler says what is left. `sessile_memory` does each thing in the plainest way; where the
//!    words leave a doubt, it settles it.
//! 2. Declare in [`capabilities`](sessile_core::Backend::capabilities) only what you keep. What
//!    you lack answers *unsupported*, and the suite checks that too.
//! 3. Depend on this crate under `[dev-dependencies]`, and give your tests one more without a
//!    harness of its own:
//!
//!    ```toml
//!    [[test]]
//!    name = "conformance"
//!    harness = false
//!    ```
//! 4. Write a [`Fixture`], which makes a fresh place for each case, and a [`Place`], which opens
//!    handles on it as other processes would. This is the whole of `tests/conformance.rs` (it is
//!    compiled here and not run, for it would take the arguments of this test):
//!
//!    ```no_run
//!    use std::process::ExitCode;
//!    use std::sync::Arc;
//!
//!    use async_trait::async_trait;
//!    use sessile_conformance::{Failed, Fixture, Footprint, Place};
//!    use sessile_core::Backend;
//!    use sessile_memory::MemoryBackend;
//!
//!    struct Memory;
//!
//!    struct MemoryPlace(MemoryBackend);
//!
//!    #[async_trait]
//!    impl Fixture for Memory {
//!        async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
//!            Ok(Arc::new(MemoryPlace(MemoryBackend::new())))
//!        }
//!    }
//!
//!    #[async_trait]
//!    impl Place for MemoryPlace {
//!        async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
//!            Ok(Arc::new(self.0.clone()))
//!        }
//!
//!        async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
//!            let mut footprint = Footprint::default();
//!            footprint.add("memory", self.0.digest().as_bytes());
//!            Ok(Some(footprint))
//!        }
//!    }
//!
//!    fn main() -> ExitCode {
//!        sessile_conformance::main("memory", Memory)
//!    }
//!    ```
//!    A program that has several backends hands them over together: [`main_of()`].
//! 5. Run `cargo test --test conformance`. Each case is one test; what does not apply to your
//!    backend is *ignored by name*, never left out. Run it once more with `SESSILE_SOAK=1` before
//!    a release: the same assertions, for minutes. The cases of random steps begin with the seed
//!    that `SESSILE_SEED` names; a failure names its own, and takes the same steps again with it.
//!
//! # What the suite does not do
//!
//! It helps no backend: there is no retry, no time-out and no cache between a case of the contract
//! and a handle, only a deadline after which a case counts as hanging. It cuts no power, and
//! damages documents only, where the fixture [can](Place::damage): what else a backend makes of
//! its own medium's faults it must test itself.
//!
//! # Clients under a bad line
//!
//! [`simulation`] runs several clients of one place by a seed, over lines that delay, lose, repeat
//! and hold back, and checks the history of all calls against what stands there at the end.
//!
//! # What shows that it works
//!
//! The [broken] backends each break one promise. Every one of them fails exactly the cases that
//! are stated for it, and every case fails at least one of them; so does every case of sessions and
//! of records, but for the few that no fault of a backend reaches.

mod tag;
mod failed;
mod fixture;
mod case;
mod mint;
mod hands;
mod sample;
mod look;
mod writer;
mod together;
mod lossy;
mod model;
pub mod simulation;
mod cases;
mod trial;
mod report;
mod runner;
pub mod broken;

/// The page for authors of backends, so that its program compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/backend.md")]
#[derive(Debug)]
pub struct Guide;

pub use case::{Case, Need, Running, Size};
pub use cases::{cases, records, sessions, workflows};
pub use failed::Failed;
pub use fixture::{Changes, Damage, Fixture, Footprint, Place};
pub use report::{Verdict, run_all};
pub use runner::{Suite, main, main_of};
pub use tag::{Tag, UnknownTag};
