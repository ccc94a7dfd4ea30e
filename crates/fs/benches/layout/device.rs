//! The filesystem below a directory, and what its device has written.

use std::fs::read_to_string;
use std::io;
use std::ops::{Add, Sub};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub(crate) struct Device {
    /// Type and mount options, as the kernel names them.
    pub(crate) filesystem: String,
    /// Absent where no block device lies directly below, as with a filesystem in memory.
    counters: Option<PathBuf>,
}

/// What a device has been asked to do; anybody else's requests are in it too.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counters {
    pub(crate) writes: f64,
    pub(crate) kib: f64,
    pub(crate) flushes: f64,
}

impl Device {
    pub(crate) fn under(directory: &Path) -> io::Result<Self> {
        let directory = directory.canonicalize()?;
        let mounts = read_to_string("/proc/self/mountinfo")?;
        // The last of equal mount points is the one in sight.
        let mount = mounts
            .lines()
            .filter_map(Mount::parse)
            .filter(|mount| directory.starts_with(mount.point))
            .max_by_key(|mount| mount.point.len())
            .ok_or_else(|| io::Error::other("no mount point found"))?;
        let filesystem = format!("{} ({})", mount.filesystem, mount.options);
        Ok(Self { filesystem, counters: statistics(mount.source) })
    }

    pub(crate) fn counters(&self) -> Option<Counters> {
        let line = read_to_string(self.counters.as_ref()?).ok()?;
        let fields: Vec<f64> = line.split_whitespace().map_while(|it| it.parse().ok()).collect();
        // The kernel's documentation, block/stat.rst: sectors are of 512 bytes whatever the disk's.
        let (writes, sectors, flushes) = (*fields.get(4)?, *fields.get(6)?, *fields.get(15)?);
        Some(Counters { writes, kib: sectors / 2.0, flushes })
    }
}

struct Mount<'a> {
    point: &'a str,
    filesystem: &'a str,
    source: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    /// `36 35 98:0 /root /point options optional... - type source super-options`
    fn parse(line: &'a str) -> Option<Self> {
        let (mount, filesystem) = line.split_once(" - ")?;
        let point = mount.split(' ').nth(4)?;
        let mut fields = filesystem.split(' ');
        let (filesystem, source, options) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Self { point, filesystem, source, options })
    }
}

/// The counters of the disk that `source` is, or is a partition of: a partition counts no flushes.
fn statistics(source: &str) -> Option<PathBuf> {
    let number = Path::new(source).metadata().ok()?.rdev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let block = PathBuf::from(format!("/sys/dev/block/{major}:{minor}")).canonicalize().ok()?;
    let partition = block.join("partition").exists();
    let disk = if partition { block.parent()?.to_owned() } else { block };
    Some(disk.join("stat")).filter(|counters| counters.exists())
}

impl Sub for Counters {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            writes: self.writes - before.writes,
            kib: self.kib - before.kib,
            flushes: self.flushes - before.flushes,
        }
    }
}

impl Add for Counters {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            writes: self.writes + more.writes,
            kib: self.kib + more.kib,
            flushes: self.flushes + more.flushes,
        }
    }
}
