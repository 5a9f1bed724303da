//! Assigns event formats to agents, with the consequences for limits.

use std::path::Path;

use super::{Agent, messages, messages_of_others};
use chant_agent_events::EventFormat;
use chant_config::runs::RunLimits;
use chant_work::run_log::LineFilter;
use chant_work::spending::SpendingLimits;

/// The formats of events, by the start of the name of an agent or its program, for commands of a
/// configuration.
const FORMATS: [(&str, EventFormat); 11] = [
    ("claude", EventFormat::Claude),
    ("codex", EventFormat::Codex),
    ("copilot", EventFormat::Copilot),
    ("cursor", EventFormat::Cursor),
    ("opencode", EventFormat::OpenCode),
    ("gemini", EventFormat::Gemini),
    ("qwen", EventFormat::Qwen),
    ("cline", EventFormat::Cline),
    ("goose", EventFormat::Goose),
    ("pi", EventFormat::Pi),
    ("amp", EventFormat::Amp),
];

/// Returns the format of an agent's events: the configured one, that of its template, else by its
/// name or that of its program.
pub fn format_of(agent: &Agent) -> EventFormat {
    if let Some(events) = &agent.events {
        // What is no format is a plugin, which reports in the common one.
        return EventFormat::named(events).unwrap_or(EventFormat::Common);
    }
    // Our own reports messages, but neither its usage nor its end.
    if agent.provider.is_some() {
        return EventFormat::Plain;
    }
    if let Some(template) = agent.template {
        return EventFormat::named(template.events).unwrap_or_default();
    }
    let program = agent.program().unwrap_or_default();
    let program = Path::new(program).file_stem().unwrap_or_default();
    let names = [agent.name.as_str(), &program.to_string_lossy()];
    let is_called = |known: &str| {
        let rest = |name: &str| name.strip_prefix(known).map(|rest| rest.chars().next());
        // `pi` must be the whole name or its first part, not the start of a longer word.
        names
            .iter()
            .any(|name| matches!(rest(name), Some(None | Some('-' | '_' | '.'))))
    };
    let found = FORMATS.iter().find(|(known, _)| is_called(known));
    found.map_or(EventFormat::Plain, |(_, format)| *format)
}

/// Returns the plugin that reads the agent's events, if one does.
pub fn event_reader_of(agent: &Agent) -> Option<&str> {
    let events = agent.events.as_deref();
    events.filter(|name| EventFormat::named(name).is_none())
}

/// Returns the function that selects the agent's output for the log; `None` if all of it is logged.
pub fn reads_of(agent: &Agent) -> Option<LineFilter> {
    let of_format = messages_of_others::reads_of(format_of(agent));
    of_format.or_else(|| {
        agent
            .reports_messages()
            .then_some(messages::log_lines as LineFilter)
    })
}

/// Returns the limits of usage as configured.
pub fn spending(limits: &RunLimits) -> SpendingLimits {
    SpendingLimits {
        tokens: limits.tokens.map(std::num::NonZero::get),
        cost: limits.cost_usd,
        tokens_per_day: limits.tokens_per_day.map(std::num::NonZero::get),
        cost_per_day: limits.cost_usd_per_day,
    }
}

