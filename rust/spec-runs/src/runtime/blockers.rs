//! Describes the obstacles of a landing in words.

use chant_git::land::LandingWait;

/// Returns a sentence about the reason why a landing waits, and the paths.
pub(super) fn describe_wait(waits: &LandingWait) -> (String, Vec<String>) {
    match waits {
        LandingWait::Changes {
            checkout,
            blocked_by,
        } => (
            format!(
                "{} holds local changes in {}; commit or move them, then a person's `chant-mcp merge` goes on",
                checkout.display(),
                blocked_by.join(", ")
            ),
            blocked_by.clone(),
        ),
        LandingWait::UnderWay { checkout, what } => (
            format!(
                "a {what} is under way in {}; end it, then a person's `chant-mcp merge` goes on",
                checkout.display()
            ),
            Vec::new(),
        ),
        LandingWait::Locked { lock, run } => (
            match run {
                Some(run) => format!("run {run} holds {}", lock.display()),
                None => format!(
                    "another program holds {}; when it has ended, a person's `chant-mcp merge` goes on",
                    lock.display()
                ),
            },
            Vec::new(),
        ),
        LandingWait::Away { checkout } => (
            format!(
                "the worktree {} is locked and not there; bring it back, then a person's `chant-mcp merge` goes on",
                checkout.display()
            ),
            Vec::new(),
        ),
    }
}
