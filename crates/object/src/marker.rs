//! The marker of a store: that one is here, in which layout, and that its place was probed.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sessile_core::{Error, ErrorKind};
use tokio::sync::OnceCell;

use crate::client::{Object, Only};
use crate::place::Place;
use crate::probe::probe;
use crate::settle::{Settled, Whose, settle};

/// The version of the layout below a prefix.
const LAYOUT: u32 = 1;

/// What a marker says.
#[derive(Debug, Deserialize, Serialize)]
struct Text {
    /// What the object is: always `store`.
    sessile: String,
    /// The version of the layout.
    format: u32,
    /// What the probe of the place found.
    probed: Probed,
}

#[derive(Debug, Deserialize, Serialize)]
struct Probed {
    /// Whether it does what is needed. A place where it does not gets no marker.
    ok: bool,
}

/// What a handle knows of the marker of its store.
#[derive(Debug, Default)]
pub(crate) struct Marker {
    /// Set when there is one of a layout that this program knows.
    there: OnceCell<()>,
    /// Set when it was looked for.
    looked: OnceCell<()>,
}

impl Marker {
    /// Sees before a reading operation that this program knows the layout. It writes nothing: a
    /// place without a marker is an empty store. Only the first call asks the place.
    ///
    /// # Errors
    /// *unknown version*, *corrupt*, *unavailable*, *permission*.
    pub(crate) async fn check(&self, place: &Place) -> Result<(), Error> {
        if self.there.initialized() {
            return Ok(());
        }
        let looking = self.looked.get_or_try_init(|| async {
            if is_there(place).await? {
                self.there.get_or_init(|| std::future::ready(())).await;
            }
            Ok(())
        });
        looking.await.copied()
    }

    /// Sees before a writing operation that the place is a store, and makes it one if there is
    /// none and a probe finds that it can be. Only the calls before one that succeeds ask the
    /// place.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), and of a probe and of the write of the marker.
    pub(crate) async fn ensure(&self, place: &Place) -> Result<(), Error> {
        let ensuring = self.there.get_or_try_init(|| async {
            if is_there(place).await? { Ok(()) } else { make(place).await }
        });
        ensuring.await.copied()
    }
}

/// Whether there is a marker, of a layout that this program knows.
async fn is_there(place: &Place) -> Result<bool, Error> {
    match place.client.get(&place.keys.marker()).await? {
        Some(marker) => read(place, &marker).map(|()| true),
        None => Ok(false),
    }
}

async fn make(place: &Place) -> Result<(), Error> {
    let path = place.keys.marker();
    let about = |error: Error| error.about(format_args!("the place of {path}"));
    // Boxed: it is large, and every write has room for it that never comes to need it.
    Box::pin(probe(&place.client, &place.keys)).await.accept().map_err(about)?;
    let text = Text { sessile: "store".to_owned(), format: LAYOUT, probed: Probed { ok: true } };
    let body = serde_json::to_vec(&text).map(Bytes::from).map_err(|error| {
        Error::new(ErrorKind::Refused, "the marker has no JSON form").with_source(error)
    })?;
    let whose = |object: &Object| if object.bytes == body { Whose::Ours } else { Whose::Others };
    match settle(&place.client, &path, &body, &Only::IfAbsent, whose).await.map_err(about)? {
        Settled::Ours(_) | Settled::Gone => Ok(()),
        Settled::Others(marker) => read(place, &marker),
    }
}

/// Reads a marker, for its layout.
fn read(place: &Place, marker: &Object) -> Result<(), Error> {
    /// What the markers of all layouts say.
    #[derive(Deserialize)]
    struct Always {
        sessile: String,
        format: u32,
    }
    let about = |error: Error| error.about(place.keys.marker());
    let always = serde_json::from_slice(&marker.bytes).ok();
    let always: Option<Always> = always.filter(|it: &Always| it.sessile == "store");
    match always {
        None => Err(about(Error::new(ErrorKind::Corrupt, "this is no marker of a store"))),
        Some(Always { format, .. }) if format > LAYOUT => {
            let clause =
                format!("the store has layout {format}, this program knows up to {LAYOUT}");
            Err(about(Error::new(ErrorKind::UnknownVersion, clause)))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests;
