//! From the text of a place to what it names.

use std::path::PathBuf;

use sessile_core::{Error, ErrorKind, Space, percent};

/// What a place names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A place in memory, fresh or shared by name.
    Memory(Option<String>),
    /// A folder of a local filesystem, and what lies beside the store in it.
    File(PathBuf, Option<Legacy>),
    /// A bucket of object storage, of a cloud that this feature adds.
    Object(&'static str),
}

/// A folder of session files in an older layout, whose sessions are those of a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Legacy {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The space.
    pub(crate) space: Space,
}

/// The beginnings of places that this version knows.
const KNOWN: &str = "memory:, memory:NAME, file:///path, file:path, s3://bucket/prefix, \
     gs://bucket/prefix, az://container/prefix";

impl Place {
    /// Reads the text of a place, which is not echoed: it may hold credentials.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidPlace`] naming what is known.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(invalid("a place begins with a scheme").with_hint(known()));
        };
        match scheme {
            "memory" if rest.is_empty() => Ok(Self::Memory(None)),
            "memory" => Ok(Self::Memory(Some(rest.to_owned()))),
            "file" => file(rest),
            "s3" | "s3a" => Ok(Self::Object("aws")),
            "gs" => Ok(Self::Object("gcp")),
            "az" | "abfs" | "abfss" => Ok(Self::Object("azure")),
            _ => Err(invalid("no backend has places of this scheme").with_hint(known())),
        }
    }
}

/// A `file:` place, from what follows the colon.
fn file(rest: &str) -> Result<Place, Error> {
    if rest.contains('#') {
        return Err(invalid("a file: place has no fragment").with_hint("write %23 for #"));
    }
    match rest.split_once('?') {
        None => Ok(Place::File(folder(rest)?, None)),
        Some((rest, options)) => Ok(Place::File(folder(rest)?, Some(legacy(options)?))),
    }
}

/// The options of a `file:` place: values are not echoed.
fn legacy(options: &str) -> Result<Legacy, Error> {
    let (mut folder, mut space) = (None, None);
    for option in options.split('&') {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let twice = match name {
            "legacy" => folder.replace(decoded(value)?).is_some(),
            "legacy_space" => space.replace(value.parse()?).is_some(),
            _ => {
                return Err(invalid("a file: place has no such option")
                    .with_hint("known are legacy and legacy_space; write %3F for ?"));
            }
        };
        if twice {
            return Err(invalid("an option stands twice").with_hint("leave one out"));
        }
    }
    let folder = folder.ok_or_else(|| {
        invalid("legacy_space is the space of older session files, and there are none")
            .with_hint("name their folder: legacy=/path")
    })?;
    Ok(Legacy { folder, space: space.unwrap_or_default() })
}

/// The folder of a `file:` place, from what follows the colon, options left out.
fn folder(rest: &str) -> Result<PathBuf, Error> {
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(located) => {
            let (host, _) = located.split_once('/').unwrap_or((located, ""));
            if !host.is_empty() && host != "localhost" {
                return Err(invalid("a file: place is on this host, and names no other")
                    .with_hint("write file:///path, or file:path for a relative one"));
            }
            located.get(host.len()..).unwrap_or_default()
        }
    };
    decoded(path)
}

fn decoded(path: &str) -> Result<PathBuf, Error> {
    let bytes = percent::decoded(path)
        .ok_or_else(|| invalid("a % is not followed by two hex digits").with_hint("write %25"))?;
    if bytes.is_empty() || bytes.contains(&0) {
        return Err(invalid("a file: place names a folder").with_hint(known()));
    }
    native(bytes)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not every path can be named")]
fn native(bytes: Vec<u8>) -> Result<PathBuf, Error> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    Ok(OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn native(bytes: Vec<u8>) -> Result<PathBuf, Error> {
    let path = String::from_utf8(bytes).map_err(|_| invalid("a path here is UTF-8"))?;
    // In `file:///C:/data` the path begins before the drive.
    let drive = path.strip_prefix('/').filter(|rest| rest.get(1..2) == Some(":"));
    Ok(drive.unwrap_or(&path).into())
}

fn invalid(clause: &'static str) -> Error {
    Error::new(ErrorKind::InvalidPlace, clause)
}

fn known() -> String {
    format!("known are {KNOWN}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_place_in_memory_is_fresh_or_has_a_name() {
        assert_eq!(Place::read("memory:").unwrap(), Place::Memory(None));
        let named = Place::read("memory:tests").unwrap();
        assert_eq!(named, Place::Memory(Some("tests".to_owned())));
    }

    #[test]
    fn a_folder_is_absolute_or_relative_and_decoded_once() {
        for (text, path) in [
            ("file:///var/lib/agents", "/var/lib/agents"),
            ("file://localhost/var", "/var"),
            ("file:/var", "/var"),
            ("file:agents/prod", "agents/prod"),
            ("file:../agents", "../agents"),
            ("file:///a%20b/100%25/%3f", "/a b/100%/?"),
            ("file:///a b/ü", "/a b/ü"),
            ("file:///%2541", "/%41"),
            ("file:.", "."),
        ] {
            assert_eq!(Place::read(text).unwrap(), Place::File(path.into(), None), "{text}");
        }
    }

    #[test]
    fn older_files_beside_a_folder_are_those_of_a_space() {
        let read = |text: &str| Place::read(text).unwrap();
        let beside = |space: &str| {
            let legacy = Legacy { folder: "/old files/?".into(), space: space.parse().unwrap() };
            Place::File("/x".into(), Some(legacy))
        };
        assert_eq!(read("file:///x?legacy=/old%20files/%3F"), beside("default"));
        let text = "file:///x?legacy_space=tenant-7&legacy=/old files/%3F";
        assert_eq!(read(text), beside("tenant-7"));
        let error = Place::read("file:///x?legacy=/old&legacy_space=.").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidId);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_need_not_be_utf_8() {
        let Place::File(path, None) = Place::read("file:///%FF").unwrap() else {
            panic!("it is a folder");
        };
        assert_eq!(path.as_os_str().as_encoded_bytes(), b"/\xff");
        assert!(path.starts_with(Path::new("/")));
    }

    #[test]
    fn what_is_no_place_is_refused_with_what_is_known() {
        for text in [
            "",
            "agents",
            "/var/lib",
            "http://secret@x",
            "ftp:secret",
            "file:",
            "file://",
            "file://host/secret",
            "file:///a?secret",
            "file:///a?other=secret",
            "file:///a?legacy",
            "file:///a?legacy=",
            "file:///a?legacy=/secret&legacy=/secret",
            "file:///a?legacy=/secret&",
            "file:///a?legacy_space=secret",
            "file:///a?legacy=/b#c",
            "file:///a#b",
            "file:///%",
            "file:///%00",
        ] {
            let error = Place::read(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{text}");
            assert!(error.hint().is_some(), "{text}");
            assert!(!format!("{error}{error:?}").contains("secret"), "{text}");
        }
        assert!(Place::read("ftp:x").unwrap_err().hint().unwrap().contains("memory:NAME"));
    }

    #[test]
    fn a_bucket_is_of_the_cloud_that_its_scheme_names() {
        for (text, feature) in [
            ("s3://b/p", "aws"),
            ("s3a://b", "aws"),
            ("gs://b", "gcp"),
            ("az://c", "azure"),
            ("abfs://c", "azure"),
            ("abfss://c@a.dfs.core.windows.net/p", "azure"),
        ] {
            assert_eq!(Place::read(text).unwrap(), Place::Object(feature), "{text}");
        }
    }
}
