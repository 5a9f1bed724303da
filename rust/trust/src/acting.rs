//! The acting configuration of a folder: all that can make something happen on this machine, as a
//! list for people and as a hash.
//!
//! A pure function of the texts and bytes that were read; a caller acts by the same texts and
//! bytes.

use serde_json::{Map, Value, json};

use super::harmless;
use super::place_table::KeyedPlace;
use super::places::keyed_place;
use chant_config::confine;
use chant_git::acting::LocalSetting;
use chant_store::digest::sha256;
use chant_text::canonical::sorted;
use chant_text::front_matter;

/// The kinds of effects of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A program that is started as an agent.
    Command,
    /// A program that is run to check whether work is done.
    Check,
    /// The address of a model's server.
    Endpoint,
    /// A variable of the environment that is read.
    Variable,
    /// A folder outside of the project that is read or written.
    Root,
    /// A text that agents get in place of ours.
    Prompt,
    /// A file by which an agent acts.
    AgentFile,
    /// A setting that lies in the repository.
    GitConfiguration,
    /// A program that git runs.
    Hook,
    /// A file that runs programs elsewhere, or when a person opens the folder. It counts where work
    /// lands, not where a folder is trusted.
    Automation,
    /// Any other key that is not known to be harmless.
    Setting,
    /// A file whose words agents obey. It is shown, and a person agrees to its changes where work lands; like the
    /// specs it is text that a confined agent reads, and no part of what a folder asks for.
    Instructions,
}

impl EntryKind {
    /// All kinds, in the order in which they are counted.
    const ALL: [Self; 12] = [
        Self::Command,
        Self::Check,
        Self::Endpoint,
        Self::Variable,
        Self::Root,
        Self::Hook,
        Self::Prompt,
        Self::AgentFile,
        Self::GitConfiguration,
        Self::Automation,
        Self::Setting,
        Self::Instructions,
    ];

    /// Returns its words for one entry, and for several.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Command => ("command", "commands"),
            Self::Check => ("check", "checks"),
            Self::Endpoint => ("endpoint", "endpoints"),
            Self::Variable => ("variable", "variables"),
            Self::Root => ("other folder", "other folders"),
            Self::Prompt => ("prompt", "prompts"),
            Self::AgentFile => ("agent file", "agent files"),
            Self::GitConfiguration => ("git setting", "git settings"),
            Self::Hook => ("git hook", "git hooks"),
            Self::Automation => ("automation file", "automation files"),
            Self::Setting => ("setting", "settings"),
            Self::Instructions => ("instruction file", "instruction files"),
        }
    }
}

/// One effect that a folder asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ActingEntry {
    /// The kind of its effect.
    pub kind: EntryKind,
    /// Its file, as shown to people.
    pub source: String,
    /// The key in that file, its parts joined by dots; empty if the whole file counts.
    pub key: String,
    /// The value of the key.
    pub value: Value,
}

/// A file of a folder that may act, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path from the project's root, with `/`.
    pub path: String,
    /// The kind of its effect, if it counts as a whole.
    pub kind: EntryKind,
    /// Its target, if it is a link.
    pub link: Option<String>,
    /// True if it is executable.
    pub is_program: bool,
    /// Its bytes, or the reason why they are missing.
    pub bytes: Result<Vec<u8>, String>,
}

/// The configuration of chant.
pub const CHANT_CONFIG: &str = ".chant/config.md";
/// Its list of agents.
pub const CHANT_AGENTS: &str = ".chant/agents.md";
/// The configuration for spec-kit features.
pub const SPECKIT_CONFIG: &str = ".specify/chant-mcp.yml";
/// The folder of the project's own prompts.
pub const PROMPTS: &str = ".chant/prompts";

/// The acting configuration of a folder.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActingConfiguration {
    /// The entries by source and key.
    entries: Vec<ActingEntry>,
    /// The files whose words agents obey, by source: shown, and not part of the hash.
    instructions: Vec<ActingEntry>,
    /// The parts that could not be read; no hash trusts a folder with such gaps.
    gaps: Vec<String>,
}

