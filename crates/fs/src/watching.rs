//! Being told by the system that a file has changed.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
mod told {
    use std::os::fd::AsFd as _;
    use std::path::Path;
    use std::thread;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
    use rustix::io::{Errno, Result};
    use tokio::sync::oneshot::{self, Sender};

    /// How long a thread waits before it looks whether anybody still listens.
    const LOOK: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

    /// Waits until a file has changed, its name leads elsewhere, or it can't be told.
    pub(super) async fn changed(path: std::path::PathBuf) -> Option<()> {
        let (told, hears) = oneshot::channel();
        let waiting = thread::Builder::new().name("sessile-watch".to_owned()).spawn(move || {
            if matches!(wait(&path, &told), Ok(true)) {
                // Nobody listens any more.
                let _unheard = told.send(());
            }
        });
        waiting.ok()?;
        hears.await.ok()
    }

    /// Whether the file has changed; it has not where nobody listens any more.
    fn wait(path: &Path, told: &Sender<()>) -> Result<bool> {
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let of_interest = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::MOVE_SELF
            | WatchFlags::DELETE_SELF
            | WatchFlags::DONT_FOLLOW;
        inotify::add_watch(&events, path, of_interest)?;
        while !told.is_closed() {
            let mut polled = [PollFd::from_borrowed_fd(events.as_fd(), PollFlags::IN)];
            match poll(&mut polled, Some(&LOOK)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

/// Waits until a file has changed; for ever where the system does not tell.
pub(crate) async fn changed(path: PathBuf) {
    #[cfg(target_os = "linux")]
    if told::changed(path).await.is_some() {
        return;
    }
    #[cfg(not(target_os = "linux"))]
    drop(path);
    std::future::pending::<()>().await;
}
