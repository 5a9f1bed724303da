//! Filters system calls that Landlock does not cover: limits and priorities of other processes,
//! keyrings, request rings, kinds of sockets, and the terminal's input.

use std::io;
use std::sync::OnceLock;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::policy::{ConfinePolicy, NetworkAccess};
use super::refused;

/// Calls that name a process in their first argument, 0 for the caller's own.
const OF_PROCESSES: [i64; 5] = [
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
];
/// Calls that name a process in their second argument.
const OF_GROUPS: [i64; 2] = [libc::SYS_setpriority, libc::SYS_ioprio_set];
/// Calls that are refused with any arguments.
const REFUSED: [i64; 6] = [
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];
/// Commands that write into a terminal's input, or paste into it.
const TERMINAL_COMMANDS: [u64; 2] = [0x5412, 0x541C];
/// The kinds of targets of a priority that mean one process.
const ONE_PROCESS: [u64; 2] = [libc::PRIO_PROCESS as u64, 1];
/// The lowest number of a call in the x32 ABI.
const X32: u32 = 0x4000_0000;

/// Restricts the calling thread and all processes that it will start.
///
/// # Errors
/// A failure when the kernel accepts no such filter, or there is none for this machine.
pub(super) fn restrict(policy: &ConfinePolicy) -> io::Result<()> {
    static FILTERS: [OnceLock<Option<BpfProgram>>; 4] = [const { OnceLock::new() }; 4];
    let is_open = policy.network == NetworkAccess::Open;
    let at = usize::from(policy.unix_sockets) | usize::from(is_open) << 1;
    let made = || filter(policy.unix_sockets, is_open);
    let filter = FILTERS[at].get_or_init(made).as_ref();
    let filter = filter
        .ok_or_else(|| refused("there is no filter of system calls for this kind of machine"))?;
    apply_filter(filter).map_err(|why| {
        refused(format_args!(
            "the kernel takes no filter of system calls: {why}"
        ))
    })
}

fn filter(unix_sockets: bool, network: bool) -> Option<BpfProgram> {
    let arch = machine()?;
    let mut rules = Vec::new();
    for call in REFUSED {
        rules.push((call, Vec::new()));
    }
    for call in OF_PROCESSES {
        rules.push((call, vec![SeccompRule::new(vec![other(0, 0)?]).ok()?]));
    }
    for (call, one_process) in OF_GROUPS.into_iter().zip(ONE_PROCESS) {
        let elsewhere = vec![other(1, 0)?];
        let of_more = vec![other(0, one_process)?];
        rules.push((
            call,
            vec![
                SeccompRule::new(elsewhere).ok()?,
                SeccompRule::new(of_more).ok()?,
            ],
        ));
    }
    let mut commands = Vec::new();
    for command in TERMINAL_COMMANDS {
        let is_it = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, command);
        commands.push(SeccompRule::new(vec![is_it.ok()?]).ok()?);
    }
    rules.push((libc::SYS_ioctl, commands));
    rules.push((libc::SYS_socket, sockets(unix_sockets, network)?));
    let pair = other(0, family(libc::AF_UNIX))?;
    rules.push((
        libc::SYS_socketpair,
        vec![SeccompRule::new(vec![pair]).ok()?],
    ));
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(
        rules.into_iter().collect(),
        SeccompAction::Allow,
        refusal,
        arch,
    );
    let filter: BpfProgram = filter.ok()?.try_into().ok()?;
    Some(ending_x32().into_iter().chain(filter).collect())
}

/// Returns the architecture of this machine, if there is a filter for it.
fn machine() -> Option<TargetArch> {
    if cfg!(target_arch = "x86_64") {
        Some(TargetArch::x86_64)
    } else if cfg!(target_arch = "aarch64") {
        Some(TargetArch::aarch64)
    } else if cfg!(target_arch = "riscv64") {
        Some(TargetArch::riscv64)
    } else {
        None
    }
}

/// Returns the rules for refused sockets: those of families that are not allowed.
fn sockets(unix_sockets: bool, network: bool) -> Option<Vec<SeccompRule>> {
    let mut allowed = vec![libc::AF_NETLINK];
    if network {
        allowed.extend([libc::AF_INET, libc::AF_INET6]);
    }
    if unix_sockets {
        allowed.push(libc::AF_UNIX);
    }
    let others: Option<Vec<SeccompCondition>> = allowed
        .into_iter()
        .map(|one| other(0, family(one)))
        .collect();
    // Of the kernel's messages only those about addresses, which name lookups need.
    let is_news = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Eq,
        family(libc::AF_NETLINK),
    );
    let of_others = vec![is_news.ok()?, other(2, 0)?];
    Some(vec![
        SeccompRule::new(others?).ok()?,
        SeccompRule::new(of_others).ok()?,
    ])
}

fn family(family: i32) -> u64 {
    u64::from(family.unsigned_abs())
}

fn other(argument: u8, than: u64) -> Option<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, than).ok()
}

/// Returns a filter that ends a process that calls in the x32 ABI, whose numbers no rule knows. The
/// filter behind it ends other ABIs of this machine.
fn ending_x32() -> Vec<sock_filter> {
    if !cfg!(target_arch = "x86_64") {
        return Vec::new();
    }
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        // Load the number of the call.
        step(0x20, 0, 0, 0),
        // If it is that high, go on; else jump over the end.
        step(0x35, 0, 1, X32),
        // End the process.
        step(0x06, 0, 0, 0x8000_0000),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_filter_for_each_choice() {
        for (unix_sockets, network) in [(false, false), (false, true), (true, false), (true, true)]
        {
            let filter = filter(unix_sockets, network).unwrap();
            assert!(filter.len() > 50 && filter.len() < 4096, "{}", filter.len());
        }
    }
}