impl ActingConfiguration {
    /// Combines everything that was read of a folder.
    pub fn of(files: &[SourceFile], git: &[LocalSetting], gaps: Vec<String>) -> Self {
        let mut entries: Vec<ActingEntry> = files.iter().flat_map(entries_of).collect();
        let acting = git
            .iter()
            .filter(|one| !harmless::is_in_git(&one.key, &one.value));
        entries.extend(acting.map(|one| ActingEntry {
            kind: EntryKind::GitConfiguration,
            source: "git configuration".into(),
            key: one.key.clone(),
            value: Value::String(without_password(&one.value)),
        }));
        entries.sort_by(|a, b| (&a.source, &a.key).cmp(&(&b.source, &b.key)));
        let (instructions, entries) = entries
            .into_iter()
            .partition(|entry| entry.kind == EntryKind::Instructions);
        Self {
            entries,
            instructions,
            gaps,
        }
    }

    /// Returns the part that comes with the commits: without the settings and hooks of one clone's
    /// git, which no other clone has.
    #[must_use]
    pub fn of_commits(&self) -> Self {
        let is_of_clone = |kind| matches!(kind, EntryKind::GitConfiguration | EntryKind::Hook);
        let entries = self.entries.iter().filter(|entry| !is_of_clone(entry.kind));
        Self {
            entries: entries.cloned().collect(),
            instructions: self.instructions.clone(),
            gaps: self.gaps.clone(),
        }
    }

    /// Returns the entries, by source and key.
    pub fn entries(&self) -> &[ActingEntry] {
        &self.entries
    }

    /// Returns the parts that could not be read.
    pub fn gaps(&self) -> &[String] {
        &self.gaps
    }

    /// Returns true if the folder asks for no effect.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.gaps.is_empty()
    }

    /// Returns the whole as JSON with sorted keys: the same configuration gives the same text.
    pub fn canonical(&self) -> String {
        let entry = |entry: &ActingEntry| {
            json!([
                entry.kind.words().0,
                entry.source,
                entry.key,
                sorted(&entry.value)
            ])
        };
        json!({
            "entries": self.entries.iter().map(entry).collect::<Vec<_>>(),
            "gaps": self.gaps,
            "schema": 1,
        })
        .to_string()
    }

    /// Returns the hash that stands for it in the store of trust.
    pub fn hash(&self) -> String {
        sha256(self.canonical().as_bytes())
    }

    /// Returns the number of entries of each kind: `2 commands, 1 endpoint`.
    pub fn summary(&self) -> String {
        let counted = EntryKind::ALL.into_iter().filter_map(|kind| {
            let all = self.entries.iter().chain(&self.instructions);
            let count = all.filter(|entry| entry.kind == kind).count();
            let (one, several) = kind.words();
            match count {
                0 => None,
                1 => Some(format!("1 {one}")),
                count => Some(format!("{count} {several}")),
            }
        });
        let mut parts: Vec<String> = counted.collect();
        match self.gaps.len() {
            0 => {}
            1 => parts.push("1 thing that cannot be looked through".into()),
            count => parts.push(format!("{count} things that cannot be looked through")),
        }
        if parts.is_empty() {
            return "it asks for nothing".into();
        }
        parts.join(", ")
    }

    /// Returns the files whose words agents obey, each as a line of plain ASCII.
    pub fn instructions(&self) -> Vec<String> {
        self.instructions.iter().map(ActingEntry::line).collect()
    }

    /// Returns all lines for a person: the listing, then the instructions.
    pub fn shown(&self) -> Vec<String> {
        [self.listing(), self.instructions()].concat()
    }

    /// Returns every entry that the hash stands for as a line of plain ASCII, nothing left out; parts that could
    /// not be read come last.
    pub fn listing(&self) -> Vec<String> {
        let entries = self.entries.iter().map(ActingEntry::line);
        let gaps = self
            .gaps
            .iter()
            .map(|gap| format!("not looked through: {}", ascii(gap)));
        entries.chain(gaps).collect()
    }
}

