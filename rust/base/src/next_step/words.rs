//! The names of steps: a table for each door.

use super::NextStep;

/// A tool and its parameters; of what only a person can do, the command to pass on.
pub(super) fn for_agents(step: &NextStep) -> String {
    let fixed = match step {
        NextStep::InitSpecs => "`chant init`",
        NextStep::ListSpecs => "chant_spec_list",
        NextStep::ListReady => "chant_ready",
        NextStep::AddSpec => "chant_add",
        NextStep::AddMembers(_) => "chant_add and `parent`",
        NextStep::Diagnose(_) => "chant_diagnose",
        NextStep::Lint(_) => "chant_lint",
        NextStep::ShowLog(_) => "chant_log",
        NextStep::EditSpec(_) => "chant_spec_update",
        NextStep::TickCriteria(_) => "chant_spec_update (`check`)",
        NextStep::Work(_) => "chant_work_start",
        NextStep::ListRuns => "chant_work_list",
        NextStep::Pause(_) => "chant_pause",
        NextStep::TakeOver(_) => "chant_takeover",
        NextStep::Cancel(_) => "chant_cancel",
        NextStep::Reset(_) => "chant_reset",
        NextStep::Finalize(_) => "chant_finalize",
        NextStep::Split(_) => "chant_split",
        NextStep::ListTasks => "rstn_read_spec with artifact \"tasks\"",
        NextStep::AddFeature => "spec-kit's `specify` command",
        NextStep::NextTasks => "vine_next",
        NextStep::NewVine(_) => "vine_write with a `create` operation",
        NextStep::ListTicketProjects => "list_projects",
        NextStep::ListItems => "a listing of each dialect",
        NextStep::Override => "force parameter",
        NextStep::MakeLog(_) => "`chant work`",
        NextStep::Force => "force: true",
        NextStep::Fresh => "fresh: true",
        NextStep::SkipCriteria => "skip_criteria: true",
        NextStep::SkipValidation => "skip_validation: true",
        NextStep::Rerun => "a run of the checks",
        NextStep::ChooseFeature(feature) => {
            return format!(
                "`{{\"feature_directory\": \"specs/{feature}\"}}` in .specify/feature.json"
            );
        }
        NextStep::NameTarget(branch) => return format!("target: \"{branch}\""),
        NextStep::NameBase(branch) => {
            return format!("`defaults: {{main_branch: {branch}}}` in .chant/config.md");
        }
        NextStep::DescribeSpec(keys) => return format!("chant_add takes {keys}"),
        NextStep::Approve(_)
        | NextStep::Reject(_)
        | NextStep::Merge(_)
        | NextStep::TakeFromClone(_)
        | NextStep::WorkOffline(_)
        | NextStep::ListLeases
        | NextStep::FollowRemote
        | NextStep::AlreadyDone(_)
        | NextStep::Bare
        | NextStep::PruneLayers
        | NextStep::ReadBuildLog
        | NextStep::ProposeRecipes
        | NextStep::ShowTrust
        | NextStep::Trust
        | NextStep::Doctor
        | NextStep::CheckConfig
        | NextStep::Answer(_)
        | NextStep::ListQuestions { .. }
        | NextStep::InitTickets => return for_people(step),
    };
    fixed.to_owned()
}

