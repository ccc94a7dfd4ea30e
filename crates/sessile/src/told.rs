//! What a session is told by, each with an example that takes a store to make it.

/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use sessile::prelude::*;
/// use sessile::{Backend, SessionKey, Space};
/// use sessile::memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let backend: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
/// let store = Store::on(Arc::clone(&backend));
/// store.create_as("ses_42", NewSession::new()).await?;
/// let key = SessionKey { space: Space::default(), id: "ses_42".parse()? };
/// assert_eq!(backend.head(&key).await?.tip.position.number(), 1);
/// # Ok(())
/// # }
/// ```
pub use sessile_core::Backend;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::{AcceptedIdentity, Expected, Text};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new().project("shop")).await?;
/// let differences = session.differences(&Expected::new().project("depot")).await?;
/// session.accept(&differences, Some("ann".into())).await?;
/// let accepted: AcceptedIdentity = session.info().meta.accepted_identity()?.expect("one was");
/// assert_eq!(accepted.by.as_ref().map(Text::as_str), Some("ann"));
/// assert_eq!(accepted.current["project"].as_str(), "\"depot\"");
/// # Ok(())
/// # }
/// ```
pub use sessile_core::entry::shape::AcceptedIdentity;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::{Header, Name};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new().project("shop")).await?;
/// let header: Header = session.info().header;
/// assert_eq!(header.project.as_ref().map(Name::as_str), Some("shop"));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::entry::shape::Header;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::Lost;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// // Of a session that was never forked over damage nothing is.
/// let lost: Vec<Lost> = session.info().lost;
/// assert!(lost.is_empty());
/// # Ok(())
/// # }
/// ```
pub use sessile_core::entry::shape::Lost;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::Active;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// let active: Active = session.refresh().await?.active.expect("the request holds it");
/// assert_eq!((active.request.as_str(), active.claim), ("req-1", turn.claim()));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Active;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::Asked;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.ask("pay-1", &Action::new("call_1", "pay", "{}")).await?;
/// let active = session.refresh().await?.active.expect("the request holds it");
/// let asked: &Asked = &active.approvals[&"pay-1".parse()?];
/// assert!(asked.action.as_str() == "call_1" && asked.decided.is_none());
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Asked;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::Decided;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.ask("pay-1", &Action::new("call_1", "pay", "{}")).await?;
/// let seq = session.decide("pay-1", false, None).await?;
/// let active = session.refresh().await?.active.expect("the request holds it");
/// let decided: &Decided = active.approvals[&"pay-1".parse()?].decided.as_ref().expect("it was");
/// assert_eq!((decided.seq, decided.allow), (seq, false));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Decided;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::Effect;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// drop(turn.intend(Action::new("call_1", "refund", "{}")).await?);
/// let active = session.refresh().await?.active.expect("the request holds it");
/// // Nobody has said what came of it.
/// assert!(matches!(active.intents[&"call_1".parse()?].effect, Effect::Unknown));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Effect;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::Intended;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// drop(turn.intend(Action::new("call_1", "refund", "{}")).await?);
/// let active = session.refresh().await?.active.expect("the request holds it");
/// let intended: &Intended = &active.intents[&"call_1".parse()?];
/// assert_eq!((intended.name.as_str(), intended.claim), ("refund", turn.claim()));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Intended;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::LastCheckpoint;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// let mut turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// turn.checkpoint("agent.step", 1, &["asked"]).await?;
/// let active = session.refresh().await?.active.expect("the request holds it");
/// let last: LastCheckpoint = active.checkpoint.expect("one was stored");
/// assert_eq!((last.kind.as_str(), last.number, last.in_flight), ("agent.step", 0, false));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::LastCheckpoint;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::Inherited;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
/// drop(turn.intend(Action::new("call_1", "refund", "{}")).await?);
/// // A fork begins free, and tells of what may have happened.
/// let fork = session.fork_as("ses_43", None).await?;
/// let inherited: &Inherited = &fork.info().inherited[0];
/// assert_eq!((inherited.action.as_str(), inherited.name.as_str()), ("call_1", "refund"));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Inherited;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::Strays;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// // Nobody has written under a claim that was not theirs any more.
/// let strays: Option<Strays> = session.info().strays;
/// assert!(strays.is_none());
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Strays;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::{Active, Lifecycle};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// assert_eq!(session.info().lifecycle, Lifecycle::Active);
/// session.close().await?;
/// assert_eq!(session.info().lifecycle.name(), "closed");
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Lifecycle;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::Meta;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new().title("Plums")).await?;
/// session.set_meta([("priority", 2)]).await?;
/// let meta: Meta = session.info().meta;
/// assert_eq!(meta.title().as_deref(), Some("Plums"));
/// assert_eq!(meta.value("priority").map(|value| value.as_str()), Some("2"));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Meta;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::SessionState;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let state: SessionState = session.state().await?;
/// assert_eq!((state.messages(), state.position()), (1, session.position()));
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::SessionState;

/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use sessile::prelude::*;
/// use sessile::{Entry, EntryType, Extended, Extension, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// /// How many events a session has had, as part of its state.
/// #[derive(Clone, Debug, Default)]
/// struct Events(u64);
///
/// impl Extended for Events {
///     fn apply(&mut self, entry: &Entry) {
///         self.0 += u64::from(entry.entry_type == EntryType::Event);
///     }
///
///     fn save(&self) -> String {
///         self.0.to_string()
///     }
///
///     fn copy(&self) -> Box<dyn Extended> {
///         Box::new(self.clone())
///     }
/// }
///
/// #[derive(Debug)]
/// struct EventsFold;
///
/// impl Extension for EventsFold {
///     fn name(&self) -> &'static str {
///         "events"
///     }
///
///     fn version(&self) -> u32 {
///         1
///     }
///
///     fn types(&self) -> &'static [&'static str] {
///         &["event"]
///     }
///
///     fn start(&self) -> Box<dyn Extended> {
///         Box::<Events>::default()
///     }
///
///     fn restore(&self, member: &str) -> Option<Box<dyn Extended>> {
///         Some(Box::new(Events(member.parse().ok()?)))
///     }
/// }
///
/// let options = Options::default().fold(Arc::new(EventsFold));
/// let store = Store::open("memory:").options(options).await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append_events(["it thinks", "it acts"]).await?;
/// assert_eq!(session.state().await?.extended::<Events>()?.0, 2);
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Extension;

/// # Examples
/// ```
/// use sessile::prelude::*;
/// use sessile::{Entry, EntryType, Extended, From};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// /// How many events a session has had.
/// #[derive(Clone, Debug, Default)]
/// struct Events(u64);
///
/// impl Extended for Events {
///     fn apply(&mut self, entry: &Entry) {
///         self.0 += u64::from(entry.entry_type == EntryType::Event);
///     }
///
///     fn save(&self) -> String {
///         self.0.to_string()
///     }
///
///     fn copy(&self) -> Box<dyn Extended> {
///         Box::new(self.clone())
///     }
/// }
///
/// let store = Store::open("memory:").await?;
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append_events(["it thinks"]).await?;
/// let mut events = Events::default();
/// for entry in session.entries(From::start()).await?.all().await? {
///     events.apply(&entry);
/// }
/// assert_eq!(events.save(), "1");
/// # Ok(())
/// # }
/// ```
pub use sessile_core::fold::Extended;