impl ActingEntry {
    fn line(&self) -> String {
        let key = if self.key.is_empty() {
            String::new()
        } else {
            format!(" {}", ascii(&self.key))
        };
        let value = ascii(&sorted(&self.value).to_string());
        let effect = if self.has_no_effect() {
            " (no effect: only your own configuration can say this)"
        } else {
            ""
        };
        format!(
            "{} in {}:{key} = {value}{effect}",
            self.kind.words().0,
            ascii(&self.source)
        )
    }

    /// Returns true if the value would open something to runs that a project can only close.
    fn has_no_effect(&self) -> bool {
        let key: Vec<&str> = self.key.split('.').collect();
        let value = self.value.as_str().unwrap_or_default();
        self.source == CHANT_CONFIG && !confine::counts_in_project(&key, value)
    }
}

/// Returns the difference between two listings: removed lines with `-`, added lines with `+`.
pub fn listing_difference(old: &[String], new: &[String]) -> Vec<String> {
    let gone = old.iter().filter(|line| !new.contains(line));
    let come = new.iter().filter(|line| !old.contains(line));
    let gone = gone.map(|line| format!("- {}", ascii(line)));
    gone.chain(come.map(|line| format!("+ {}", ascii(line))))
        .collect()
}

/// Returns a text with everything but printable ASCII escaped, so that it controls no terminal and
/// nothing in it looks like something else.
pub fn ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() && !c.is_ascii_control() {
            plain.push(c);
        } else {
            plain.extend(c.escape_unicode());
        }
    }
    plain
}

fn entries_of(file: &SourceFile) -> Vec<ActingEntry> {
    // What a link leads to is not what its text says.
    if file.link.is_some() {
        return vec![whole(file, file.kind)];
    }
    if let Some(keyed) = keyed_place(&file.path).filter(|_| file.kind == EntryKind::Automation) {
        return keyed_entries(file, keyed);
    }
    match file.path.as_str() {
        CHANT_CONFIG | CHANT_AGENTS => keys_of(file, front_matter_of, harmless::is_in_chant),
        SPECKIT_CONFIG => keys_of(file, |text| Some(text), harmless::is_in_speckit),
        _ => vec![whole(file, file.kind)],
    }
}

/// Returns an entry for each key of a JSON file that acts; the whole file if its keys cannot be read for certain.
fn keyed_entries(file: &SourceFile, keyed: &KeyedPlace) -> Vec<ActingEntry> {
    let keys = file.bytes.as_ref().ok();
    let Some(keys) = keys.and_then(|bytes| keyed.acting_keys(bytes)) else {
        return vec![whole(file, file.kind)];
    };
    let keys = keys.into_iter();
    keys.map(|(key, value)| ActingEntry {
        kind: file.kind,
        source: file.path.clone(),
        key,
        value,
    })
    .collect()
}

/// Returns the YAML of a document; `None` without front matter, or if its end is not clear.
fn front_matter_of(text: &str) -> Option<&str> {
    let layout = front_matter::layout(text).ok()?;
    layout.yaml.and_then(|range| text.get(range))
}

/// Returns an entry for each key that acts; the whole file if its keys cannot be read for certain.
fn keys_of(
    file: &SourceFile,
    yaml: fn(&str) -> Option<&str>,
    is_harmless: fn(&[String]) -> bool,
) -> Vec<ActingEntry> {
    let text = file.bytes.as_ref().ok();
    let text = text.and_then(|bytes| std::str::from_utf8(bytes).ok());
    let Some(text) = text else {
        return vec![whole(file, EntryKind::Setting)];
    };
    let Some(yaml) = yaml(text) else {
        // Without front matter nothing acts; a broken one is not read, but may be repaired later.
        return match front_matter::layout(text) {
            Ok(_) => Vec::new(),
            Err(_) => vec![whole(file, EntryKind::Setting)],
        };
    };
    match front_matter::read_spelled(yaml) {
        Ok(Value::Null) => Vec::new(),
        Ok(Value::Object(map)) => {
            let mut entries = Vec::new();
            flatten(file, &mut Vec::new(), &map, is_harmless, &mut entries);
            entries
        }
        _ => vec![whole(file, EntryKind::Setting)],
    }
}

