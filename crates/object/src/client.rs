//! Requests to a place: reads that are tried again by the client below, writes that are sent once.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::path::Path;
use object_store::{
    GetOptions, GetRange, ObjectMeta, ObjectStore, PutMode, PutOptions, UpdateVersion,
};
use sessile_core::Error;
use tokio::time;

use crate::counts::Counters;
use crate::failure::{self, Refused};
use crate::options::Options;

/// How a place tells two contents of one name apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tag {
    e_tag: Option<String>,
    version: Option<String>,
}

/// An object as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) bytes: Bytes,
    pub(crate) tag: Tag,
}

/// An object as a list tells of it.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) path: Path,
    pub(crate) bytes: u64,
    /// When the place says that it was written last, in milliseconds since 1970.
    pub(crate) written: i64,
}

/// The condition of a write.
#[derive(Clone, Debug)]
pub(crate) enum Only {
    /// If there is nothing of that name.
    IfAbsent,
    /// If it is still what it was read as.
    IfStill(Tag),
}

/// A place and the two clients that it is asked through.
pub(crate) struct Client {
    reads: Arc<dyn ObjectStore>,
    writes: Arc<dyn ObjectStore>,
    options: Options,
    pub(crate) counters: Counters,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A client's own form may tell addresses and keys.
        f.debug_struct("Client").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Client {
    pub(crate) fn new(
        reads: Arc<dyn ObjectStore>,
        writes: Arc<dyn ObjectStore>,
        options: Options,
    ) -> Self {
        Self { reads, writes, options, counters: Counters::default() }
    }

    pub(crate) const fn options(&self) -> &Options {
        &self.options
    }

    /// Reads an object; none where there is none.
    ///
    /// # Errors
    /// *unavailable*, *permission*.
    pub(crate) async fn get(&self, path: &Path) -> Result<Option<Object>, Error> {
        self.get_with(path, GetOptions::default()).await
    }

    /// Reads the first bytes of an object.
    ///
    /// # Errors
    /// *unavailable*, *permission*.
    pub(crate) async fn get_start(&self, path: &Path, bytes: u64) -> Result<Option<Bytes>, Error> {
        let range = Some(GetRange::Bounded(0..bytes));
        let object = self.get_with(path, GetOptions { range, ..GetOptions::default() }).await?;
        Ok(object.map(|object| object.bytes))
    }

    async fn get_with(&self, path: &Path, options: GetOptions) -> Result<Option<Object>, Error> {
        Counters::add(&self.counters.gets, 1);
        let reading = async {
            let result = self.reads.get_opts(path, options).await?;
            let tag = Tag::of(&result.meta);
            Ok(Object { bytes: result.bytes().await?, tag })
        };
        match reading.await {
            Ok(object) => Ok(Some(object)),
            Err(error) => failure::of_read(error).map_or(Ok(None), Err),
        }
    }

    /// Sends a conditional write once.
    ///
    /// # Errors
    /// Whether it is known that nothing was applied.
    pub(crate) async fn send(&self, path: &Path, body: Bytes, only: &Only) -> Result<Tag, Refused> {
        Counters::add(&self.counters.puts, 1);
        let mode = match only {
            Only::IfAbsent => PutMode::Create,
            Only::IfStill(tag) => PutMode::Update(tag.to_condition(self.options.unquoted_tags)),
        };
        let size = u64::try_from(body.len()).unwrap_or(u64::MAX);
        let limit = self.options.request_timeout + Duration::from_secs(size >> 20);
        let options = PutOptions { mode, ..PutOptions::default() };
        match time::timeout(limit, self.writes.put_opts(path, body.into(), options)).await {
            Ok(Ok(result)) => Ok(Tag { e_tag: result.e_tag, version: result.version }),
            Ok(Err(error)) => Err(failure::of_write(error)),
            Err(_) => Err(Refused::Open(failure::too_slow())),
        }
    }

    /// Lists what lies below a folder, after a path, as the place lists it: mostly in the order of
    /// names, and a further request for each thousand.
    pub(crate) fn list(
        &self,
        folder: &Path,
        after: Option<&Path>,
    ) -> BoxStream<'static, Result<Listed, Error>> {
        let listed = self.list_unfiltered(folder, after);
        let after = after.cloned();
        let is_after = move |listed: &Listed| {
            std::future::ready(after.as_ref().is_none_or(|after| listed.path > *after))
        };
        listed.try_filter(is_after).boxed()
    }

    /// The same with what some places list too: what stands at or before the path.
    pub(crate) fn list_unfiltered(
        &self,
        folder: &Path,
        after: Option<&Path>,
    ) -> BoxStream<'static, Result<Listed, Error>> {
        Counters::add(&self.counters.lists, 1);
        let listed = match after {
            Some(after) => self.reads.list_with_offset(Some(folder), after),
            None => self.reads.list(Some(folder)),
        };
        listed.map_ok(Listed::from).map_err(failure::of_list).boxed()
    }

    /// All of a folder, in the order of names.
    ///
    /// # Errors
    /// *unavailable*, *permission*.
    pub(crate) async fn list_all(
        &self,
        folder: &Path,
        after: Option<&Path>,
    ) -> Result<Vec<Listed>, Error> {
        let mut listed: Vec<Listed> = self.list(folder, after).try_collect().await?;
        listed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listed)
    }

    /// The folders right below a folder, in the order of names.
    ///
    /// # Errors
    /// *unavailable*, *permission*.
    pub(crate) async fn folders(&self, folder: &Path) -> Result<Vec<Path>, Error> {
        Counters::add(&self.counters.lists, 1);
        let listed =
            self.reads.list_with_delimiter(Some(folder)).await.map_err(failure::of_list)?;
        let mut folders = listed.common_prefixes;
        folders.sort_unstable();
        Ok(folders)
    }

    /// Deletes objects; those that are not there are deleted already.
    ///
    /// # Errors
    /// The first of those that could not be deleted; the others are.
    pub(crate) async fn delete(&self, paths: Vec<Path>) -> Result<(), Error> {
        Counters::add(&self.counters.deletes, u64::try_from(paths.len()).unwrap_or(u64::MAX));
        let paths = stream::iter(paths.into_iter().map(Ok)).boxed();
        let mut deleted = self.reads.delete_stream(paths);
        let mut failed = None;
        while let Some(one) = deleted.next().await {
            if let Err(error) = one
                && let Some(error) = failure::of_read(error)
            {
                failed.get_or_insert(error);
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

impl Tag {
    fn of(meta: &ObjectMeta) -> Self {
        Self { e_tag: meta.e_tag.clone(), version: meta.version.clone() }
    }

    fn to_condition(&self, unquoted: bool) -> UpdateVersion {
        let e_tag = self.e_tag.as_deref().map(|tag| {
            let tag = if unquoted { tag.trim_matches('"') } else { tag };
            tag.to_owned()
        });
        UpdateVersion { e_tag, version: self.version.clone() }
    }

    /// Two contents of one name differ in it.
    pub(crate) fn text(&self) -> &str {
        // Some places quote it in answers and not in lists.
        self.e_tag.as_deref().or(self.version.as_deref()).unwrap_or_default().trim_matches('"')
    }
}

impl From<ObjectMeta> for Listed {
    fn from(meta: ObjectMeta) -> Self {
        Self {
            bytes: meta.size,
            written: meta.last_modified.timestamp_millis(),
            path: meta.location,
        }
    }
}
