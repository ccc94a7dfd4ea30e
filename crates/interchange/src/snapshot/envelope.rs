//! The envelope of six keys.

use std::fmt;

use sessile_core::{Error, ErrorKind};

use crate::json::{self, MAX_DEPTH, Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names, count};
use crate::snapshot::identity::Identity;
use crate::snapshot::progress::Progress;
use crate::snapshot::turn::{Remark, Turn};

/// The version of a snapshot that was read.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::{Contents, Snapshot, Version};
/// # use sessile_interchange::snapshot::Identity;
///
/// # let identity = Identity {
/// #     gameplan: "review".into(),
/// #     topic: "the parser".into(),
/// #     orchestrator: "round-robin".into(),
/// #     participants: vec!["a".into()],
/// # };
/// let written = Snapshot::of(Contents::begun(identity))?.encode();
/// assert!(Snapshot::decode(written.as_bytes())?.version() == Version::Two);
/// // The first is read too, and written as the second.
/// let old = Snapshot::decode(written.replace("\"version\": 2", "\"version\": 1").as_bytes())?;
/// assert_eq!((old.version(), old.encode()), (Version::One, written));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Written between turns only; it knows of no suspended work.
    One,
    /// The version that is written.
    Two,
}

/// What a snapshot says.
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::snapshot::{Contents, Snapshot};
/// # use sessile_interchange::snapshot::Identity;
///
/// # let identity = Identity {
/// #     gameplan: "review".into(),
/// #     topic: "the parser".into(),
/// #     orchestrator: "round-robin".into(),
/// #     participants: vec!["a".into()],
/// # };
/// let begun = Contents::begun(identity);
/// assert!(begun.turns.is_empty() && begun.progress.turn_count.is_none());
/// let later = Contents { compactions: 1, ..begun };
/// assert_eq!(Snapshot::of(later.clone())?.contents(), &later);
/// // What could not be read back is not written.
/// let beyond = Contents { compactions: u64::MAX, ..later };
/// assert_eq!(Snapshot::of(beyond).unwrap_err().kind(), ErrorKind::Refused);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Contents {
    /// What it belongs to.
    pub identity: Identity,
    /// What models read.
    pub turns: Vec<Turn>,
    /// What is reported.
    pub transcript: Vec<Remark>,
    /// How far the run has come.
    pub progress: Progress,
    /// How many times turns were compacted, at most 2^63 - 1.
    pub compactions: u64,
}

/// A snapshot that is whole: whatever is of this type can be written and read back.
///
/// It keeps the order in which its members were read, so that it is written as it was read.
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::snapshot::{Contents, Snapshot};
/// # use sessile_interchange::snapshot::Identity;
///
/// # let identity = Identity {
/// #     gameplan: "review".into(),
/// #     topic: "the parser".into(),
/// #     orchestrator: "round-robin".into(),
/// #     participants: vec!["a".into()],
/// # };
/// let snapshot = Snapshot::of(Contents::begun(identity))?;
/// let file = snapshot.encode();
/// assert_eq!(Snapshot::decode(file.as_bytes())?, snapshot);
/// // Nothing has a default, and nothing unknown is passed over.
/// let error = Snapshot::decode(file.replace("topic", "subject").as_bytes()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Corrupt);
/// assert!(error.to_string().contains("identity"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Snapshot {
    version: Version,
    contents: Contents,
    /// The whole as it is written.
    document: Object,
}

const KEYS: [&str; 6] = ["version", "identity", "turns", "transcript", "loop", "compactions"];

impl Contents {
    /// What a run begins with.
    pub fn begun(identity: Identity) -> Self {
        Self {
            identity,
            turns: Vec::new(),
            transcript: Vec::new(),
            progress: Progress::default(),
            compactions: 0,
        }
    }

