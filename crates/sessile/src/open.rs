//! Opening a store at a place, and finding out what a place does.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use sessile_core::probe::{Finding, Probe};
use sessile_core::{Backend, Error, Space};
use sessile_engine::{Options, Store};
use sessile_memory::MemoryBackend;

use crate::place::Place;

/// Opens a store at a place that is given as text.
///
/// It is a trait because [`Store`] knows no backend; import it, or the
/// [`prelude`](crate::prelude), to write `Store::open`.
///
/// # Examples
/// ```
/// use sessile::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// // Before traffic: can the place be relied on?
/// assert!(Store::probe("memory:").await?.ok);
/// let store = Store::open("memory:").await?;
/// assert_eq!(store.status().backend, "memory");
/// # Ok(())
/// # }
/// ```
pub trait OpenUrl {
    /// Says where the store is; awaiting what it gives opens it.
    ///
    /// # Examples
    /// ```
    /// use sessile::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile::Error> {
    /// let store = Store::open("memory:tests").space("tenant-7")?.await?;
    /// let again = Store::open("memory:tests").space("tenant-7")?.await?;
    /// store.create_as("ses_42", NewSession::new()).await?;
    /// assert_eq!(again.open_session("ses_42").await?.info().entries, 1);
    /// # Ok(())
    /// # }
    /// ```
    fn open(place: impl Into<String>) -> Opening;

    /// Finds out whether a place does what a store needs, before anything relies on it.
    ///
    /// Many servers of object storage take conditional writes and ignore the condition, or check
    /// it a moment too early; on those, two writers overwrite one another. A probe writes below
    /// names of its own and removes them. Whatever else is in the place stays as it is, and the
    /// place is no store because of it. It has no deadline of its own.
    ///
    /// # Errors
    /// *invalid place* for what is no place, or needs a feature that is not compiled in;
    /// *permission*, *unavailable* where a folder can't be opened. A place that answers
    /// wrongly or not at all is no error: [`Probe::ok`] is false then, and a finding says why.
    ///
    /// # Examples
    /// ```
    /// use sessile::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile::Error> {
    /// let probe = Store::probe("memory:").await?;
    /// for finding in &probe.findings {
    ///     println!("{}: {}", finding.name, finding.detail);
    /// }
    /// assert!(probe.ok);
    /// # Ok(())
    /// # }
    /// ```
    fn probe(place: impl Into<String>) -> impl Future<Output = Result<Probe, Error>> + Send;
}

impl OpenUrl for Store {
    fn open(place: impl Into<String>) -> Opening {
        Opening {
            place: place.into(),
            space: None,
            options: Options::default(),
            #[cfg(feature = "fs")]
            fs: sessile_fs::Options::default(),
            #[cfg(feature = "fs")]
            legacy: None,
            #[cfg(feature = "object")]
            object: sessile_object::Options::default(),
        }
    }

    fn probe(place: impl Into<String>) -> impl Future<Output = Result<Probe, Error>> + Send {
        Self::open(place).probe()
    }
}

/// A store that is about to be opened; await it.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use sessile::Options;
/// use sessile::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile::Error> {
/// let options = Options::default().deadline(Duration::from_secs(5));
/// let store = Store::open("memory:").options(options).space("tenant-7")?.await?;
/// assert_eq!(store.space_name().as_str(), "tenant-7");
/// # Ok(())
/// # }
/// ```
#[must_use = "a store is opened when this is awaited"]
pub struct Opening {
    place: String,
    space: Option<Space>,
    options: Options,
    #[cfg(feature = "fs")]
    fs: sessile_fs::Options,
    #[cfg(feature = "fs")]
    legacy: Option<crate::place::Legacy>,
    #[cfg(feature = "object")]
    object: sessile_object::Options,
}

/// The backend of a place.
enum Opened {
    Memory(MemoryBackend),
    #[cfg(feature = "fs")]
    Fs(sessile_fs::FsBackend),
    #[cfg(feature = "object")]
    Object(sessile_object::ObjectBackend),
}

impl Opening {
    /// Chooses the space; `default` unless given.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidId`](crate::ErrorKind::InvalidId) for a name that is none.
    pub fn space(mut self, name: impl TryInto<Space, Error: Into<Error>>) -> Result<Self, Error> {
        self.space = Some(name.try_into().map_err(Into::into)?);
        Ok(self)
    }

    /// Sets the store's options.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the options of a `file:` place; other places have no use for them.
    #[cfg(feature = "fs")]
    pub const fn fs_options(mut self, options: sessile_fs::Options) -> Self {
        self.fs = options;
        self
    }