fn flatten(
    file: &SourceFile,
    path: &mut Vec<String>,
    map: &Map<String, Value>,
    is_harmless: fn(&[String]) -> bool,
    entries: &mut Vec<ActingEntry>,
) {
    for (key, value) in map {
        path.push(key.clone());
        match value {
            _ if is_harmless(path) => {}
            Value::Object(inner) if !inner.is_empty() && !is_whole(path) => {
                flatten(file, path, inner, is_harmless, entries);
            }
            value => entries.push(ActingEntry {
                kind: kind_of(path, value),
                source: file.path.clone(),
                key: joined(path),
                value: value.clone(),
            }),
        }
        path.pop();
    }
}

/// Returns true if the value below a key is one thing to people.
fn is_whole(path: &[String]) -> bool {
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    matches!(
        parts[..],
        ["checks", _] | ["enterprise", "derived", _] | ["environment", "recipes" | "services", _]
    )
}

fn kind_of(path: &[String], value: &Value) -> EntryKind {
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    match parts[..] {
        ["agents", _, "command"]
        | ["parallel", "agents"]
        | ["environment", "recipes" | "services", _] => EntryKind::Command,
        ["checks", ..] => EntryKind::Check,
        ["providers", _, "endpoint"] => EntryKind::Endpoint,
        ["enterprise", "derived", _] if value.get("from").is_some_and(|from| from == "env") => {
            EntryKind::Variable
        }
        ["env", "pass"] | ["environment", "variables", _] => EntryKind::Variable,
        ["repos"] | ["defaults", "worktree_root"] => EntryKind::Root,
        _ => EntryKind::Setting,
    }
}

/// Returns the parts of a key as one text; a part that has a dot or is empty stands in quotation
/// marks.
fn joined(path: &[String]) -> String {
    let part = |part: &String| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !part.is_empty() && part.chars().all(is_plain) {
            part.clone()
        } else {
            Value::String(part.clone()).to_string()
        }
    };
    path.iter().map(part).collect::<Vec<_>>().join(".")
}

/// Returns a file as one entry: its target and a hash of its content.
fn whole(file: &SourceFile, kind: EntryKind) -> ActingEntry {
    let mut value = Map::new();
    if let Some(link) = &file.link {
        value.insert("link".into(), Value::String(link.clone()));
    }
    if file.is_program {
        value.insert("program".into(), Value::Bool(true));
    }
    match &file.bytes {
        Ok(bytes) => {
            value.insert("bytes".into(), json!(bytes.len()));
            value.insert("sha256".into(), Value::String(sha256(bytes)));
        }
        Err(why) => {
            value.insert("unreadable".into(), Value::String(why.clone()));
        }
    }
    ActingEntry {
        kind,
        source: file.path.clone(),
        key: String::new(),
        value: Value::Object(value),
    }
}

