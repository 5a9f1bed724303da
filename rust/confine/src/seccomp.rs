//! Filters system calls that Landlock does not cover, by the table of [`super::refused_calls`].

use std::io;
use std::sync::OnceLock;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::policy::{ConfineBackend, ConfinePolicy, IpcAccess};
use super::refused;
use super::refused_calls::{
    ArgumentCondition, CallOpening, CallRule, LAST_KNOWN, REFUSED_CALLS, RefusalError, RefusedWhen,
};

/// The lowest number of a call in the x32 ABI.
const X32: u32 = 0x4000_0000;

/// The rows of the table that a policy opens.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each opens rows of its own")]
struct OpenedCalls {
    unix_sockets: bool,
    network: bool,
    ipc: bool,
    /// True if a program confines, which needs namespaces and mounts itself.
    by_program: bool,
}

impl OpenedCalls {
    fn of(policy: &ConfinePolicy) -> Self {
        Self {
            unix_sockets: policy.unix_sockets,
            network: !policy.refuses_network(),
            ipc: policy.ipc != IpcAccess::Refused,
            by_program: policy.backend != ConfineBackend::Landlock,
        }
    }

    /// Returns the opened ones of all 16 combinations.
    fn number(self) -> usize {
        [self.unix_sockets, self.network, self.ipc, self.by_program]
            .into_iter()
            .fold(0, |number, is_open| number << 1 | usize::from(is_open))
    }

    fn opens(self, rule: &CallRule) -> bool {
        match rule.opening {
            CallOpening::Never => false,
            CallOpening::ConfiningProgram => self.by_program,
            CallOpening::Ipc => self.ipc,
        }
    }
}

/// The filters of a policy, one for each error.
type CallFilters = [BpfProgram; 2];

/// Restricts the calling thread and all processes that it will start.
///
/// # Errors
/// A failure when the kernel accepts no such filter, or there is none for this machine.
pub(super) fn restrict(policy: &ConfinePolicy) -> io::Result<()> {
    static FILTERS: [OnceLock<Option<CallFilters>>; 16] = [const { OnceLock::new() }; 16];
    let opened = OpenedCalls::of(policy);
    let filters = FILTERS[opened.number()].get_or_init(|| filters(opened));
    let filters = filters
        .as_ref()
        .ok_or_else(|| refused("there is no filter of system calls for this kind of machine"))?;
    for filter in filters {
        apply_filter(filter).map_err(|why| {
            refused(format_args!(
                "the kernel takes no filter of system calls: {why}"
            ))
        })?;
    }
    Ok(())
}

fn filters(opened: OpenedCalls) -> Option<CallFilters> {
    let missing = filter(opened, RefusalError::Missing)?;
    let not_permitted = filter(opened, RefusalError::NotPermitted)?;
    Some([
        missing_later_calls().into_iter().chain(missing).collect(),
        ending_x32().into_iter().chain(not_permitted).collect(),
    ])
}

/// Returns the filter of all rows with an error: a filter has a single one.
fn filter(opened: OpenedCalls, error: RefusalError) -> Option<BpfProgram> {
    let mut rules = Vec::new();
    let is_of_filter = |rule: &&CallRule| rule.error == error && !opened.opens(rule);
    for rule in REFUSED_CALLS.iter().filter(is_of_filter) {
        let conditions = match &rule.when {
            RefusedWhen::Always => Vec::new(),
            RefusedWhen::Arguments(alternatives, _) => alternatives
                .iter()
                .map(|together| all_of(together.iter().copied()))
                .collect::<Option<_>>()?,
            RefusedWhen::SocketFamily => sockets(opened)?,
        };
        for (_, number) in rule.calls {
            rules.push((*number, conditions.clone()));
        }
    }
    let errno = match error {
        RefusalError::NotPermitted => libc::EPERM,
        RefusalError::Missing => libc::ENOSYS,
    };
    let filter = SeccompFilter::new(
        rules.into_iter().collect(),
        SeccompAction::Allow,
        SeccompAction::Errno(errno.unsigned_abs()),
        machine()?,
    );
    filter.ok()?.try_into().ok()
}

