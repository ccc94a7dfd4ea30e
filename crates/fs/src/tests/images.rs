//! What a power cut may leave of a tree of files and folders.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::images_pages::Contents;
use crate::record::{Act, Inode};

/// More changes of one folder's names than this are too many to choose from one by one.
const MOST_UNSYNCED_NAMES: usize = 8;

/// Which syncs do what they are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syncs {
    pub(super) files: bool,
    pub(super) folders: bool,
}

impl Syncs {
    pub(super) const ALL: Self = Self { files: true, folders: true };
}

/// A file or a folder, by its place in [`Disk::nodes`]: an inode may be used again, a place is not.
type Node = usize;
type Names = BTreeMap<String, Node>;

/// What a name leads to from then on; several names that change together.
type Renaming = Vec<(String, Option<Node>)>;

#[derive(Clone, Debug)]
enum Kind {
    File(Contents),
    Folder { durable: Names, unsynced: Vec<Renaming> },
}

/// One choice of what is left of a file or a folder.
#[derive(Clone, Debug)]
enum Left {
    File(Arc<Vec<u8>>),
    Folder(Arc<Names>),
}

/// A tree of files with what is durable of it and what is not yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    /// The first one is the folder of all.
    nodes: Vec<Kind>,
    places: HashMap<Inode, Node>,
}

impl Disk {
    /// A folder as it stands, all of it durable.
    pub(super) fn of(folder: &Path) -> Self {
        let mut disk = Self::default();
        disk.add_durable(folder);
        disk
    }

    fn add_durable(&mut self, path: &Path) -> Node {
        let node = self.nodes.len();
        self.places.insert(fs::metadata(path).unwrap().ino(), node);
        self.nodes.push(Kind::Folder { durable: Names::new(), unsynced: Vec::new() });
        let kind = if path.is_dir() {
            let mut durable = Names::new();
            // Of catalogs the record tells nothing.
            let is_derived = path.ends_with("catalog");
            for entry in fs::read_dir(path).unwrap().filter(|_| !is_derived) {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                durable.insert(name, self.add_durable(&entry.path()));
            }
            Kind::Folder { durable, unsynced: Vec::new() }
        } else {
            Kind::File(Contents::durable(fs::read(path).unwrap()))
        };
        self.nodes[node] = kind;
        node
    }

    /// Does again what the door did.
    pub(super) fn play(&mut self, act: &Act, syncs: Syncs) {
        match act {
            Act::Make { folder, name, inode, is_folder } => {
                let node = self.nodes.len();
                self.nodes.push(if *is_folder {
                    Kind::Folder { durable: Names::new(), unsynced: Vec::new() }
                } else {
                    Kind::File(Contents::default())
                });
                self.places.insert(*inode, node);
                self.rename(*folder, vec![(name.clone(), Some(node))]);
            }
            Act::Link { folder, from, to } => {
                let node = self.names(*folder)[from];
                self.rename(*folder, vec![(to.clone(), Some(node))]);
            }
            Act::Rename { folder, from, to } => {
                let node = self.names(*folder)[from];
                self.rename(*folder, vec![(from.clone(), None), (to.clone(), Some(node))]);
            }
            Act::Remove { folder, name } => self.rename(*folder, vec![(name.clone(), None)]),
            Act::SyncFolder { folder } if syncs.folders => {
                let names = self.names(*folder);
                self.nodes[self.places[folder]] =
                    Kind::Folder { durable: names, unsynced: Vec::new() };
            }
            Act::Write { file, offset, bytes } => self.contents(*file).write(*offset, bytes),
            Act::Cut { file, size } => self.contents(*file).cut(*size),
            Act::SyncFile { file } if syncs.files => self.contents(*file).sync(),
            Act::SyncFolder { .. } | Act::SyncFile { .. } => {}
        }
    }

    /// Whether a file holds these bytes as it stands, somewhere.
    pub(super) fn holds(&self, bytes: &[u8]) -> bool {
        self.images().iter().any(|image| image.holds(bytes))
    }

