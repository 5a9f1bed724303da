//! Confines files, signals, abstract sockets and TCP connections by Landlock.

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus,
    PathBeneath, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope, make_bitflags,
};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

use super::ability::{NETWORK, SCOPES};
use super::policy::{ConfinePolicy, SHARED_MEMORY};
use super::refused;

/// The newest version of which rights are used: later ones were not tested.
const MAX_NEWEST: u8 = 7;
/// The greatest number of capabilities that a kernel may know.
const CAPABILITIES: u32 = 64;
/// Devices without memory.
const DEVICES_OPEN: [&str; 5] = [
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
];
/// The places where terminals are created.
const TERMINALS: [&str; 3] = ["/dev/ptmx", "/dev/pts", "/dev/tty"];

/// Returns the version of Landlock in this kernel; 0 without it.
pub(super) fn kernel_abi() -> u8 {
    // The thread ends restricted and does nothing else.
    let asked = std::thread::spawn(|| {
        let all = AccessFs::from_all(ABI::V1);
        let status = Ruleset::default()
            .handle_access(all)?
            .create()?
            .restrict_self()?;
        Ok::<_, landlock::RulesetError>(match status.landlock {
            LandlockStatus::Available {
                effective_abi,
                kernel_abi,
            } => kernel_abi.unwrap_or(effective_abi as i32),
            _ => 0,
        })
    });
    let abi = asked.join().ok().and_then(Result::ok).unwrap_or(0);
    u8::try_from(abi).unwrap_or(u8::MAX)
}

/// Gives up, for good, the superuser's capabilities beyond the rights of its files.
///
/// # Errors
/// A failure when the kernel refuses.
pub(super) fn drop_capabilities() -> io::Result<()> {
    let failed = |why: Errno| refused(format_args!("its capabilities stay: {why}"));
    set_no_new_privs(true).map_err(failed)?;
    let held = capabilities(None).map_err(failed)?;
    if held.effective.contains(CapabilitySet::SETPCAP) {
        forbid_capabilities()?;
    }
    clear_ambient_capability_set().map_err(failed)?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets {
        effective: none,
        permitted: none,
        inheritable: none,
    };
    set_capabilities(None, sets).map_err(failed)
}

/// Prevents programs that are started later from getting a capability.
fn forbid_capabilities() -> io::Result<()> {
    for number in 0..CAPABILITIES {
        let one = CapabilitySet::from_bits_retain(1 << number);
        match remove_capability_from_bounding_set(one) {
            Ok(()) => {}
            // Later numbers are unknown to this kernel.
            Err(Errno::INVAL) => break,
            Err(why) => return Err(refused(format_args!("its capabilities stay: {why}"))),
        }
    }
    Ok(())
}

/// Restricts the calling thread and all processes that it will start.
///
/// # Errors
/// A failure when the kernel cannot enforce the whole policy.
pub(super) fn restrict(policy: &ConfinePolicy) -> io::Result<()> {
    if let Some(why) = policy.ability.lacks() {
        return Err(refused(why));
    }
    let abi = policy.ability.abi.min(MAX_NEWEST);
    let rules = LandlockRules::new(policy, abi)?;
    let status = rules.filled(policy)?.restrict_self().map_err(refused)?;
    if status.ruleset == landlock::RulesetStatus::FullyEnforced {
        return Ok(());
    }
    Err(refused("the kernel enforces a part only"))
}

/// Rules while they are collected.
struct LandlockRules {
    ruleset: RulesetCreated,
    handled: BitFlags<AccessFs>,
}

impl LandlockRules {
    fn new(policy: &ConfinePolicy, abi: u8) -> io::Result<Self> {
        let known = ABI::from(i32::from(abi));
        let handled = AccessFs::from_all(known);
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(handled)
            .map_err(refused)?;
        if abi >= SCOPES {
            ruleset = ruleset.scope(Scope::from_all(known)).map_err(refused)?;
        }
        if policy.refuses_network() && abi >= NETWORK {
            let connections = AccessNet::from_all(known);
            ruleset = ruleset.handle_access(connections).map_err(refused)?;
        }
        let ruleset = ruleset.create().map_err(refused)?;
        Ok(Self { ruleset, handled })
    }

    fn filled(mut self, policy: &ConfinePolicy) -> io::Result<RulesetCreated> {
        let read = make_bitflags!(AccessFs::{ReadFile | ReadDir | Execute});
        let device = make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | IoctlDev});
        let shared =
            make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | MakeReg | RemoveFile});
        let no_device = !make_bitflags!(AccessFs::{MakeChar | MakeBlock});
        self = self.allowing(Path::new("/"), AccessFs::ReadDir.into(), true)?;
        for path in &policy.read {
            self = self.allowing(path, read, true)?;
        }
        for path in DEVICES_OPEN {
            self = self.allowing(Path::new(path), device, true)?;
        }
        if policy.pty {
            for path in TERMINALS {
                self = self.allowing(Path::new(path), device | AccessFs::ReadDir, true)?;
            }
        }
        let write = self.handled & no_device;
        if policy.has_namespaces() && !policy.opens_shared_memory() {
            // Rights to it would be rights to all that the policy opens a part of there.
            if policy.opened_in_shared_memory().next().is_none() {
                self = self.allowing(Path::new(SHARED_MEMORY), write, true)?;
            }
        } else if policy.shared_memory {
            self = self.allowing(Path::new(SHARED_MEMORY), shared, true)?;
        }
        for path in &policy.write {
            self = self.allowing(path, write, policy.found.contains(path))?;
        }
        Ok(self.ruleset)
    }

    /// Adds rights for a path and everything below it.
    fn allowing(
        mut self,
        path: &Path,
        rights: BitFlags<AccessFs>,
        may_be_gone: bool,
    ) -> io::Result<Self> {
        // A link is not followed: its target has a rule of its own, or none.
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let opened = match open(path, flags, Mode::empty()) {
            Ok(opened) => opened,
            Err(_) if may_be_gone => return Ok(self),
            Err(why) => return Err(unwritable(path, why)),
        };
        let kind = fstat(&opened).map_err(|why| unwritable(path, why))?.st_mode;
        let rights = match FileType::from_raw_mode(kind) {
            FileType::Directory => rights,
            FileType::Symlink if may_be_gone => return Ok(self),
            FileType::Symlink => return Err(unwritable(path, Errno::LOOP)),
            _ => rights & AccessFs::from_file(ABI::V7),
        };
        let rule = PathBeneath::new(opened, rights & self.handled);
        self.ruleset = self.ruleset.add_rule(rule).map_err(refused)?;
        Ok(self)
    }
}

fn unwritable(path: &Path, why: Errno) -> io::Error {
    refused(format_args!(
        "`{}`, which it has to write, cannot be opened: {why}",
        path.display()
    ))
}
