//! The blocks of a configuration file as they stand there, and which of them count in which file.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::accounts::AccountSettings;
use super::cluster::ClusterSettings;
use super::confine::ConfineBlock;
use super::dispatch::DispatchOrder;
use super::leases::LeaseBlock;
use super::plugins::PluginSettings;
use super::pool::RunsBlock;
use super::proof::ProofSettings;
use super::receipts::ReceiptBlock;
use super::run_environment::RunEnvironmentSettings;
use super::runs::{
    AgentRotation, AgentSettings, HttpProviders, ParallelBlock, RunLimits, WatchBlock,
};
use super::{
    ConfigError, DerivedKey, HookRights, LandingStyle, LintThresholds, RejectionAction,
    RepositoryEntry,
};
use chant_text::clash;
use chant_text::edit::EditError;
use chant_text::front_matter::{self, YamlProblem};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct ConfigFile {
    pub(super) project: Option<ProjectBlock>,
    pub(super) defaults: Option<DefaultsBlock>,
    pub(super) repos: Option<Vec<RepositoryEntry>>,
    pub(super) enterprise: Option<EnterpriseBlock>,
    pub(super) approval: Option<ApprovalBlock>,
    pub(super) lint: Option<LintBlock>,
    pub(super) agents: Option<BTreeMap<String, AgentSettings>>,
    pub(super) providers: Option<HttpProviders>,
    pub(super) parallel: Option<ParallelBlock>,
    pub(super) checks: Option<BTreeMap<String, Vec<String>>>,
    pub(super) limits: Option<RunLimits>,
    pub(super) runs: Option<RunsBlock>,
    pub(super) review: Option<ReviewBlock>,
    pub(super) watch: Option<WatchBlock>,
    pub(super) env: Option<EnvBlock>,
    pub(super) environment: Option<RunEnvironmentSettings>,
    pub(super) confine: Option<ConfineBlock>,
    pub(super) trust: Option<TrustBlock>,
    pub(super) landing: Option<LandingBlock>,
    pub(super) receipts: Option<ReceiptBlock>,
    pub(super) proof: Option<ProofSettings>,
    pub(super) leases: Option<LeaseBlock>,
    pub(super) cluster: Option<BTreeMap<String, ClusterSettings>>,
    pub(super) dispatch: Option<DispatchOrder>,
    pub(super) accounts: Option<BTreeMap<String, AccountSettings>>,
    pub(super) plugins: Option<PluginSettings>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct EnvBlock {
    pub(super) pass: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct TrustBlock {
    pub(super) roots: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct LandingBlock {
    #[serde(default)]
    pub(super) allow: Vec<String>,
    pub(super) largest_megabytes: Option<u64>,
    pub(super) message: Option<String>,
    pub(super) style: Option<LandingStyle>,
    pub(super) hooks: Option<HookRights>,
    pub(super) signing_key: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct ProjectBlock {
    pub(super) name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct DefaultsBlock {
    pub(super) branch_prefix: Option<String>,
    pub(super) main_branch: Option<String>,
    pub(super) model: Option<String>,
    pub(super) split_model: Option<String>,
    pub(super) prompt: Option<String>,
    pub(super) prompt_extensions: Option<Vec<String>>,
    pub(super) provider: Option<String>,
    pub(super) rotation_strategy: Option<AgentRotation>,
    pub(super) worktree_root: Option<String>,
    pub(super) allow_other_specs: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct EnterpriseBlock {
    pub(super) derived: BTreeMap<String, DerivedKey>,
    pub(super) required: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct ApprovalBlock {
    pub(super) require_approval_for_agent_work: bool,
    pub(super) rejection_action: RejectionAction,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct ReviewBlock {
    pub(super) sessions: SessionsBlock,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct SessionsBlock {
    pub(super) days: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[serde(expecting = "`key: value` lines")]
pub(super) struct LintBlock {
    pub(super) thresholds: LintThresholds,
    pub(super) disable: Option<Vec<String>>,
}

/// Returns the part of the user's file that counts: a name is the project's own, and so is what its branches
/// have to have.
pub(super) fn of_user(file: ConfigFile) -> ConfigFile {
    ConfigFile {
        project: None,
        receipts: None,
        proof: None,
        ..file
    }
}

/// Returns the part of the project's file that counts: no folder says of itself that it is trusted, what
/// lands in it without a person, which of the user's accounts pay, or which of the user's plugins are asked.
pub(super) fn of_project(file: ConfigFile) -> ConfigFile {
    ConfigFile {
        trust: None,
        accounts: None,
        plugins: None,
        ..file
    }
}

/// Returns the part of the list of agents that counts.
pub(super) fn of_agents(file: ConfigFile) -> ConfigFile {
    let agents = file.parallel.and_then(|parallel| parallel.agents);
    ConfigFile {
        parallel: Some(ParallelBlock {
            agents,
            ..ParallelBlock::default()
        }),
        ..ConfigFile::default()
    }
}

pub(super) fn parse(name: &str, text: &str) -> Result<ConfigFile, ConfigError> {
    let failed = |why: String| ConfigError {
        file: name.into(),
        why,
    };
    if let Some(clash) = clash::in_document(text) {
        return Err(failed(clash.to_string()));
    }
    let layout = front_matter::layout(text).map_err(|e: EditError| failed(e.to_string()))?;
    let Some(range) = layout.yaml else {
        return Ok(ConfigFile::default());
    };
    let lines_before = text[..range.start].matches('\n').count();
    let read = front_matter::read::<Option<ConfigFile>>(&text[range]);
    Ok(read
        .map_err(|e: YamlProblem| failed(e.below(lines_before)))?
        .unwrap_or_default())
}
