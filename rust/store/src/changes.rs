//! Finds the files of a folder tree that changed since the last look.
//!
//! On Linux local disks an inotify queue is drained on demand: the kernel puts an event there before
//! the system call that caused it returns, so whatever was written before a call is seen by it. There
//! is no thread that could lag. Everywhere else, and whenever the queue cannot be trusted, the answer
//! is [`ChangedFiles::Unknown`], and the caller compares stamps.

use std::collections::BTreeSet;
#[cfg(unix)]
use std::io::{PipeReader, PipeWriter};
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The length of a wait where no changes are announced.
const MOMENT: Duration = Duration::from_millis(100);

/// The changes since the last look, as far as they are known.
#[derive(Debug, PartialEq, Eq)]
pub enum ChangedFiles {
    /// These files, by their path relative to the watched folder; none when empty.
    Files(BTreeSet<Box<str>>),
    /// Anything may have changed: look at every stamp.
    Unknown,
}

/// Watches a folder and the folders below it.
#[derive(Debug, Default)]
pub struct FolderWatch(Option<platform::Queue>);

impl FolderWatch {
    /// Starts watching a folder where its file system and a test of the kernel's queue allow it.
    pub fn start(folder: &Path) -> Self {
        Self(platform::Queue::start(folder))
    }

    /// Adds a folder below the first one; has to be called before that folder is listed.
    pub fn add(&mut self, folder: &Path, relative: &str) {
        if let Some(queue) = &mut self.0
            && !queue.add(folder, relative)
        {
            self.0 = None;
        }
    }

    /// The same watch, which names hidden files, too.
    #[must_use]
    pub fn hearing_hidden(mut self) -> Self {
        if let Some(queue) = &mut self.0 {
            queue.hear_hidden();
        }
        self
    }

    /// Returns true if changes are announced at all.
    pub fn is_trusted(&self) -> bool {
        self.0.is_some()
    }

    /// Something that is readable while there are changes to take; `None` where none are announced.
    #[cfg(unix)]
    pub fn wakes(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        self.0.as_ref().map(platform::Queue::wakes)
    }

    /// Waits until something changes, at most so long, and perhaps less: where no changes are announced,
    /// for a moment.
    pub fn wait(&mut self, most: Duration) {
        #[cfg(unix)]
        if let Some(wakes) = self.wakes() {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            let time = Timespec::try_from(most).ok();
            // Whatever happened, the caller looks.
            let _ = poll(&mut [PollFd::new(&wakes, PollFlags::IN)], time.as_ref());
            self.take();
            return;
        }
        std::thread::park_timeout(most.min(MOMENT));
    }

    /// As [`FolderWatch::wait`], and no longer than until the signal comes.
    pub fn wait_unless_stopped(&mut self, most: Duration, signal: &StopSignal) {
        #[cfg(unix)]
        if let Some(wakes) = self.wakes()
            && let Some((stopped, _)) = &signal.pipe
        {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            let time = Timespec::try_from(most).ok();
            let mut ends = [
                PollFd::new(&wakes, PollFlags::IN),
                PollFd::new(stopped, PollFlags::IN),
            ];
            // Whatever happened, the caller looks.
            let _ = poll(&mut ends, time.as_ref());
            self.take();
            return;
        }
        signal.pause(most.min(MOMENT));
    }

    /// Takes the changes since the last call.
    pub fn take(&mut self) -> ChangedFiles {
        match self.0.as_mut().and_then(platform::Queue::take) {
            Some(files) => ChangedFiles::Files(files),
            None => ChangedFiles::Unknown,
        }
    }
}

/// Ends waits from another thread, once and for good.
#[derive(Debug)]
pub struct StopSignal {
    is_stopped: Mutex<bool>,
    changed: Condvar,
    /// Readable from the signal on; `None` where there are no descriptors left.
    #[cfg(unix)]
    pipe: Option<(PipeReader, PipeWriter)>,
}

impl Default for StopSignal {
    fn default() -> Self {
        Self {
            is_stopped: Mutex::new(false),
            changed: Condvar::new(),
            #[cfg(unix)]
            pipe: std::io::pipe().ok(),
        }
    }
}

impl StopSignal {
    /// Ends the waits that are under way, and those to come.
    pub fn stop(&self) {
        let mut is_stopped = self
            .is_stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if *is_stopped {
            return;
        }
        *is_stopped = true;
        self.changed.notify_all();
        #[cfg(unix)]
        if let Some((_, writer)) = &self.pipe {
            use std::io::Write;
            // An empty pipe takes a byte; without it the wait ends by its own time.
            let _ = (&*writer).write(&[0]);
        }
    }

