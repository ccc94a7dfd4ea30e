//! A place: how it is asked, and where things lie in it.

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::path::Path;

use crate::bodies::Bodies;
use crate::client::Client;
use crate::keys::Keys;
use crate::options::Options;

/// A place below a prefix.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) client: Client,
    pub(crate) keys: Keys,
    pub(crate) bodies: Bodies,
}

impl Place {
    pub(crate) fn new(
        reads: Arc<dyn ObjectStore>,
        writes: Arc<dyn ObjectStore>,
        prefix: &Path,
        options: Options,
    ) -> Self {
        let client = Client::new(reads, writes, options);
        Self { client, keys: Keys::below(prefix), bodies: Bodies::default() }
    }
}
