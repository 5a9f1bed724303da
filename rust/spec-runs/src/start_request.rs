//! A start as a caller asks for it.

use serde::Deserialize;

use super::start::{StartOptions, WorkMode};
use chant_specs::error::ChantError;
use chant_work::run_record::RunOptions;

/// The parameters of a start besides the spec.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the parameters of a tool and of a command"
)]
pub struct StartRequest {
    /// True if work goes on with whatever is ready.
    pub chain: bool,
    /// The number of workers.
    pub parallel: Option<i64>,
    /// True if missing criteria and a red quality gate are no obstacle.
    pub skip_criteria: bool,
    /// True if the spec is only one of those that are ready, and none of them was asked for itself.
    pub takes_any: bool,
    /// True if earlier work is set aside and not continued.
    pub fresh: bool,
    /// The branch to start from and to land on, if it is not the configured or the present one.
    pub base: Option<String>,
    /// The agent, if it is not the configured one.
    pub agent: Option<String>,
    /// The prompt, which overrides that of specs.
    pub prompt: Option<String>,
    /// True if the spec is worked on without asking the remote that clones share.
    pub offline: bool,
    /// True if its folder holds the files of the commit and nothing that recipes install.
    pub bare: bool,
    /// The cluster on which agents work, if it is not this machine.
    pub on: Option<String>,
}

impl TryFrom<StartRequest> for StartOptions {
    type Error = ChantError;

    fn try_from(request: StartRequest) -> Result<Self, ChantError> {
        Ok(Self {
            mode: WorkMode::of(request.chain, request.parallel)?,
            asked: RunOptions {
                skip_criteria: request.skip_criteria,
                takes_any: request.takes_any,
                fresh: request.fresh,
                base: request.base.filter(|base| !base.is_empty()),
                agent: request.agent,
                prompt: request.prompt,
                offline: request.offline,
                bare: request.bare,
                on: request.on.filter(|on| !on.is_empty()),
                ..RunOptions::default()
            },
        })
    }
}