    /// Returns true if the signal came.
    pub fn is_stopped(&self) -> bool {
        *self
            .is_stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for so long, or until the signal comes.
    pub fn pause(&self, most: Duration) {
        let is_stopped = self
            .is_stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // A poisoned lock ends the pause early, which is no harm.
        let _ = self
            .changed
            .wait_timeout_while(is_stopped, most, |is_stopped| !*is_stopped);
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use std::collections::{BTreeSet, HashMap};
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::fs::{Mode, OFlags};

    /// File systems whose every change goes through this kernel: ext2–4, XFS, Btrfs, tmpfs,
    /// overlayfs, F2FS, ZFS, bcachefs.
    const LOCAL: [u32; 8] = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630, 0xF2F5_2010, 0x2FC1_2FC1,
        0xCA45_1A4E,
    ];

    /// The most queues of a process: a user has 128 of them, and each is an open file. Folders without one are
    /// looked at stamp by stamp.
    const MAX_QUEUES: usize = 64;

    /// The most descriptors that wait for a next queue.
    const MAX_IDLE: usize = 4;

    /// The most watches that are removed one by one; a descriptor with more of them is closed.
    const MAX_REMOVED: usize = 32;

    /// Descriptors whose queue is gone, each with the process that made it. To close one takes the kernel milliseconds,
    /// for which the caller waits; to remove its watches takes none.
    static IDLE: Mutex<Vec<(u32, OwnedFd)>> = Mutex::new(Vec::new());

    /// The number of queues of this process.
    static QUEUES: AtomicUsize = AtomicUsize::new(0);

    /// One of the queues that a process may have, until it is dropped.
    #[derive(Debug)]
    struct QueuePermit;

    impl QueuePermit {
        fn take() -> Option<Self> {
            let more = |count| (count < MAX_QUEUES).then_some(count + 1);
            let taken = QUEUES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
            taken.ok().map(|_| Self)
        }
    }

    impl Drop for QueuePermit {
        fn drop(&mut self) {
            QUEUES.fetch_sub(1, Ordering::Relaxed);
        }
    }

    #[derive(Debug)]
    pub(super) struct Queue {
        fd: OwnedFd,
        /// The process that made it. One that was split off later shares the queue: it takes nothing out and leaves
        /// the watches alone.
        process: u32,
        _permit: QueuePermit,
        /// The watch by which the kernel was tested.
        first: i32,
        /// Watch descriptor → path relative to the first folder, empty or ending in `/`.
        folders: HashMap<i32, Box<str>>,
        hears_hidden: bool,
    }

    impl Queue {
        pub(super) fn start(folder: &Path) -> Option<Self> {
            let permit = QueuePermit::take()?;
            let kind = rustix::fs::statfs(folder).ok()?.f_type;
            let is_local = u32::try_from(kind).is_ok_and(|kind| LOCAL.contains(&kind));
            if !is_local {
                return None;
            }
            let fd = match idle() {
                Some(fd) => fd,
                None => inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?,
            };
            let first = announcing(&fd, folder)?;
            Some(Self {
                fd,
                process: std::process::id(),
                _permit: permit,
                first,
                folders: HashMap::new(),
                hears_hidden: false,
            })
        }

        pub(super) fn hear_hidden(&mut self) {
            self.hears_hidden = true;
        }

        pub(super) fn wakes(&self) -> BorrowedFd<'_> {
            self.fd.as_fd()
        }

        pub(super) fn add(&mut self, folder: &Path, relative: &str) -> bool {
            let wanted = WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::ATTRIB
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            let Ok(watch) = inotify::add_watch(&self.fd, folder, wanted) else {
                return false;
            };
            let prefix = if relative.is_empty() {
                String::new()
            } else {
                format!("{relative}/")
            };
            self.folders.insert(watch, prefix.into());
            true
        }

        /// The changed files, or `None` when more than files changed or events were dropped.
        pub(super) fn take(&mut self) -> Option<BTreeSet<Box<str>>> {
            if self.process != std::process::id() {
                return None;
            }
            let structural = ReadFlags::QUEUE_OVERFLOW
                | ReadFlags::UNMOUNT
                | ReadFlags::IGNORED
                | ReadFlags::DELETE_SELF
                | ReadFlags::MOVE_SELF
                | ReadFlags::ISDIR;
            let mut files = BTreeSet::new();
            let mut buffer = [MaybeUninit::uninit(); 8192];
            let mut reader = Reader::new(&self.fd, &mut buffer);
            loop {
                let event = match reader.next() {
                    Ok(event) => event,
                    Err(rustix::io::Errno::AGAIN) => return Some(files),
                    Err(_) => return None,
                };
                if event.events().intersects(structural) {
                    return None;
                }
                let name = event.file_name()?.to_str().ok()?;
                let prefix = self.folders.get(&event.wd())?;
                if self.hears_hidden || !name.starts_with('.') {
                    files.insert(format!("{prefix}{name}").into());
                }
            }
        }
    }

