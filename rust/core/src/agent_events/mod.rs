//! What agents tell of themselves, a line of JSON each: how far they are, what they spent, what was refused to
//! them, and why they ended. A format for each agent, read into one summary. Knows no run, no spec and no
//! configuration.
//!
//! What an agent writes is not believed: it explains, and it counts against limits; nothing else follows.

mod cause;
mod cause_words;
mod claude;
mod others;
mod reader;
mod summary;

pub use cause::{AgentExit, FailureCause, OWN_SERVER};
pub use reader::EventReader;
pub use summary::{AgentUsage, EventSummary, EventTrouble, ServerState, TokenCount, ToolDenial};

/// The format in which an agent tells what it does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EventFormat {
    /// `claude --output-format stream-json --verbose`.
    Claude,
    /// Shaped like Claude's, without money.
    Qwen,
    /// Shaped like Claude's, without money.
    Amp,
    /// `codex exec --json`.
    Codex,
    /// `copilot --output-format json`.
    Copilot,
    /// `cursor-agent --output-format stream-json`.
    Cursor,
    /// `opencode run --format json`.
    OpenCode,
    /// `gemini -o stream-json`.
    Gemini,
    /// `cline --json`.
    Cline,
    /// `goose run --output-format stream-json`.
    Goose,
    /// `pi --mode json`.
    Pi,
    /// Text: only exit code, signal and standard error tell anything.
    #[default]
    Plain,
}

impl EventFormat {
    /// All formats.
    pub const ALL: [Self; 12] = [
        Self::Claude,
        Self::Qwen,
        Self::Amp,
        Self::Codex,
        Self::Copilot,
        Self::Cursor,
        Self::OpenCode,
        Self::Gemini,
        Self::Cline,
        Self::Goose,
        Self::Pi,
        Self::Plain,
    ];

    /// As configurations name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Qwen => "qwen",
            Self::Amp => "amp",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Cursor => "cursor",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::Cline => "cline",
            Self::Goose => "goose",
            Self::Pi => "pi",
            Self::Plain => "plain",
        }
    }

    /// The format of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// Whether it tells what was spent in money.
    pub fn reports_money(self) -> bool {
        matches!(self, Self::Claude | Self::OpenCode | Self::Cline | Self::Pi)
    }

    /// Whether it tells how many tokens were used.
    pub fn reports_tokens(self) -> bool {
        !matches!(self, Self::Copilot | Self::Cursor | Self::Plain)
    }

    /// Whether its last line says how the work ended.
    fn has_final_event(self) -> bool {
        !matches!(self, Self::Plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_names() {
        for format in EventFormat::ALL {
            assert_eq!(EventFormat::named(format.as_str()), Some(format));
        }
        assert_eq!(EventFormat::named("other"), None);
    }
}