/// Returns an address without its password: listings are shown and kept.
fn without_password(value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("://") else {
        return value.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!(
            "{scheme}://{}…{}",
            &sha256(&rest.as_bytes()[..at])[..8],
            &rest[at..]
        ),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.into(),
            kind: if path.starts_with(PROMPTS) {
                EntryKind::Prompt
            } else {
                EntryKind::AgentFile
            },
            link: None,
            is_program: false,
            bytes: Ok(text.as_bytes().to_vec()),
        }
    }

    fn config(yaml: &str) -> ActingConfiguration {
        ActingConfiguration::of(
            &[file(CHANT_CONFIG, &format!("---\n{yaml}---\nNotes\n"))],
            &[],
            Vec::new(),
        )
    }

    #[test]
    fn what_a_project_says_in_vain_is_shown_as_such() {
        let yaml = "confine: {mode: off, write: [/], deny: [a], network: none, pty: true}\n";
        let text = format!("---\n{yaml}---\n");
        let found = ActingConfiguration::of(&[file(CHANT_CONFIG, &text)], &[], Vec::new());
        let idle = found.listing().into_iter();
        let idle: Vec<String> = idle
            .filter(|line| line.ends_with("(no effect: only your own configuration can say this)"))
            .filter_map(|line| Some(line.split_once(" = ")?.0.to_owned()))
            .collect();
        let named = |key: &str| format!("setting in {CHANT_CONFIG}: confine.{key}");
        assert_eq!(idle, ["mode", "pty", "write"].map(named));
    }

    #[test]
    fn comments_order_and_harmless_keys_do_not_count() {
        let one = config(
            "# a\nproject: {name: x}\nchecks:\n  tests: [make, test]\ndefaults: {model: a, prompt: b}\n",
        );
        let two = config(
            "defaults: {prompt: b, model: a}\nlint: {disable: [title]}\nchecks: # now here\n  tests:\n  - make\n  - test\n",
        );
        assert_eq!(one, two);
        assert_eq!(one.hash(), two.hash());
        assert_eq!(one.hash().len(), 64);
    }

    #[test]
    fn one_byte_of_a_command_is_another_hash_however_it_is_spelled() {
        let yaml = |word: &str| format!("agents: {{own: {{command: [run, {word}]}}}}\n");
        let spelled = [
            "16", "0x10", "0o20", "16.0", "1.6e1", "true", "True", "~", "null", "a", "A",
        ];
        let hashes: Vec<String> = spelled
            .iter()
            .map(|word| config(&yaml(word)).hash())
            .collect();
        for (at, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..at].contains(hash), "{}", spelled[at]);
        }
    }

    #[test]
    fn the_same_value_under_another_key_is_another_hash() {
        let new = |key: &str| config(&format!("{key}: evil\n"));
        assert_ne!(new("one"), new("two"));
        assert_ne!(new("one").hash(), new("two").hash());
    }

    #[test]
    fn entries_have_their_kinds_and_are_counted() {
        let acting = config(
            "agents: {own: {command: [run]}}\nproviders: {openai: {endpoint: 'http://x'}}\nrepos: [{name: a, path: ../a}]\n\
             enterprise: {derived: {key: {from: env, pattern: SECRET}, branch: {from: branch, pattern: x}}, required: [a]}\n\
             checks: {tests: [make]}\nunknown: 1\n",
        );
        assert_eq!(
            acting.summary(),
            "1 command, 1 check, 1 endpoint, 1 variable, 1 other folder, 2 settings"
        );
        assert!(
            acting.listing().contains(
                &"command in .chant/config.md: agents.own.command = [\"run\"]".to_owned()
            ),
            "{:?}",
            acting.listing()
        );
        assert_eq!(config("").summary(), "it asks for nothing");
    }

    #[test]
    fn what_cannot_be_read_for_sure_counts_as_a_whole() {
        for yaml in ["a: 1\na: 2\n", "a: !tag b\n", "[1]\n", "a: [\n"] {
            let acting = config(yaml);
            assert_eq!(acting.entries().len(), 1, "{yaml}");
            assert!(acting.entries()[0].value.get("sha256").is_some(), "{yaml}");
        }
    }

    #[test]
    fn listings_are_plain_ascii_and_hide_no_password() {
        let acting = config("checks: {\"a\\e[2Jb\": [\"\\u202Ex\"]}\n");
        let listing = acting.listing().join("\n");
        assert!(
            listing.is_ascii() && !listing.contains('\u{1b}'),
            "{listing}"
        );
        let setting = LocalSetting {
            key: "remote.x.proxy".into(),
            value: "https://me:secret@example.org/x".into(),
        };
        let acting = ActingConfiguration::of(&[], &[setting], Vec::new());
        assert!(!acting.canonical().contains("secret"));
    }

    #[test]
    fn a_difference_names_what_went_and_what_came() {
        let lines = |lines: &[&str]| {
            lines
                .iter()
                .map(|&line| line.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            listing_difference(&lines(&["a", "b"]), &lines(&["b", "c"])),
            lines(&["- a", "+ c"])
        );
    }

    #[test]
    fn files_count_by_their_bytes_and_links() {
        let one = ActingConfiguration::of(&[file(".mcp.json", "{}")], &[], Vec::new());
        let two = ActingConfiguration::of(&[file(".mcp.json", "{} ")], &[], Vec::new());
        assert_ne!(one.hash(), two.hash());
        assert_eq!(one.summary(), "1 agent file");
        let prompt =
            ActingConfiguration::of(&[file(".chant/prompts/standard.md", "x")], &[], Vec::new());
        assert_eq!(prompt.summary(), "1 prompt");
    }
}
