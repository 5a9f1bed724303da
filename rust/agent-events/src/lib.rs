//! Events that agents report as lines of JSON: progress, usage, denials and the cause of an end.
//! There is a reader for each agent's format, and one summary. It knows no run, no spec and no
//! configuration.
//!
//! An agent's events are not trusted: they explain, and they count against limits; nothing else
//! follows.

use strum::IntoStaticStr;

mod cause;
mod cause_words;
mod claude;
mod common;
mod others;
mod placed;
mod reader;
mod summary;

pub use cause::{AgentExit, FailureCause, OWN_SERVER, words_of_no_change};
pub use reader::EventReader;
pub use summary::{
    AgentUsage, EventFailure, EventSummary, ProviderWait, ReaderEnd, ServerState, TokenCount,
    ToolDenial,
};

/// The formats in which agents report events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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
    /// What a program reports of an agent whose own format is not known here.
    Common,
    /// The job client: an agent that works on another machine.
    Placed,
    /// Text: only exit code, signal and standard error are known.
    #[default]
    Plain,
}

impl EventFormat {
    /// All formats that a configuration may name.
    pub const ALL: [Self; 13] = [
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
        Self::Common,
        Self::Plain,
    ];

    /// Returns its name in configurations.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the format with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// Returns true if it reports the cost.
    pub fn reports_money(self) -> bool {
        matches!(
            self,
            Self::Claude | Self::OpenCode | Self::Cline | Self::Pi | Self::Common | Self::Placed
        )
    }

    /// Returns true if it reports the number of tokens.
    pub fn reports_tokens(self) -> bool {
        !matches!(self, Self::Copilot | Self::Cursor | Self::Plain)
    }

    /// Returns true if its last line reports how the work ended.
    fn has_final_event(self) -> bool {
        !matches!(self, Self::Plain | Self::Common)
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