/// Returns the reason why limits cannot be enforced: the agent does not report the usage that they
/// bound.
pub fn unheld_limit(agent: &Agent, limits: &RunLimits) -> Option<String> {
    if agent.is_demo() {
        return None;
    }
    let (format, name) = (format_of(agent), &agent.name);
    let given = spending(limits);
    let of_money = given.cost.is_some() || given.cost_per_day.is_some();
    let of_tokens = given.tokens.is_some() || given.tokens_per_day.is_some();
    if of_money && !format.reports_money() {
        let reporting = EventFormat::ALL
            .into_iter()
            .filter(|one| one.reports_money() && *one != EventFormat::Common);
        let reporting: Vec<&str> = reporting.map(EventFormat::as_str).collect();
        return Some(format!(
            "`limits.cost_usd` and `limits.cost_usd_per_day` cannot hold agent '{name}': it does not report money. Use `limits.tokens` in their place, or an agent that reports money ({}).",
            reporting.join(", ")
        ));
    }
    (of_tokens && !format.reports_tokens()).then(|| {
        format!(
            "`limits.tokens` and `limits.tokens_per_day` cannot hold agent '{name}': it does not report tokens. Take them out of the configuration, or name another agent."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chant_config::runs::{AgentSettings, ArgumentGroup, RunSettings};

    fn agent(name: &str) -> Agent {
        Agent::named(&RunSettings::default(), name).unwrap()
    }

    #[test]
    fn agents_have_the_formats_of_their_programs() {
        for (name, format) in [
            ("claude", EventFormat::Claude),
            ("codex", EventFormat::Codex),
            ("cursor-agent", EventFormat::Cursor),
            ("opencode", EventFormat::OpenCode),
            ("gemini", EventFormat::Gemini),
            ("copilot", EventFormat::Copilot),
            ("qwen", EventFormat::Qwen),
            ("cline", EventFormat::Cline),
            ("goose", EventFormat::Goose),
            ("pi", EventFormat::Pi),
            ("amp", EventFormat::Amp),
            ("kirocli", EventFormat::Plain),
            ("demo", EventFormat::Plain),
            ("ollama", EventFormat::Plain),
        ] {
            assert_eq!(format_of(&agent(name)), format, "{name}");
        }
    }

    #[test]
    fn commands_of_a_configuration_have_the_formats_of_their_names() {
        let command = |program: &str| AgentSettings {
            command: Some(vec![ArgumentGroup::One(program.into())]),
            ..AgentSettings::default()
        };
        for (name, program, format) in [
            ("mine", "/opt/bin/claude", EventFormat::Claude),
            ("codex-nightly", "sh", EventFormat::Codex),
            ("pi", "sh", EventFormat::Pi),
            ("pilot", "sh", EventFormat::Plain),
        ] {
            let mut runs = RunSettings::default();
            runs.agents.insert(name.into(), command(program));
            let agent = Agent::named(&runs, name).unwrap();
            assert_eq!(format_of(&agent), format, "{name}");
        }
    }

    #[test]
    fn a_configured_format_comes_first_and_other_names_are_those_of_plugins() {
        for (events, format, reader) in [
            ("claude", EventFormat::Claude, None),
            ("plain", EventFormat::Plain, None),
            ("common", EventFormat::Common, None),
            ("ferry", EventFormat::Common, Some("ferry")),
        ] {
            let mut runs = RunSettings::default();
            let own = runs.agents.entry("codex".into()).or_default();
            own.events = Some(events.into());
            let agent = Agent::named(&runs, "codex").unwrap();
            assert_eq!(format_of(&agent), format, "{events}");
            assert_eq!(event_reader_of(&agent), reader);
        }
    }

    #[test]
    fn a_limit_that_an_agent_does_not_tell_about_cannot_hold_it() {
        let money = RunLimits {
            cost_usd: chant_base::money::UsdAmount::new(1.0),
            ..RunLimits::default()
        };
        let tokens = RunLimits {
            tokens: Some(std::num::NonZeroU64::MIN),
            ..RunLimits::default()
        };
        for (name, of_money, of_tokens) in [
            ("claude", true, true),
            ("opencode", true, true),
            ("codex", false, true),
            ("gemini", false, true),
            ("cursor-agent", false, false),
            ("kirocli", false, false),
            ("demo", true, true),
        ] {
            let agent = agent(name);
            assert_eq!(unheld_limit(&agent, &money).is_none(), of_money, "{name}");
            assert_eq!(unheld_limit(&agent, &tokens).is_none(), of_tokens, "{name}");
            assert_eq!(unheld_limit(&agent, &RunLimits::default()), None);
        }
    }
}
