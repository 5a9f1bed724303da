//! The values of the refs: leases, signs of life and requests, one line of JSON each.

use chant_base::external_items::is_part_of;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use strum::IntoStaticStr;

/// The version of the values that this release writes.
pub const SCHEMA: u32 = 1;

/// The longest value that is read.
pub const MAX_BYTES: usize = 64 * 1024;

/// The most runs that a sign of life names.
pub const MAX_RUNS: usize = 200;

/// The first token that no run can reach.
pub(super) const MAX_TOKEN: u64 = 1 << 48;

/// The states of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum LeaseState {
    /// Its holder works on the spec.
    Held,
    /// The work is done and its landing waits for something; this does not time out.
    Waiting,
    /// A request to merge the work is open; this does not time out.
    Proposed,
    /// It was given back.
    Free,
    /// The work is on the target.
    Landed,
}

impl LeaseState {
    /// Returns its spelling.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The item of another format that a lease is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeasedItem {
    /// The key of the item.
    pub key: String,
    /// The keys that no other run may have meanwhile: the item and its parts. Empty where they are too many for a value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locked_keys: Vec<String>,
}

impl LeasedItem {
    /// Returns true if work on one item is also work on the other: one of them is the other, or a part of it.
    pub fn overlaps(&self, other: &Self) -> bool {
        let is_locked = |key: &String| other.locks(key);
        self.locks(&other.key) || other.locks(&self.key) || self.locked_keys.iter().any(is_locked)
    }

    fn locks(&self, key: &str) -> bool {
        key == self.key
            || is_part_of(key, &self.key)
            || self.locked_keys.iter().any(|locked| locked == key)
    }

    /// Returns the word of its format.
    pub(super) fn format(&self) -> &str {
        self.key.split(':').next().unwrap_or_default()
    }
}

/// The newest lease of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRecord {
    /// The version of the value.
    pub schema: u32,
    /// `lease`.
    pub kind: String,
    /// The spec, as its project names it.
    pub spec: String,
    /// The item of another format whose runs are called so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<LeasedItem>,
    /// A counter that grows by one at every claim.
    pub token: u64,
    /// The name of the orchestrator that holds it.
    pub orchestrator: String,
    /// The name of its machine, for people.
    #[serde(default)]
    pub host: String,
    /// The run, or what claimed it.
    #[serde(default)]
    pub run: String,
    /// Its state.
    pub state: LeaseState,
    /// When this was written, RFC 3339, by the clock of that machine: for people, never compared.
    #[serde(default)]
    pub at: String,
    /// The commit that landed, or that is proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The address of the request that proposes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// What makes this value differ from every other.
    pub nonce: String,
}

/// The sign of life of an orchestrator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// The version of the value.
    pub schema: u32,
    /// `orchestrator`.
    pub kind: String,
    /// The name of the orchestrator.
    pub name: String,
    /// The name of its machine.
    #[serde(default)]
    pub host: String,
    /// The release of this program.
    #[serde(default)]
    pub version: String,
    /// The number of signs before this one.
    pub counter: u64,
    /// What its runs do.
    #[serde(default)]
    pub runs: Vec<RunLine>,
    /// What makes this value differ from every other.
    pub nonce: String,
}

/// A run in a sign of life.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunLine {
    /// The spec, as its project names it.
    pub spec: String,
    /// The token of its lease.
    pub token: u64,
    /// The name of the run.
    pub run: String,
    /// Its state in a word.
    pub state: String,
    /// The last line of its log, secrets masked, at most 200 characters.
    pub line: String,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RequestedStop {
    /// Stop the agent and keep the work.
    Pause,
    /// Stop the agent: a person goes on elsewhere.
    Takeover,
    /// Give the work up.
    Cancel,
}

