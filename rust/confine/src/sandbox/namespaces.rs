//! Enters namespaces and prepares what is seen in them.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use chant_store::disk;
use nix::sched::{CloneFlags, setns, unshare};
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, mkdirat, open};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change,
    move_mount, open_tree,
};
use rustix::process::{Resource, Rlimit, getegid, geteuid, setrlimit};
use rustix::system::uname;

use super::network::raise_loopback;
use crate::policy::{ConfinePolicy, IpcAccess, OverlayMount, SHARED_MEMORY};
use crate::refused;

/// The options of the own file system of shared memory.
const MEMORY_OPTIONS: &std::ffi::CStr = c"mode=1777,size=1g,nr_inodes=65536";
/// The numbers of processes that the kernel keeps for its own.
const RESERVED: u32 = 300;
/// The first kernel with a limit of processes for each namespace: before, there is one for the whole
/// system in its place.
const LIMITED_SINCE: (u32, u32) = (6, 14);

/// The rights with which namespaces were entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamespaceOwner {
    /// Those of a user namespace of their own.
    User,
    /// Those of the superuser.
    Superuser,
}

/// Moves this process to a control group.
pub(super) fn join_control_group(folder: &Path) -> io::Result<()> {
    let failed = |why: Errno| {
        let folder = folder.display();
        refused(format_args!(
            "its control group `{folder}` cannot be entered: {why}"
        ))
    };
    write(&folder.join("cgroup.procs"), "0").map_err(failed)
}

/// Moves this process, which must have one thread, into new namespaces, and the processes that it
/// starts next into a new namespace of processes.
pub(super) fn enter(policy: &ConfinePolicy) -> io::Result<NamespaceOwner> {
    let owner = enter_kinds(own_kinds(policy) | network_kind(policy))?;
    if policy.has_own_network() {
        raise_loopback()?;
    }
    Ok(owner)
}

/// Moves this process into the namespaces that a holder keeps for others.
pub(super) fn enter_held(policy: &ConfinePolicy) -> io::Result<NamespaceOwner> {
    let owner = enter_kinds(CloneFlags::CLONE_NEWNS | network_kind(policy))?;
    if policy.has_own_network() {
        raise_loopback()?;
    }
    Ok(owner)
}

/// Moves this process into a copy of the mounts of a holder, which show the same file systems, into its network, and
/// otherwise into namespaces of its own as [`enter`] does.
pub(super) fn share(policy: &ConfinePolicy, holder: u32) -> io::Result<NamespaceOwner> {
    let owner = join(policy, holder)?;
    unshare(own_kinds(policy))
        .map_err(|why| refused(format_args!("it gets no namespaces of its own: {why}")))?;
    Ok(owner)
}

/// Moves this process into the namespaces of a holder.
pub(super) fn join(policy: &ConfinePolicy, holder: u32) -> io::Result<NamespaceOwner> {
    let failed = |why: &dyn std::fmt::Display| {
        refused(format_args!(
            "it gets no share in the namespaces of process {holder}: {why}"
        ))
    };
    let opened = |kind: &str| {
        let path = format!("/proc/{holder}/ns/{kind}");
        open(&*path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
    };
    let number = |file: &OwnedFd| fstat(file).map(|found| found.st_ino);
    let mut kinds = vec![("mnt", CloneFlags::CLONE_NEWNS)];
    if policy.has_own_network() {
        kinds.push(("net", CloneFlags::CLONE_NEWNET));
    }
    let user = opened("user").map_err(|why| failed(&why))?;
    let others = kinds
        .into_iter()
        .map(|(name, kind)| Ok((opened(name)?, kind)));
    let others: Vec<_> = others
        .collect::<Result<_, Errno>>()
        .map_err(|why| failed(&why))?;
    let own = open(
        "/proc/self/ns/user",
        OFlags::RDONLY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .map_err(|why| failed(&why))?;
    let same =
        number(&own).map_err(|why| failed(&why))? == number(&user).map_err(|why| failed(&why))?;
    let owner = if same {
        NamespaceOwner::Superuser
    } else {
        setns(user, CloneFlags::CLONE_NEWUSER).map_err(|why| failed(&why))?;
        NamespaceOwner::User
    };
    for (namespace, kind) in others {
        setns(namespace, kind).map_err(|why| failed(&why))?;
    }
    Ok(owner)
}

/// Returns the namespaces that each confined process has of its own.
fn own_kinds(policy: &ConfinePolicy) -> CloneFlags {
    let mut kinds = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS;
    if policy.ipc == IpcAccess::Private {
        kinds |= CloneFlags::CLONE_NEWIPC;
    }
    kinds
}

/// Returns the kind of namespace of an own network, if the policy has one.
fn network_kind(policy: &ConfinePolicy) -> CloneFlags {
    if policy.has_own_network() {
        CloneFlags::CLONE_NEWNET
    } else {
        CloneFlags::empty()
    }
}

fn enter_kinds(kinds: CloneFlags) -> io::Result<NamespaceOwner> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let failed = |why: &dyn std::fmt::Display| {
        refused(format_args!("it gets no namespaces of its own: {why}"))
    };
    let Err(why) = unshare(kinds | CloneFlags::CLONE_NEWUSER) else {
        let own = [
            ("/proc/self/setgroups", "deny".to_owned()),
            ("/proc/self/uid_map", format!("{user} {user} 1\n")),
            ("/proc/self/gid_map", format!("{group} {group} 1\n")),
        ];
        for (path, text) in own {
            write(Path::new(path), &text).map_err(|why| failed(&why))?;
        }
        return Ok(NamespaceOwner::User);
    };
    // Where user namespaces are switched off, the superuser needs none.
    match unshare(kinds) {
        Ok(()) => Ok(NamespaceOwner::Superuser),
        Err(_) => Err(failed(&why)),
    }
}

/// Prepares the namespaces, in their first process: shared memory and a list of processes of their own, and
/// their limits.
pub(super) fn prepare(policy: &ConfinePolicy, owner: NamespaceOwner) -> io::Result<()> {
    let failed = |what: &'static str| {
        move |why: Errno| refused(format_args!("{what} cannot be its own: {why}"))
    };
    part_from_mounts_outside()?;
    if !policy.opens_shared_memory() {
        cover_shared_memory(policy).map_err(failed("its shared memory"))?;
    }
    if policy.shares_namespaces_of.is_none() {
        mount_views(policy, owner)?;
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).map_err(failed("its list of processes"))?;
    limit_processes(policy).map_err(failed("its limit of processes"))?;
    if owner == NamespaceOwner::User {
        // Of the namespaces in it: those of the system keep theirs.
        let limit = Path::new("/proc/sys/user/max_user_namespaces");
        write(limit, "0").map_err(failed("its limit of namespaces"))?;
    }
    Ok(())
}