    /// Puts a folder of session files in an older layout beside the store, whatever place that is:
    /// their sessions are those of a space, and are read where they lie until they are first
    /// written to ([`LegacyBackend`](sessile_fs::LegacyBackend)). A `file:` place may name them
    /// itself, as in `file:///agents?legacy=/old`, which stands above this.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidId`](crate::ErrorKind::InvalidId) for a name of a space that is none.
    ///
    /// # Examples
    /// ```
    /// use sessile::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile::Error> {
    /// # let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/session-files/mixed");
    /// let store = Store::open("memory:").legacy(old, "default")?.await?;
    /// let session = store.open_session("ses_touched").await?;
    /// // All that was said before, and then this; the files stay as they are.
    /// session.append(["go on"]).await?;
    /// assert_eq!(store.list(Filter::all(), Page::of(9)).await?.sessions.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "fs")]
    pub fn legacy(
        mut self,
        folder: impl Into<std::path::PathBuf>,
        space: impl TryInto<Space, Error: Into<Error>>,
    ) -> Result<Self, Error> {
        let space = space.try_into().map_err(Into::into)?;
        self.legacy = Some(crate::place::Legacy { folder: folder.into(), space });
        Ok(self)
    }

    /// Sets the options of a place in object storage, which what the place itself and the
    /// environment say stand above; other places have no use for them.
    #[cfg(feature = "object")]
    pub const fn object_options(mut self, options: sessile_object::Options) -> Self {
        self.object = options;
        self
    }

    /// Finds out whether the place does what a store needs, as [`OpenUrl::probe`] does.
    ///
    /// # Errors
    /// As there.
    pub async fn probe(self) -> Result<Probe, Error> {
        match self.backend().await? {
            Opened::Memory(_) => {
                let detail = "it keeps everything until the process ends, and nothing longer";
                Ok(Probe::of([Finding::new("memory", Ok(detail.to_owned()))]))
            }
            #[cfg(feature = "fs")]
            Opened::Fs(backend) => backend.probe().await,
            #[cfg(feature = "object")]
            Opened::Object(backend) => Ok(backend.probe().await),
        }
    }

    #[cfg_attr(
        not(feature = "fs"),
        expect(clippy::unused_async, reason = "only folders are looked at when they are opened")
    )]
    async fn backend(&self) -> Result<Opened, Error> {
        Ok(match Place::read(&self.place)? {
            Place::Memory(None) => Opened::Memory(MemoryBackend::new()),
            Place::Memory(Some(name)) => Opened::Memory(MemoryBackend::named(&name)),
            #[cfg(feature = "fs")]
            Place::File(path, _) => Opened::Fs(sessile_fs::FsBackend::open(path, self.fs).await?),
            #[cfg(not(feature = "fs"))]
            Place::File(..) => return Err(needs("fs")),
            #[cfg(feature = "object")]
            Place::Object(_) => {
                let options = self.object.clone();
                Opened::Object(sessile_object::ObjectBackend::open(&self.place, options)?)
            }
            #[cfg(not(feature = "object"))]
            Place::Object(feature) => return Err(needs(feature)),
        })
    }
}

#[cfg(feature = "fs")]
impl Opening {
    /// The backend with the older session files beside it that the place or the caller names.
    async fn beside_older_files(
        &self,
        backend: Arc<dyn Backend>,
    ) -> Result<Arc<dyn Backend>, Error> {
        let told = match Place::read(&self.place)? {
            Place::File(_, Some(legacy)) => Some(legacy),
            _ => self.legacy.clone(),
        };
        let Some(crate::place::Legacy { folder, space }) = told else { return Ok(backend) };
        Ok(Arc::new(sessile_fs::LegacyBackend::over(backend, folder, space).await?))
    }
}

/// The answer for a place whose backend is not compiled in.
#[cfg(not(all(feature = "fs", feature = "object")))]
fn needs(feature: &str) -> Error {
    let clause =
        format!("places of this scheme need the feature `{feature}`, which is not compiled in");
    Error::new(sessile_core::ErrorKind::InvalidPlace, clause)
        .with_hint(format!("turn the feature `{feature}` of `sessile` on"))
}

impl IntoFuture for Opening {
    type Output = Result<Store, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let backend: Arc<dyn Backend> = match self.backend().await? {
                Opened::Memory(backend) => Arc::new(backend),
                #[cfg(feature = "fs")]
                Opened::Fs(backend) => Arc::new(backend),
                #[cfg(feature = "object")]
                Opened::Object(backend) => Arc::new(backend),
            };
            #[cfg(feature = "fs")]
            let backend = self.beside_older_files(backend).await?;
            let store = Store::with(backend, self.options);
            match self.space {
                Some(space) => store.space(space),
                None => Ok(store),
            }
        })
    }
}

impl fmt::Debug for Opening {
    /// Does not tell the place, which may hold credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening").field("space", &self.space).finish_non_exhaustive()
    }
}