/// Returns the rule that all conditions hold.
fn all_of(conditions: impl IntoIterator<Item = ArgumentCondition>) -> Option<SeccompRule> {
    let conditions: Option<Vec<SeccompCondition>> = conditions
        .into_iter()
        .map(|condition| {
            let (argument, operator, value) = match condition {
                ArgumentCondition::Is(argument, value) => (argument, SeccompCmpOp::Eq, value),
                ArgumentCondition::IsNot(argument, value) => (argument, SeccompCmpOp::Ne, value),
                ArgumentCondition::HasBit(argument, bit) => {
                    (argument, SeccompCmpOp::MaskedEq(bit), bit)
                }
            };
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value).ok()
        })
        .collect();
    SeccompRule::new(conditions?).ok()
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
fn sockets(opened: OpenedCalls) -> Option<Vec<SeccompRule>> {
    let mut allowed = vec![libc::AF_NETLINK];
    if opened.network {
        allowed.extend([libc::AF_INET, libc::AF_INET6]);
    }
    if opened.unix_sockets {
        allowed.push(libc::AF_UNIX);
    }
    let others = allowed.into_iter();
    let others = others.map(|one| ArgumentCondition::IsNot(0, family(one)));
    // Of the kernel's messages only those about addresses, which name lookups need.
    let of_others = [
        ArgumentCondition::Is(0, family(libc::AF_NETLINK)),
        ArgumentCondition::IsNot(2, 0),
    ];
    Some(vec![all_of(others)?, all_of(of_others)?])
}

fn family(family: i32) -> u64 {
    u64::from(family.unsigned_abs())
}

const fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// Returns a filter that ends a process that calls in the x32 ABI, whose numbers no rule knows. The
/// filter behind it ends other ABIs of this machine.
fn ending_x32() -> Vec<sock_filter> {
    if !cfg!(target_arch = "x86_64") {
        return Vec::new();
    }
    vec![
        // Load the number of the call.
        step(0x20, 0, 0, 0),
        // If it is that high, go on; else jump over the end.
        step(0x35, 0, 1, X32),
        // End the process.
        step(0x06, 0, 0, 0x8000_0000),
    ]
}

