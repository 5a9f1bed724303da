//! The table of system calls that are refused to confined processes: which, when, and why.
//!
//! It closes what container engines close by default, and what names processes, keys or messages
//! outside of a run. The guide shows it; a test compares both.

/// A system call: the name of its constant, and its number on this machine.
type SystemCall = (&'static str, i64);

/// One row of the table.
pub(super) struct CallRule {
    /// The calls.
    pub(super) calls: &'static [SystemCall],
    /// The arguments with which they are refused.
    pub(super) when: RefusedWhen,
    /// The error that the caller gets.
    pub(super) error: RefusalError,
    /// The way in which they are opened.
    pub(super) opening: CallOpening,
    /// The reason, which the guide shows.
    why: &'static str,
}

/// The arguments with which a call is refused.
pub(super) enum RefusedWhen {
    /// Any.
    Always,
    /// Any of these alternatives holds, each a list of conditions that hold together; and the same in words.
    Arguments(&'static [&'static [ArgumentCondition]], &'static str),
    /// A socket of a family that the policy does not open.
    SocketFamily,
}

/// A condition on the lower 32 bits of an argument, counted from 0.
#[derive(Clone, Copy)]
pub(super) enum ArgumentCondition {
    Is(u8, u64),
    IsNot(u8, u64),
    HasBit(u8, u64),
}

/// The error of a refused call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefusalError {
    /// It is not permitted.
    NotPermitted,
    /// The kernel does not have it, so that libraries use an older call instead.
    Missing,
}

/// The opening of the calls of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallOpening {
    /// Nothing.
    Never,
    /// A program that confines has to make them itself.
    ConfiningProgram,
    /// The process has its own namespace of IPC, or the user opened them.
    Ipc,
}

use ArgumentCondition::{HasBit, Is, IsNot};
use CallOpening::{ConfiningProgram, Ipc, Never};
use RefusalError::{Missing, NotPermitted};
use RefusedWhen::{Always, Arguments, SocketFamily};

/// The highest number of a call that this table knows (`removexattrat`, Linux 6.13). Later calls are
/// missing for confined processes, until somebody has looked at them.
pub(super) const LAST_KNOWN: u32 = 466;

macro_rules! calls {
    ($($name:ident),+ $(,)?) => { &[$((stringify!($name), libc::$name)),+] };
}

const fn always(calls: &'static [SystemCall], why: &'static str) -> CallRule {
    CallRule {
        calls,
        when: Always,
        error: NotPermitted,
        opening: Never,
        why,
    }
}

const fn sometimes(calls: &'static [SystemCall], when: RefusedWhen, why: &'static str) -> CallRule {
    CallRule {
        when,
        ..always(calls, why)
    }
}

const fn opened(calls: &'static [SystemCall], opening: CallOpening, why: &'static str) -> CallRule {
    CallRule {
        opening,
        ..always(calls, why)
    }
}

/// The kinds of targets of a priority that mean one process.
const PRIORITY_OF_PROCESS: u64 = libc::PRIO_PROCESS as u64;
const DISK_PRIORITY_OF_PROCESS: u64 = 1;
/// The flags of new namespaces: clocks, mounts, control groups, names of hosts, IPC, users, processes and networks.
const NAMESPACES_TO_LEAVE: &[&[ArgumentCondition]] = &[
    &[HasBit(0, 0x0000_0080)],
    &[HasBit(0, 0x0002_0000)],
    &[HasBit(0, 0x0200_0000)],
    &[HasBit(0, 0x0400_0000)],
    &[HasBit(0, 0x0800_0000)],
    &[HasBit(0, 0x1000_0000)],
    &[HasBit(0, 0x2000_0000)],
    &[HasBit(0, 0x4000_0000)],
];
/// The same without that of clocks, which is no flag of `clone`.
const NAMESPACES: &[&[ArgumentCondition]] = NAMESPACES_TO_LEAVE.split_at(1).1;
/// The usual personality, those of 32 bits and of old kernel names, and the question for the present one.
const UNUSUAL_PERSONALITY: &[&[ArgumentCondition]] = &[&[
    IsNot(0, 0),
    IsNot(0, 0x0008),
    IsNot(0, 0x0002_0000),
    IsNot(0, 0x0002_0008),
    IsNot(0, 0xFFFF_FFFF),
]];