    impl Drop for Queue {
        fn drop(&mut self) {
            if self.folders.len() > MAX_REMOVED || self.process != std::process::id() {
                return;
            }
            let mut kept = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() >= MAX_IDLE {
                // Others need not wait until it is closed.
                drop(kept);
                return;
            }
            for watch in self.folders.keys().chain([&self.first]) {
                // One that is gone with its folder cannot be removed again.
                let _ = inotify::remove_watch(&self.fd, *watch);
            }
            // Without a second descriptor the queue is closed.
            kept.extend(self.fd.try_clone().map(|fd| (self.process, fd)));
        }
    }

    /// Takes a descriptor without watches. Its queue may still hold what was announced before; new watches have
    /// numbers of their own.
    fn idle() -> Option<OwnedFd> {
        let mut kept = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that was split off shares its descriptors, and so their queues, with the one before it.
        kept.retain(|(process, _)| *process == std::process::id());
        kept.pop().map(|(_, fd)| fd)
    }

    /// Returns the watch by which opening a folder shows up in the queue at once: the proof that this kernel
    /// announces. What was in the queue before is taken out.
    fn announcing(fd: &OwnedFd, folder: &Path) -> Option<i32> {
        let watch = inotify::add_watch(fd, folder, WatchFlags::OPEN).ok()?;
        let opened = rustix::fs::open(
            folder,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        );
        let mut buffer = [MaybeUninit::uninit(); 1024];
        let mut reader = Reader::new(fd, &mut buffer);
        let mut seen = false;
        while let Ok(event) = reader.next() {
            seen |= event.wd() == watch && event.events().contains(ReadFlags::OPEN);
        }
        // The real watch takes the place of this one: one folder has one descriptor.
        (opened.is_ok() && seen).then_some(watch)
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use std::collections::BTreeSet;
    use std::path::Path;

    /// No system but Linux announces changes before the call that made them returns.
    #[derive(Debug)]
    pub(super) enum Queue {}

    impl Queue {
        pub(super) fn start(_folder: &Path) -> Option<Self> {
            None
        }

        pub(super) fn hear_hidden(&mut self) {}

        pub(super) fn add(&mut self, _folder: &Path, _relative: &str) -> bool {
            match *self {}
        }

        #[cfg(unix)]
        pub(super) fn wakes(&self) -> std::os::fd::BorrowedFd<'_> {
            match *self {}
        }

        pub(super) fn take(&mut self) -> Option<BTreeSet<Box<str>>> {
            match *self {}
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::disk;

    fn watching(folder: &Path) -> FolderWatch {
        let mut watch = FolderWatch::start(folder);
        watch.add(folder, "");
        watch
    }

    fn files<const N: usize>(names: [&str; N]) -> ChangedFiles {
        ChangedFiles::Files(names.into_iter().map(Into::into).collect())
    }

    #[test]
    fn a_watch_announces_nothing_of_the_one_before_it() {
        // More than the descriptors that are kept, so that some are used again.
        for _ in 0..20 {
            let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
            if !watching(first.path()).is_trusted() {
                return;
            }
            let mut old = watching(first.path());
            disk::create_owned(&first.path().join("seen"), "").unwrap();
            assert_eq!(old.take(), files(["seen"]));
            disk::create_owned(&first.path().join("not taken"), "").unwrap();
            drop(old);
            let mut new = watching(second.path());
            disk::create_owned(&first.path().join("elsewhere"), "").unwrap();
            assert_eq!(new.take(), files([]));
            disk::create_owned(&second.path().join("here"), "").unwrap();
            assert_eq!(new.take(), files(["here"]));
            let mut again = watching(first.path());
            disk::create_owned(&first.path().join("again"), "").unwrap();
            assert_eq!((again.take(), new.take()), (files(["again"]), files([])));
        }
    }
}