    fn document(&self) -> Value {
        Object::default()
            .with("version", 2_u64)
            .with("identity", self.identity.write())
            .with("turns", Value::Array(self.turns.iter().map(Turn::write).collect()))
            .with("transcript", Value::Array(self.transcript.iter().map(Remark::write).collect()))
            .with("loop", self.progress.write())
            .with("compactions", self.compactions)
            .into()
    }
}

impl Snapshot {
    /// Makes a snapshot of the current version.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] that names the part, when it could not be read back: a number beyond
    /// 2^63 - 1, or more than [`MAX_DEPTH`] levels.
    pub fn of(contents: Contents) -> Result<Self, Error> {
        let snapshot = Self::of_document(&contents.document())?;
        // Participants are written in order; what was given stays as it was given.
        Ok(Self { contents, ..snapshot })
    }

    /// Takes a whole document as a snapshot, and is as strict as [`decode`](Self::decode).
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] that names the part that is wrong; [`ErrorKind::UnknownVersion`].
    pub fn of_document(document: &Value) -> Result<Self, Error> {
        Self::checked(document).map_err(Fault::when_written)
    }

    /// Reads a snapshot of either version.
    ///
    /// The first thing that is wrong is named, in this order: the JSON, the version, the keys, the
    /// identity, each turn, each line of the transcript, the compactions, the loop.
    ///
    /// # Errors
    /// - [`ErrorKind::Corrupt`] that names the part that is wrong, and the two ways out.
    /// - [`ErrorKind::UnknownVersion`] that names the version and those that can be read.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let document =
            json::parse_bytes(bytes).map_err(|error| Fault::new(error.clause()).when_read())?;
        Self::checked(&document).map_err(Fault::when_read)
    }

    /// Writes it in the current version: the form of Python's `json.dumps(value, indent=2)`, and
    /// a line end.
    pub fn encode(&self) -> String {
        let mut text = json::pretty(&Value::Object(self.document.clone()));
        text.push('\n');
        text
    }

    /// The version that it was read from; [`encode`](Self::encode) writes the second one.
    pub fn version(&self) -> Version {
        self.version
    }

    /// What it says.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Takes what it says, to go on from there.
    pub fn into_contents(self) -> Contents {
        self.contents
    }

    fn checked(document: &Value) -> Result<Self, Fault> {
        if document.depth() > MAX_DEPTH {
            return Err(Fault::new(format!("it has more than {MAX_DEPTH} levels")));
        }
        let object =
            document.as_object().ok_or_else(|| Fault::new("the snapshot is not an object"))?;
        let version = version(object)?;
        let fields = Fields::of(document, "", Names { required: &KEYS, optional: &[] })?;
        let identity = Identity::read(fields.value("identity")?, "identity")?;
        let turns = fields.each("turns", Turn::read)?;
        let transcript = fields.each("transcript", Remark::read)?;
        let compactions = fields.count("compactions")?;
        let is_old = version == Version::One;
        let progress = Progress::read(fields.value("loop")?, "loop", is_old)?;
        let contents = Contents { identity, turns, transcript, progress, compactions };
        let document = object.clone().with("version", 2_u64);
        Ok(Self { version, contents, document })
    }
}

fn version(object: &Object) -> Result<Version, Fault> {
    let value = object.get("version").ok_or_else(|| Fault::new("version is missing"))?;
    match count(value) {
        Some(1) => Ok(Version::One),
        Some(2) => Ok(Version::Two),
        Some(other) => Err(Fault::of_kind(
            ErrorKind::UnknownVersion,
            format!("it is of version {other}, and versions 1 and 2 are read"),
        )),
        None => Err(Fault::new("version is not an integer from 0 to 2^63 - 1")),
    }
}

impl fmt::Debug for Contents {
    /// Tells counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contents")
            .field("turns", &self.turns.len())
            .field("transcript", &self.transcript.len())
            .field("compactions", &self.compactions)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Snapshot {
    /// Tells the version and counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("version", &self.version)
            .field("contents", &self.contents)
            .finish_non_exhaustive()
    }
}