/// A request to the holder of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderRequest {
    /// The version of the value.
    pub schema: u32,
    /// `request`.
    pub kind: String,
    /// The spec, as its project names it.
    pub spec: String,
    /// The token of the lease that is meant.
    pub token: u64,
    /// What is asked for.
    pub stop: RequestedStop,
    /// The machine that asks, for people.
    #[serde(default)]
    pub by: String,
    /// What makes this value differ from every other.
    pub nonce: String,
}

/// A number, and what shows whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenNumber {
    /// The number.
    pub number: u64,
    /// The nonce of the wish that it was given to.
    pub nonce: String,
}

/// The numbers of a series that were given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberRecord {
    /// The version of the value.
    pub schema: u32,
    /// `numbers`.
    pub kind: String,
    /// The series, such as the code of a project.
    pub series: String,
    /// The given numbers: ranges by their first and last number, the lowest first.
    pub given: Vec<(u64, u64)>,
    /// The newest of them, each with its nonce.
    #[serde(default)]
    pub recent: Vec<GivenNumber>,
    /// The name of the orchestrator that wrote this.
    #[serde(default)]
    pub orchestrator: String,
    /// The name of its machine, for people.
    #[serde(default)]
    pub host: String,
    /// What makes this value differ from every other.
    pub nonce: String,
}

/// A value of a ref.
pub trait RefValue: Serialize + DeserializeOwned {
    /// The word in `kind`.
    const KIND: &'static str;

    /// Returns version and kind.
    fn stamp(&self) -> (u32, &str);

    /// Returns what makes it differ from every other.
    fn nonce(&self) -> &str;

    /// Returns what is wrong with a value that can be read.
    fn fault(&self) -> Option<&'static str> {
        None
    }

    /// Returns the line of JSON.
    fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a value that anybody with rights to push may have written.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn read(text: &str) -> Result<Self, UnreadableValue> {
        let line = text.lines().next().unwrap_or_default();
        let value: Self = serde_json::from_str(line)?;
        match value.stamp() {
            (schema, _) if schema > SCHEMA => Err(UnreadableValue::Newer { schema }),
            (_, kind) if kind != Self::KIND => Err(UnreadableValue::Kind {
                expected: Self::KIND,
                kind: kind.to_owned(),
            }),
            _ => match value.fault() {
                Some(why) => Err(UnreadableValue::Content(why)),
                None => Ok(value),
            },
        }
    }
}

/// The fault of a value of a ref.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableValue {
    /// It is no JSON, or lacks something.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A newer release wrote it.
    #[error("a newer release wrote it (version {schema}, this one reads {SCHEMA})")]
    Newer {
        /// Its version.
        schema: u32,
    },
    /// It is another kind of value.
    #[error("expected the kind `{expected}`, got `{kind}`")]
    Kind {
        /// The kind that was to be read.
        expected: &'static str,
        /// Its kind.
        kind: String,
    },
    /// It contradicts itself or a limit.
    #[error("{0}")]
    Content(&'static str),
}

macro_rules! ref_value {
    ($name:ty, $kind:literal, $fault:expr) => {
        impl RefValue for $name {
            const KIND: &'static str = $kind;

            fn stamp(&self) -> (u32, &str) {
                (self.schema, &self.kind)
            }

            fn nonce(&self) -> &str {
                &self.nonce
            }

            fn fault(&self) -> Option<&'static str> {
                let fault: fn(&Self) -> Option<&'static str> = $fault;
                fault(self)
            }
        }
    };
}

ref_value!(LeaseRecord, "lease", |lease| {
    // Tokens only grow, so that one near the end would end all claims.
    (lease.token >= MAX_TOKEN).then_some("its token is out of range")
});
ref_value!(Heartbeat, "orchestrator", |_| None);
ref_value!(HolderRequest, "request", |_| None);
ref_value!(NumberRecord, "numbers", |numbers| {
    // Numbers only grow, so that one near the end would end all claims.
    (numbers.highest() >= MAX_TOKEN).then_some("its highest number is out of range")
});

/// Returns a text that no other value has.
pub fn new_nonce() -> String {
    format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..))
}
