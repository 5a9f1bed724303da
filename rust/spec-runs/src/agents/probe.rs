//! Asks an installed agent for its release, its options and its login. It is started for that
//! without input, outside of the project, and for a short time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use super::built_in::{BuiltIn, UnconfinedLaunch};
use super::discovery::{InstalledAgent, LoginSign};
use chant_work::command::{CommandLimits, CommandOutcome, CommandRunner};

/// The limits of an answer's time and size.
const BOUNDS: CommandLimits = CommandLimits {
    time: Duration::from_secs(10),
    kept: 256 * 1024,
};
/// The greatest number of characters of a release that are shown.
const RELEASE: usize = 60;

/// A query to an installed agent.
#[derive(Debug, Clone, Copy)]
pub struct AgentProbe<'a> {
    /// The agent.
    pub agent: &'a InstalledAgent,
    /// The variables in its environment.
    pub environment: &'a BTreeMap<String, String>,
}

impl AgentProbe<'_> {
    /// Returns the release, in the words of the program; `None` if it reports none.
    pub fn release(self) -> Option<String> {
        let ended = self.ask(&["--version"])?;
        let text = output_text(&ended);
        // Warnings may stand before it.
        let is_release = |line: &&str| {
            let mut words = line.split(|c: char| !(c.is_ascii_digit() || c == '.'));
            words.any(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()))
        };
        let line = text.lines().map(str::trim).rev().find(is_release)?;
        let shown = line.chars().filter(|c| !c.is_control()).take(RELEASE);
        (ended.exit_code == Some(0)).then(|| shown.collect())
    }

    /// Returns the sign of a login, or the command that reports that there is none; `None` if that
    /// cannot be known.
    pub fn login(self) -> Option<Result<LoginSign, String>> {
        if let Some(sign) = &self.agent.login {
            return Some(Ok(sign.clone()));
        }
        let template = self.agent.template;
        let program = template.usual_program();
        let asked = format!("{program} {}", template.login_probe.join(" "));
        if template.login_probe.is_empty() {
            return None;
        }
        let ended = self.ask(template.login_probe)?;
        match ended.exit_code {
            Some(0) => Some(Ok(LoginSign::Said(asked))),
            Some(_) => Some(Err(asked)),
            None => None,
        }
    }

    /// Returns options of the agent's template that its help does not list; `None` if there is no
    /// help.
    pub fn unknown_flags(self) -> Option<Vec<String>> {
        let mut known = BTreeSet::new();
        for arguments in self.agent.template.help {
            let ended = self.ask(arguments)?;
            known.extend(flags_in(&output_text(&ended)));
        }
        if known.is_empty() {
            return None;
        }
        let flags = self.agent.template.flags().into_iter();
        Some(flags.filter(|flag| !known.contains(flag)).collect())
    }

    fn ask(self, arguments: &[&str]) -> Option<CommandOutcome> {
        let program = self.agent.path.display().to_string();
        let arguments = arguments.iter().map(|&argument| argument.to_owned());
        let argv: Vec<String> = std::iter::once(program).chain(arguments).collect();
        let commands = CommandRunner::default();
        let ended = commands.run(&argv, Path::new("/"), self.environment, BOUNDS, &mut || ());
        ended.ok()
    }
}

impl BuiltIn {
    /// Returns the options with which it is started, in both forms, except those that its help
    /// hides.
    fn flags(&self) -> BTreeSet<String> {
        let guarded = match &self.guarded {
            UnconfinedLaunch::By(form) => form.arguments,
            UnconfinedLaunch::Not(_) => &[],
        };
        let groups = [self.head, self.confined.arguments, guarded, self.tail].concat();
        let pieces = groups.into_iter().flatten();
        let names = pieces.map(|piece| piece.split('=').next().unwrap_or_default());
        names
            .filter(|name| name.len() > 1 && name.starts_with('-') && !self.hidden.contains(name))
            .map(str::to_owned)
            .collect()
    }
}

/// Returns all words of a help text that are options.
fn flags_in(help: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let words = help.split(|c: char| !is_part(c));
    words
        .filter(|word| word.len() > 1 && word.starts_with('-'))
        .map(str::to_owned)
        .collect()
}

/// Returns the output of a program as text.
fn output_text(ended: &CommandOutcome) -> String {
    let bytes = [&ended.beginning[..], &ended.end[..]].concat();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::template;

    #[test]
    fn flags_of_a_template_are_looked_for_as_whole_words() {
        let flags = template("claude").unwrap().flags();
        assert!(flags.contains("--strict-mcp-config") && flags.contains("--settings"));
        assert!(!flags.contains("--max-turns"), "its help hides it");
        assert!(template("codex").unwrap().flags().contains("-c"));
        let known = flags_in("  -p, --print   Print\n  --[no-]color\n  --model=<M> [--json]");
        assert!(known.contains("--print") && known.contains("-p") && known.contains("--json"));
        assert!(known.contains("--model") && !known.contains("--mode"));
    }
}
