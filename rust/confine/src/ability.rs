//! The features that the system can enforce, and their description.

use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// The least version: below it files of others can be truncated, and links and renames between
/// folders fail.
pub const FLOOR: u8 = 3;
/// The version from which on TCP connections can be refused.
pub const NETWORK: u8 = 4;
/// The version from which on commands to devices can be refused.
pub const DEVICES: u8 = 5;
/// The version from which on signals and abstract sockets stay inside.
pub const SCOPES: u8 = 6;

/// The variable that sets a lower version of Landlock than the kernel has.
pub const ASSUMED: &str = "CHANT_CONFINE_ABI";

/// The variable that keeps confined processes out of namespaces of their own, whatever its value.
pub const ASSUMED_NAMESPACES: &str = "CHANT_CONFINE_NO_NAMESPACES";

/// The features that the system can enforce.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandlockSupport {
    /// The version of Landlock; 0 without it.
    pub abi: u8,
}

impl LandlockSupport {
    /// Returns the features of this system. `assumed`, the value of [`ASSUMED`], can only reduce
    /// them.
    pub fn of_system(assumed: Option<&str>) -> Self {
        static ABI: OnceLock<u8> = OnceLock::new();
        let abi = *ABI.get_or_init(kernel_abi);
        let most = assumed.and_then(|abi| abi.parse().ok()).unwrap_or(u8::MAX);
        Self { abi: abi.min(most) }
    }

    /// Returns the reason why Landlock cannot be used; `None` if it can.
    pub fn lacks(self) -> Option<String> {
        match self.abi {
            0 if cfg!(target_os = "linux") => Some(
                "this kernel has no Landlock, or it is switched off (Linux 6.2 or later has it; `lsm=landlock,…` switches it on)"
                    .into(),
            ),
            0 => Some("there is no Landlock on this system".into()),
            abi if abi < FLOOR => Some(format!(
                "this kernel's Landlock has version {abi}, and at least {FLOOR} is needed (Linux 6.2)"
            )),
            _ => None,
        }
    }

    /// Returns the features that are open here and closed by a newer kernel. In namespaces of their own
    /// processes see none that they could signal.
    pub fn weak(self, has_namespaces: bool) -> Vec<&'static str> {
        let mut weak = Vec::new();
        if self.abi < SCOPES && !has_namespaces {
            weak.push("signals");
        }
        if self.abi < DEVICES {
            weak.push("commands to devices");
        }
        weak
    }
}

/// The confinement of a run, as it is shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfinementStatus {
    /// Confined by Landlock.
    Landlock {
        /// What it can enforce here.
        support: LandlockSupport,
        /// True if each run has namespaces of its own: processes, mounts, shared memory.
        has_namespaces: bool,
    },
    /// Confined by bubblewrap.
    Bubblewrap,
    /// Confined by a profile of macOS.
    Seatbelt,
    /// Not confined, with the reason.
    Unconfined(String),
}

impl fmt::Display for ConfinementStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Landlock {
                support,
                has_namespaces,
            } => {
                let weak = support.weak(*has_namespaces);
                if weak.is_empty() {
                    f.write_str("confined: writes only its folder")?;
                } else {
                    write!(
                        f,
                        "confined (weak: {}): writes only its folder",
                        weak.join(", ")
                    )?;
                }
                let no = if *has_namespaces { "" } else { "no " };
                write!(f, " (Landlock ABI {}, {no}namespaces)", support.abi)
            }
            Self::Bubblewrap => f.write_str("confined: writes only its folder (bubblewrap)"),
            Self::Seatbelt => f.write_str("confined: writes only its folder (sandbox-exec)"),
            Self::Unconfined(why) => write!(f, "not confined: {why}"),
        }
    }
}

#[cfg(target_os = "linux")]
fn kernel_abi() -> u8 {
    super::landlock::kernel_abi()
}

#[cfg(not(target_os = "linux"))]
fn kernel_abi() -> u8 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_said() {
        let said = |abi, has_namespaces| {
            let support = LandlockSupport { abi };
            let status = ConfinementStatus::Landlock {
                support,
                has_namespaces,
            };
            status.to_string()
        };
        assert_eq!(
            said(7, true),
            "confined: writes only its folder (Landlock ABI 7, namespaces)"
        );
        assert_eq!(
            said(5, true),
            "confined: writes only its folder (Landlock ABI 5, namespaces)"
        );
        assert_eq!(
            said(5, false),
            "confined (weak: signals): writes only its folder (Landlock ABI 5, no namespaces)"
        );
        assert_eq!(
            said(3, false),
            "confined (weak: signals, commands to devices): writes only its folder (Landlock ABI 3, no namespaces)"
        );
        let why = LandlockSupport { abi: 2 }.lacks();
        assert!(why.is_some_and(|why| why.contains("version 2")));
        assert_eq!(LandlockSupport { abi: 3 }.lacks(), None);
        assert_eq!(
            ConfinementStatus::Unconfined("`confine.mode` is off".into()).to_string(),
            "not confined: `confine.mode` is off"
        );
    }

    #[test]
    fn a_kernel_can_be_assumed_to_do_less_and_never_more() {
        let real = LandlockSupport::of_system(None);
        assert_eq!(LandlockSupport::of_system(Some("200")), real);
        assert_eq!(LandlockSupport::of_system(Some("0")).abi, 0);
        assert_eq!(LandlockSupport::of_system(Some("many")), real);
    }
}