/// A command and its flags; what no command does is done in the file.
pub(super) fn for_people(step: &NextStep) -> String {
    let command = match step {
        NextStep::DescribeSpec(keys) => return format!("its file may say {keys}"),
        NextStep::AddFeature => return "spec-kit's `specify` command".into(),
        NextStep::Force | NextStep::Override => return "`--force`".into(),
        NextStep::Fresh => return "`--fresh`".into(),
        NextStep::SkipCriteria => return "`--skip-criteria`".into(),
        NextStep::Bare => return "`--bare`".into(),
        NextStep::SkipValidation => return "`--skip-validation`".into(),
        NextStep::Rerun => return "`--rerun`".into(),
        NextStep::ChooseFeature(feature) => return format!("`--feature {feature}`"),
        NextStep::NameTarget(branch) => return format!("`--target {branch}`"),
        NextStep::NameBase(branch) => return format!("`--base {branch}`"),
        NextStep::InitSpecs => "init".into(),
        NextStep::ListSpecs | NextStep::ListItems => "list".into(),
        NextStep::ListReady => "ready".into(),
        NextStep::AddSpec => "add TEXT".into(),
        NextStep::AddMembers(id) => format!("add TEXT --parent {id}"),
        NextStep::Diagnose(id) => format!("diagnose {id}"),
        NextStep::Lint(id) => format!("lint {id}"),
        NextStep::ShowLog(id) => format!("log {id}"),
        NextStep::EditSpec(id) => format!("edit {id}"),
        NextStep::TickCriteria(id) => format!("tick {id}"),
        NextStep::Work(id) | NextStep::MakeLog(id) => format!("work {id}"),
        NextStep::ListRuns => "runs".into(),
        NextStep::Pause(id) => format!("pause {id}"),
        NextStep::TakeOver(id) => format!("takeover {id}"),
        NextStep::Cancel(id) => format!("cancel {id}"),
        NextStep::Reset(id) => format!("reset {id}"),
        NextStep::Finalize(id) => format!("finalize {id}"),
        NextStep::AlreadyDone(id) => format!("finalize {id} --already-done"),
        NextStep::Split(id) => format!("split {id}"),
        NextStep::Approve(id) => format!("approve {id}"),
        NextStep::Reject(id) => format!("reject {id} --reason TEXT"),
        NextStep::Merge(id) => format!("merge {id}"),
        NextStep::TakeFromClone(id) => format!("takeover {id} --force"),
        NextStep::WorkOffline(id) => format!("work {id} --offline"),
        NextStep::ListLeases => "leases".into(),
        NextStep::FollowRemote => "leases --pull".into(),
        NextStep::PruneLayers => "env prune --all".into(),
        NextStep::ReadBuildLog => "env log".into(),
        NextStep::ProposeRecipes => "env propose".into(),
        NextStep::ShowTrust => "trust --show".into(),
        NextStep::Trust => "trust".into(),
        NextStep::Doctor => "doctor".into(),
        NextStep::CheckConfig => "config check".into(),
        NextStep::Answer(id) => format!("answer {id} TEXT"),
        NextStep::ListQuestions { all: false } => "speckit questions".into(),
        NextStep::ListQuestions { all: true } => "speckit questions --all".into(),
        NextStep::ListTasks => "speckit tasks".into(),
        NextStep::NextTasks => "vine next".into(),
        NextStep::NewVine(file) => format!("vine new {file}"),
        NextStep::ListTicketProjects => "tickets projects".into(),
        NextStep::InitTickets => "tickets init".into(),
    };
    format!("`chant-mcp {command}`")
}

/// A method and its keywords; `ws` is the workspace, `spec`, `vine` and `feature` are the items meant.
pub(super) fn for_scripts(step: &NextStep) -> String {
    let code = match step {
        NextStep::DescribeSpec(keys) => return format!("`ws.add` takes {keys}"),
        NextStep::AddFeature => return "spec-kit's `specify` command".into(),
        NextStep::ListSpecs => "ws.specs",
        NextStep::ListReady => "ws.ready",
        NextStep::AddSpec => "ws.add(text)",
        NextStep::AddMembers(id) => return format!("`ws.add(text, parent=\"{id}\")`"),
        NextStep::Diagnose(_) => "spec.diagnose()",
        NextStep::Lint(_) => "spec.lint()",
        NextStep::ShowLog(_) => "spec.log()",
        NextStep::EditSpec(_) => "spec.update(…)",
        NextStep::TickCriteria(_) => "spec.check(…)",
        NextStep::Work(_) | NextStep::MakeLog(_) => "spec.start()",
        NextStep::ListItems => "ws.items",
        NextStep::ListRuns => "ws.runs()",
        NextStep::Pause(_) => "spec.pause()",
        NextStep::TakeOver(_) => "spec.takeover()",
        NextStep::Cancel(_) => "spec.cancel()",
        NextStep::Reset(_) => "spec.reset()",
        NextStep::Finalize(_) => "spec.finalize()",
        NextStep::AlreadyDone(_) => "spec.finalize(already_done=True)",
        NextStep::Split(_) => "spec.split()",
        NextStep::Approve(_) => "spec.approve()",
        NextStep::Reject(_) => "spec.reject(reason)",
        NextStep::ListTasks => "feature.tasks",
        NextStep::NextTasks => "vine.next()",
        NextStep::NewVine(file) => return format!("`ws.add_vine(\"{file}\", operations)`"),
        NextStep::ListTicketProjects => "ws.ticket_projects()",
        NextStep::ChooseFeature(feature) => return format!("`ws.feature(\"{feature}\")`"),
        NextStep::Force | NextStep::Override => "force=True",
        NextStep::Fresh => "fresh=True",
        NextStep::SkipCriteria => "skip_criteria=True",
        NextStep::Bare => "bare=True",
        NextStep::SkipValidation => "skip_validation=True",
        NextStep::Rerun => "rerun=True",
        NextStep::NameTarget(branch) => return format!("`target=\"{branch}\"`"),
        NextStep::NameBase(branch) => return format!("`base=\"{branch}\"`"),
        // What a script does not do: a person's commands.
        NextStep::InitSpecs
        | NextStep::ShowTrust
        | NextStep::Trust
        | NextStep::Doctor
        | NextStep::CheckConfig
        | NextStep::Merge(_)
        | NextStep::TakeFromClone(_)
        | NextStep::WorkOffline(_)
        | NextStep::ListLeases
        | NextStep::FollowRemote
        | NextStep::PruneLayers
        | NextStep::ReadBuildLog
        | NextStep::ProposeRecipes
        | NextStep::Answer(_)
        | NextStep::ListQuestions { .. }
        | NextStep::InitTickets => return for_people(step),
    };
    format!("`{code}`")
}
