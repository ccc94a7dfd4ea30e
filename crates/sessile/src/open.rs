//! Opening a store at a place.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use sessile_core::{Backend, Error, Space};
use sessile_engine::{Options, Store};
use sessile_memory::MemoryBackend;

use crate::place::Place;

/// Opens a store at a place that is given as text.
///
/// It is a trait because [`Store`] knows no backend; import it, or the
/// [`prelude`](crate::prelude), to write `Store::open`.
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
}

impl OpenUrl for Store {
    fn open(place: impl Into<String>) -> Opening {
        Opening {
            place: place.into(),
            space: None,
            options: Options::default(),
            #[cfg(feature = "fs")]
            fs: sessile_fs::Options::default(),
        }
    }
}

/// A store that is about to be opened; await it.
#[must_use = "a store is opened when this is awaited"]
pub struct Opening {
    place: String,
    space: Option<Space>,
    options: Options,
    #[cfg(feature = "fs")]
    fs: sessile_fs::Options,
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
}

/// The answer for a place whose backend is not compiled in.
#[cfg(not(feature = "fs"))]
fn needs_fs() -> Error {
    let clause = "file: places need the feature `fs`, which is not compiled in";
    Error::new(sessile_core::ErrorKind::InvalidPlace, clause)
        .with_hint("turn the feature `fs` of `sessile` on")
}

impl IntoFuture for Opening {
    type Output = Result<Store, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let backend: Arc<dyn Backend> = match Place::read(&self.place)? {
                Place::Memory(None) => Arc::new(MemoryBackend::new()),
                Place::Memory(Some(name)) => Arc::new(MemoryBackend::named(&name)),
                #[cfg(feature = "fs")]
                Place::File(path) => Arc::new(sessile_fs::FsBackend::open(path, self.fs).await?),
                #[cfg(not(feature = "fs"))]
                Place::File(_) => return Err(needs_fs()),
            };
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