/// The table.
#[rustfmt::skip]
pub(super) const REFUSED_CALLS: &[CallRule] = &[
    always(calls![SYS_add_key, SYS_request_key, SYS_keyctl], "keyrings belong to the user, not to the run"),
    always(calls![SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register],
        "requests in a ring pass by this filter"),
    sometimes(calls![SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setparam, SYS_sched_setscheduler,
        SYS_sched_setattr], Arguments(&[&[IsNot(0, 0)]], "of another process"),
        "limits and priorities of processes outside"),
    sometimes(calls![SYS_setpriority], Arguments(&[&[IsNot(1, 0)], &[IsNot(0, PRIORITY_OF_PROCESS)]],
        "of another process, a group or a user"), "priorities of processes outside"),
    sometimes(calls![SYS_ioprio_set], Arguments(&[&[IsNot(1, 0)], &[IsNot(0, DISK_PRIORITY_OF_PROCESS)]],
        "of another process, a group or a user"), "priorities of processes outside"),
    always(calls![SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise],
        "memory of other processes; debuggers use `ptrace`"),
    always(calls![SYS_kcmp, SYS_pidfd_getfd], "descriptors of other processes"),
    sometimes(calls![SYS_ioctl], Arguments(&[&[Is(1, 0x5412)], &[Is(1, 0x541C)]], "with `TIOCSTI` or `TIOCLINUX`"),
        "input for the user's terminal"),
    always(calls![SYS_vhangup], "ends the session of the user's terminal"),
    sometimes(calls![SYS_socket], SocketFamily,
        "other families than those of the policy: little used, and often at fault"),
    sometimes(calls![SYS_socketpair], Arguments(&[&[IsNot(0, libc::AF_UNIX as u64)]],
        "of another family than `AF_UNIX`"), "as `socket`"),
    opened(calls![SYS_unshare], ConfiningProgram,
        "with a new namespace a process gets every capability inside, and more of the kernel")
        .with(Arguments(NAMESPACES_TO_LEAVE, "with the flag of a new namespace")),
    opened(calls![SYS_clone], ConfiningProgram, "as `unshare`")
        .with(Arguments(NAMESPACES, "with the flag of a new namespace")),
    CallRule { error: Missing, ..opened(calls![SYS_clone3], ConfiningProgram,
        "its flags lie in memory, where no filter looks; libraries use `clone` instead") },
    opened(calls![SYS_setns], ConfiningProgram, "namespaces of processes outside"),
    opened(calls![SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick,
        SYS_open_tree, SYS_move_mount, SYS_mount_setattr], ConfiningProgram, "the view of files is that of the policy"),
    opened(calls![SYS_sethostname, SYS_setdomainname], ConfiningProgram, "names of the machine"),
    opened(calls![SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl, SYS_msgget,
        SYS_msgsnd, SYS_msgrcv, SYS_msgctl], Ipc,
        "shared memory, semaphores and messages of the user's other programs (System V)"),
    opened(calls![SYS_mq_open, SYS_mq_unlink], Ipc, "messages of the user's other programs (POSIX)"),
    always(calls![SYS_open_by_handle_at], "files by number, past all folders"),
    always(calls![SYS_bpf, SYS_perf_event_open, SYS_userfaultfd], "parts of the kernel that break-outs go through"),
    always(calls![SYS_init_module, SYS_finit_module, SYS_delete_module], "modules of the kernel"),
    always(calls![SYS_kexec_load, SYS_reboot], "another kernel, and the end of this one"),
    #[cfg(not(target_arch = "riscv64"))]
    always(calls![SYS_kexec_file_load], "another kernel"),
    always(calls![SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl, SYS_quotactl_fd],
        "disks and accounts of the whole machine"),
    always(calls![SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex],
        "the clock of the whole machine"),
    always(calls![SYS_syslog, SYS_lookup_dcookie, SYS_fanotify_init], "what the rest of the machine does"),
    always(calls![SYS_mbind, SYS_set_mempolicy, SYS_get_mempolicy, SYS_set_mempolicy_home_node, SYS_migrate_pages,
        SYS_move_pages], "places of memory, those of other processes among them"),
    sometimes(calls![SYS_personality], Arguments(UNUSUAL_PERSONALITY, "with an unusual value"),
        "switches protections off that programs are built with"),
    always(calls![SYS_nfsservctl], "calls of old kernels"),
    #[cfg(target_arch = "x86_64")]
    always(calls![SYS_iopl, SYS_ioperm, SYS_uselib, SYS_ustat, SYS_sysfs, SYS__sysctl],
        "ports of devices, and calls of old kernels (x86-64)"),
];

impl CallRule {
    /// Returns the same row for some arguments.
    const fn with(self, when: RefusedWhen) -> Self {
        Self { when, ..self }
    }

    /// Returns the row of the guide's table.
    fn row(&self) -> String {
        let names = self
            .calls
            .iter()
            .map(|(name, _)| name.trim_start_matches("SYS_"));
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let mut when = match &self.when {
            Always => "always".to_owned(),
            Arguments(_, words) => (*words).to_owned(),
            SocketFamily => "of a family that is not open".to_owned(),
        };
        match self.opening {
            Never => {}
            ConfiningProgram => when.push_str("; not with `bubblewrap`, which needs them itself"),
            Ipc => when.push_str("; not in a namespace of its own, or with `confine.ipc: open`"),
        }
        let error = match self.error {
            NotPermitted => "EPERM",
            Missing => "ENOSYS",
        };
        format!("| {} | {when} | {error} | {} |", names.join(", "), self.why)
    }
}

/// Returns the table as the guide shows it.
pub fn refused_calls_table() -> String {
    let mut table = String::from("| Calls | Refused | Error | Why |\n|---|---|---|---|\n");
    for rule in REFUSED_CALLS {
        table.push_str(&rule.row());
        table.push('\n');
    }
    table.push_str(&format!(
        "| every call with a number above {LAST_KNOWN} | always | ENOSYS | calls of later kernels, which nobody has looked at |\n"
    ));
    table
}