    fn contents(&mut self, file: Inode) -> &mut Contents {
        match &mut self.nodes[self.places[&file]] {
            Kind::File(contents) => contents,
            Kind::Folder { .. } => panic!("a folder has no bytes"),
        }
    }

    /// The names in a folder as a program sees them.
    fn names(&self, folder: Inode) -> Names {
        match &self.nodes[self.places[&folder]] {
            Kind::Folder { durable, unsynced } => renamed(durable, unsynced),
            Kind::File(_) => panic!("a file has no names in it"),
        }
    }

    fn rename(&mut self, folder: Inode, renaming: Renaming) {
        match &mut self.nodes[self.places[&folder]] {
            Kind::Folder { unsynced, .. } => unsynced.push(renaming),
            Kind::File(_) => panic!("a file has no names in it"),
        }
    }

    /// Each image that a power cut may leave now: every choice of names with every choice of bytes.
    pub(super) fn images(&self) -> Vec<Image> {
        let mut worlds = vec![Vec::new()];
        for kind in &self.nodes {
            let choices = kind.left();
            let with = |world: Vec<Left>| {
                let each = choices.iter().cloned();
                each.map(move |left| [world.as_slice(), &[left]].concat()).collect::<Vec<_>>()
            };
            worlds = worlds.into_iter().flat_map(with).collect();
        }
        let image = |world: &Vec<Left>| {
            let mut image = Image::default();
            image.add(world, 0, Path::new(""));
            image
        };
        worlds.iter().map(image).collect()
    }
}

impl Kind {
    fn left(&self) -> Vec<Left> {
        match self {
            Self::File(contents) => contents.left().into_iter().map(Left::File).collect(),
            Self::Folder { durable, unsynced } => {
                assert!(unsynced.len() <= MOST_UNSYNCED_NAMES, "{unsynced:?}");
                let choose = |choice: u32| {
                    let kept = unsynced.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1);
                    Left::Folder(Arc::new(renamed(durable, kept.map(|(_, renaming)| renaming))))
                };
                (0..1 << unsynced.len()).map(choose).collect()
            }
        }
    }
}

fn renamed<'a>(durable: &Names, renamings: impl IntoIterator<Item = &'a Renaming>) -> Names {
    let mut names = durable.clone();
    for (name, node) in renamings.into_iter().flatten() {
        match node {
            Some(node) => names.insert(name.clone(), *node),
            None => names.remove(name),
        };
    }
    names
}

/// A tree as it is found after a power cut: the bytes of its files, nothing for its folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Image(BTreeMap<PathBuf, Option<Arc<Vec<u8>>>>);

impl Image {
    fn add(&mut self, world: &[Left], node: Node, path: &Path) {
        match &world[node] {
            Left::File(bytes) => {
                self.0.insert(path.to_owned(), Some(Arc::clone(bytes)));
            }
            Left::Folder(names) => {
                self.0.insert(path.to_owned(), None);
                for (name, node) in names.iter() {
                    self.add(world, *node, &path.join(name));
                }
            }
        }
    }

    /// Makes the image in a folder that is empty.
    #[expect(clippy::disallowed_methods, reason = "what is made is what the door left")]
    pub(super) fn make(&self, folder: &Path) {
        for (path, bytes) in &self.0 {
            match bytes {
                Some(bytes) => fs::write(folder.join(path), bytes.as_slice()).unwrap(),
                None => fs::create_dir_all(folder.join(path)).unwrap(),
            }
        }
    }

    /// Whether a file holds these bytes, somewhere.
    pub(super) fn holds(&self, bytes: &[u8]) -> bool {
        let files = self.0.values().flatten();
        files.into_iter().any(|file| memchr::memmem::find(file, bytes).is_some())
    }
}

impl std::fmt::Display for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (path, bytes) in &self.0 {
            let Some(bytes) = bytes else { continue };
            let count = |which: fn(&u8) -> bool| bytes.iter().filter(|byte| which(byte)).count();
            let (zeros, ends) = (count(|byte| *byte == 0), count(|byte| *byte == b'\n'));
            let size = bytes.len();
            writeln!(f, "  {}: {size} bytes, {zeros} zeros, {ends} line ends", path.display())?;
        }
        Ok(())
    }
}
