//! Which store a command works on.

use std::time::Duration;

use sessile::prelude::*;
use sessile::{Error, ErrorKind, Options, Space, fs};

use crate::args::PlaceArgs;
use crate::failure::Failure;
use crate::flags;

/// Opens the store that the command line, the environment or the user's data folder names.
pub(crate) async fn open(args: &PlaceArgs) -> Result<Store, Failure> {
    let (url, told) = match &args.store {
        Some(url) if args.store_is_typed => (url.clone(), "--store"),
        Some(url) => (url.clone(), "SESSILE_STORE"),
        None => (default_url()?, "the user's data folder"),
    };
    open_url(&url, told, args).await
}

/// Opens the store at a place, in the space that the command line names.
///
/// A place that is none is told by what gave it: its text may hold credentials.
pub(crate) async fn open_url(
    url: &str,
    given_by: &str,
    args: &PlaceArgs,
) -> Result<Store, Failure> {
    let space: Space = flags::id(&args.space, "--space")?;
    let limit = Duration::from_secs(args.timeout);
    let options = Options::default().deadline(limit);
    let mut of_files = fs::Options::default();
    // Who holds a lock is told before time is up, and no thread waits for it longer.
    of_files.lock_deadline = limit.mul_f32(0.75);
    let opening = Store::open(url).options(options).fs_options(of_files);
    let opened = opening.space(space)?.await;
    Ok(opened.map_err(|error| error.about(given_by))?)
}

/// The store that commands work on, for people; of a place that may hold credentials only its scheme.
pub(crate) fn told(args: &PlaceArgs) -> Result<String, Failure> {
    let url = args.store.clone().map_or_else(default_url, Ok)?;
    Ok(match url.split_once(':') {
        Some(("file", _)) | None => url,
        Some((scheme, _)) => format!("the {scheme}: store"),
    })
}

/// The store in the user's data folder.
fn default_url() -> Result<String, Failure> {
    let folders = directories::ProjectDirs::from("", "", "sessile").ok_or_else(|| {
        Error::new(ErrorKind::InvalidPlace, "this user has no data folder")
            .with_hint("name a store: --store file:PATH, or SESSILE_STORE")
    })?;
    let path = folders.data_dir().join("store");
    let path = path.to_str().ok_or_else(|| {
        Error::new(ErrorKind::InvalidPlace, "the user's data folder has no name that is text")
            .with_hint("name a store: --store file:PATH, or SESSILE_STORE")
    })?;
    Ok(format!("file:{}", path.replace('%', "%25").replace('?', "%3F").replace('#', "%23")))
}