/// Keeps mounts outside from appearing here, and those from here outside.
pub(super) fn part_from_mounts_outside() -> io::Result<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private)
        .map_err(|why| refused(format_args!("its mounts cannot be its own: {why}")))
}

/// Mounts the overlays of a policy, and empties the folders that it covers.
pub(super) fn mount_views(policy: &ConfinePolicy, owner: NamespaceOwner) -> io::Result<()> {
    for overlay in &policy.overlays {
        mount_overlay(overlay, owner)?;
    }
    policy.covered.iter().try_for_each(|folder| cover(folder))
}

/// Mounts the files of a folder on another one.
fn mount_overlay(overlay: &OverlayMount, owner: NamespaceOwner) -> io::Result<()> {
    let target = &overlay.target;
    let failed = |why: &dyn std::fmt::Display| {
        let target = target.display();
        refused(format_args!("`{target}` cannot be mounted: {why}"))
    };
    // An earlier process may have put a link there, which would lead the mount elsewhere.
    let real = disk::real(target).map_err(|why| failed(&why))?;
    if real != *target {
        return Err(failed(&"a link leads there"));
    }
    let mut options = format!(
        "lowerdir={},upperdir={},workdir={}",
        escaped(&overlay.lower)?,
        escaped(&overlay.upper)?,
        escaped(&overlay.work)?
    );
    if owner == NamespaceOwner::User {
        // Others are reserved to the superuser of the system.
        options.push_str(",userxattr");
    }
    let options = CString::new(options)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("overlay", target, "overlay", flags, options.as_c_str()).map_err(|why| failed(&why))
}

/// Returns a path as an option of the overlay file system, which separates paths by colons and options by commas.
fn escaped(path: &Path) -> io::Result<String> {
    let text = path.to_str().ok_or_else(|| {
        let path = path.display();
        refused(format_args!("`{path}` is no Unicode text"))
    })?;
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if [',', ':', '\\'].contains(&letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    Ok(escaped)
}

/// Mounts an empty file system in the place of a folder, if it is there.
fn cover(folder: &Path) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
    match mount("tmpfs", folder, "tmpfs", flags, c"mode=0,size=4k") {
        Err(Errno::NOENT) => Ok(()),
        mounted => mounted.map_err(|why| {
            let folder = folder.display();
            refused(format_args!("`{folder}` cannot be covered: {why}"))
        }),
    }
}

/// Mounts an empty file system in the place of that of shared memory; what the policy opens there stays.
fn cover_shared_memory(policy: &ConfinePolicy) -> Result<(), Errno> {
    let kept: BTreeSet<PathBuf> = policy.opened_in_shared_memory().collect();
    let clone = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
    let mut trees = Vec::new();
    for path in kept {
        match open_tree(CWD, &path, clone) {
            Ok(tree) => trees.push((path, tree)),
            Err(Errno::NOENT) => {}
            Err(why) => return Err(why),
        }
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    match mount("tmpfs", SHARED_MEMORY, "tmpfs", flags, MEMORY_OPTIONS) {
        // There is none.
        Err(Errno::NOENT) => return Ok(()),
        mounted => mounted?,
    }
    for (path, tree) in trees {
        if FileType::from_raw_mode(fstat(&tree)?.st_mode).is_dir() {
            mkdirat(CWD, &path, Mode::RWXU)?;
        } else {
            open(&path, OFlags::CREATE | OFlags::CLOEXEC, Mode::RUSR)?;
        }
        let of_itself = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(&tree, "", CWD, &path, of_itself)?;
    }
    Ok(())
}

fn limit_processes(policy: &ConfinePolicy) -> Result<(), Errno> {
    let Some(most) = policy.max_processes else {
        return Ok(());
    };
    if kernel() >= LIMITED_SINCE {
        let numbers = most.saturating_add(RESERVED);
        write(Path::new("/proc/sys/kernel/pid_max"), &numbers.to_string())?;
    }
    // The kernel counts a user's processes for each user namespace, but not those of the superuser.
    let limit = Some(u64::from(most));
    setrlimit(
        Resource::Nproc,
        Rlimit {
            current: limit,
            maximum: limit,
        },
    )
}

/// Returns the version of the kernel.
fn kernel() -> (u32, u32) {
    let name = uname();
    let release = name.release().to_string_lossy();
    let mut numbers = release
        .split(|one: char| !one.is_ascii_digit())
        .map(|one| one.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Writes a file that the kernel makes up.
fn write(path: &Path, text: &str) -> Result<(), Errno> {
    let file = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text.as_bytes()).map(drop)
}