/// Returns a filter for which calls with a number above [`LAST_KNOWN`] are missing.
fn missing_later_calls() -> Vec<sock_filter> {
    vec![
        // Load the number of the call.
        step(0x20, 0, 0, 0),
        // If it is higher, go on; else jump over the answer.
        step(0x25, 0, 1, LAST_KNOWN),
        step(0x06, 0, 0, 0x0005_0000 | libc::ENOSYS.unsigned_abs()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refused_calls::refused_calls_table;

    const ALLOW: u32 = 0x7FFF_0000;
    const END: u32 = 0x8000_0000;

    fn refusal(error: RefusalError) -> u32 {
        0x0005_0000
            | match error {
                RefusalError::NotPermitted => libc::EPERM.unsigned_abs(),
                RefusalError::Missing => libc::ENOSYS.unsigned_abs(),
            }
    }

    fn opened(all: bool) -> OpenedCalls {
        OpenedCalls {
            unix_sockets: all,
            network: all,
            ipc: all,
            by_program: false,
        }
    }

    /// Runs one filter as the kernel does.
    fn run_filter(filter: &[sock_filter], number: u32, arguments: [u64; 6]) -> u32 {
        let arch: u32 = match machine() {
            Some(TargetArch::aarch64) => 0xC000_00B7,
            Some(TargetArch::riscv64) => 0xC000_00F3,
            _ => 0xC000_003E,
        };
        let word = |at: u32| match at {
            0 => number,
            4 => arch,
            at => {
                let argument = arguments[(at as usize - 16) / 8];
                let is_high = (at - 16) % 8 == 4;
                (if is_high { argument >> 32 } else { argument } & 0xFFFF_FFFF) as u32
            }
        };
        let (mut at, mut value) = (0, 0);
        loop {
            let step = &filter[at];
            let jump = |holds| usize::from(if holds { step.jt } else { step.jf });
            at += 1 + match step.code {
                0x06 => return step.k,
                0x20 => {
                    value = word(step.k);
                    0
                }
                0x54 => {
                    value &= step.k;
                    0
                }
                0x05 => step.k as usize,
                0x15 => jump(value == step.k),
                0x25 => jump(value > step.k),
                0x35 => jump(value >= step.k),
                code => panic!("{code:#x} is not known here"),
            };
        }
    }

    /// Returns the answer of both filters; that which allows least counts, as in the kernel.
    fn answer(opened: OpenedCalls, number: i64, arguments: [u64; 6]) -> u32 {
        let number = u32::try_from(number).unwrap();
        let filters = filters(opened).unwrap();
        let answers = filters.map(|filter| run_filter(&filter, number, arguments));
        match answers {
            [END, _] | [_, END] => END,
            [one, other] => one.min(other),
        }
    }

    #[test]
    fn each_row_is_refused_as_it_says_and_open_where_it_says() {
        for rule in REFUSED_CALLS {
            let fitting: Vec<[u64; 6]> = match &rule.when {
                RefusedWhen::Always => vec![[0; 6], [u64::MAX; 6]],
                RefusedWhen::SocketFamily => vec![[40; 6]],
                RefusedWhen::Arguments(alternatives, _) => alternatives
                    .iter()
                    .map(|together| {
                        let mut arguments = [0; 6];
                        for condition in *together {
                            let (argument, value) = match *condition {
                                ArgumentCondition::Is(argument, value)
                                | ArgumentCondition::HasBit(argument, value) => (argument, value),
                                ArgumentCondition::IsNot(argument, _) => (argument, 0x0BAD),
                            };
                            arguments[usize::from(argument)] = value;
                        }
                        arguments
                    })
                    .collect(),
            };
            for (name, number) in rule.calls {
                for arguments in &fitting {
                    let said = answer(opened(false), *number, *arguments);
                    assert_eq!(said, refusal(rule.error), "{name} {arguments:?}");
                    let said = answer(opened(true), *number, *arguments);
                    let is_open = rule.opening == CallOpening::Ipc;
                    assert_eq!(said == ALLOW, is_open, "{name} {arguments:?}");
                    let program = OpenedCalls {
                        by_program: true,
                        ..opened(false)
                    };
                    let said = answer(program, *number, *arguments);
                    let is_open = rule.opening == CallOpening::ConfiningProgram;
                    assert_eq!(said == ALLOW, is_open, "{name} {arguments:?}");
                }
            }
        }
    }

    #[test]
    fn what_programs_need_stays_open() {
        let threads = 0x003D_0F00;
        let unix = family(libc::AF_UNIX);
        for (number, arguments) in [
            (libc::SYS_clone, [threads, 0, 0, 0, 0, 0]),
            (libc::SYS_unshare, [0x200, 0, 0, 0, 0, 0]),
            (libc::SYS_personality, [0xFFFF_FFFF, 0, 0, 0, 0, 0]),
            (libc::SYS_prlimit64, [0, 3, 1, 1, 0, 0]),
            (libc::SYS_setpriority, [0, 0, 5, 0, 0, 0]),
            (libc::SYS_ioprio_set, [1, 0, 5, 0, 0, 0]),
            (libc::SYS_ioctl, [0, 0x5401, 0, 0, 0, 0]),
            (libc::SYS_socketpair, [unix, 0, 0, 0, 0, 0]),
            (libc::SYS_socket, [family(libc::AF_NETLINK), 3, 0, 0, 0, 0]),
            (libc::SYS_ptrace, [0, 0, 0, 0, 0, 0]),
            (libc::SYS_name_to_handle_at, [0, 0, 0, 0, 0, 0]),
            (libc::SYS_memfd_create, [0, 0, 0, 0, 0, 0]),
            (i64::from(LAST_KNOWN), [0; 6]),
        ] {
            assert_eq!(answer(opened(false), number, arguments), ALLOW, "{number}");
        }
        for (kind, is_open) in [
            (libc::AF_INET, true),
            (libc::AF_INET6, true),
            (libc::AF_UNIX, true),
            (libc::AF_VSOCK, false),
        ] {
            let arguments = [family(kind), 1, 0, 0, 0, 0];
            let said = answer(opened(true), libc::SYS_socket, arguments);
            assert_eq!(said == ALLOW, is_open, "{kind}");
            assert_ne!(
                answer(opened(false), libc::SYS_socket, arguments),
                ALLOW,
                "{kind}"
            );
        }
    }

    #[test]
    fn later_calls_are_missing_and_other_numbers_end_the_process() {
        let later = i64::from(LAST_KNOWN) + 1;
        for number in [later, later + 500] {
            let said = answer(opened(true), number, [0; 6]);
            assert_eq!(said, refusal(RefusalError::Missing), "{number}");
        }
        if cfg!(target_arch = "x86_64") {
            assert_eq!(answer(opened(true), i64::from(X32), [0; 6]), END);
        }
    }

    #[test]
    fn no_call_has_two_rows() {
        let mut names: Vec<&str> = REFUSED_CALLS
            .iter()
            .flat_map(|rule| rule.calls.iter().map(|(name, _)| *name))
            .collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_guide_shows_the_table() {
        let guide = include_str!("../../../docs/guide/confinement.md");
        let table = refused_calls_table();
        assert!(guide.contains(&table), "the table is now:\n{table}");
    }
}
