//! The effects of each tool, and of each act of a command: one table for the check of trust and the
//! annotations of tools, so that the two cannot differ.

/// The effects that a call may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// Documents of the project are read.
    ReadsDocuments,
    /// Documents, or records of ours, are created or changed.
    EditsDocuments,
    /// Text may be replaced or removed, or work may be ended.
    TakesTextAway,
    /// Variables of the environment may be read because the project asks for them.
    ReadsEnvironment,
    /// Programs that the project names are run.
    RunsCommands,
    /// Agents are started, which may do anything.
    StartsAgents,
    /// Branches, worktrees or the configuration of git are changed.
    ChangesGit,
}

/// The rights of a call from inside a run, where an agent asks and no person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPermission {
    /// It is answered as anywhere: it reads the project, adds to it, or asks a person.
    Project,
    /// It reads and writes the copies in the run's own folder, which land with its branch.
    OwnFolder,
    /// Only a person may do it; names the agent's alternative.
    Never(&'static str),
}

use RunPermission::{Never, OwnFolder, Project};
use ToolEffect::{
    ChangesGit, EditsDocuments, ReadsDocuments, ReadsEnvironment, RunsCommands, StartsAgents,
    TakesTextAway,
};

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectRow {
    /// The tool's name, or our own words for an act that only a command does.
    pub name: &'static str,
    /// Its effects.
    pub effects: &'static [ToolEffect],
    /// True if a second call with the same arguments changes nothing more.
    pub is_repeatable: bool,
    /// The rights of the call from inside a run.
    pub in_run: RunPermission,
}

/// The hints for a host about a tool: the four hints of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol has these four hints"
)]
pub struct ToolHints {
    /// True if nothing is changed.
    pub read_only: bool,
    /// True if something may be lost.
    pub destructive: bool,
    /// True if a second call changes nothing more.
    pub idempotent: bool,
    /// True if programs act that are not ours.
    pub open_world: bool,
}

const READS: &[ToolEffect] = &[ReadsDocuments];
const EDITS: &[ToolEffect] = &[ReadsDocuments, EditsDocuments];
const TAKES_AWAY: &[ToolEffect] = &[ReadsDocuments, EditsDocuments, TakesTextAway];
const STARTS: &[ToolEffect] = &[ReadsDocuments, EditsDocuments, StartsAgents, ChangesGit];
const MERGES: &[ToolEffect] = &[ReadsDocuments, EditsDocuments, ChangesGit];

/// The agent's alternative to ending its own spec's work.
const END: RunPermission = Never(
    "Commit your work, tick the criteria that are met with chant_spec_update(check=[\u{2026}]), and end; the runner judges and lands it then.",
);
/// The agent's alternative to starting work.
const ADD: RunPermission = Never(
    "Add a spec with chant_add that says what is to be done; a person decides when it is started.",
);
/// The agent's alternative to any other act that only a person may do.
const ASK: RunPermission = Never(
    "Where it is needed, ask with rstn_report_status(status=\"needs_input\", prompt=\u{2026}), or say so in your last words.",
);

const fn once(
    name: &'static str,
    effects: &'static [ToolEffect],
    in_run: RunPermission,
) -> EffectRow {
    EffectRow {
        name,
        effects,
        is_repeatable: true,
        in_run,
    }
}

const fn each_time(
    name: &'static str,
    effects: &'static [ToolEffect],
    in_run: RunPermission,
) -> EffectRow {
    EffectRow {
        name,
        effects,
        is_repeatable: false,
        in_run,
    }
}

/// All tools in the order of their seeds, then the acts that only commands do.
pub const TABLE: &[EffectRow] = &[
    once("chant_spec_list", READS, Project),
    once("chant_spec_get", READS, Project),
    once("chant_ready", READS, Project),
    once("chant_status", READS, Project),
    once("chant_log", READS, Project),
    once("chant_search", READS, Project),
    once("chant_diagnose", READS, Project),
    once("chant_lint", READS, Project),
    once("chant_verify", READS, Project),
    each_time("chant_spec_update", TAKES_AWAY, OwnFolder),
    each_time(
        "chant_add",
        &[ReadsDocuments, EditsDocuments, ReadsEnvironment],
        Project,
    ),
    each_time("chant_finalize", EDITS, END),
    once("chant_reset", TAKES_AWAY, ASK),
    once("chant_resume", TAKES_AWAY, ASK),
    once("chant_cancel", TAKES_AWAY, ASK),
    once("chant_archive", TAKES_AWAY, ASK),
    each_time("chant_work_start", STARTS, ADD),
    once("chant_work_list", READS, Project),
    once("chant_pause", TAKES_AWAY, ASK),
    once("chant_takeover", TAKES_AWAY, ASK),
    once("chant_watch_status", READS, Project),
    each_time("chant_watch_start", STARTS, ADD),
    once("chant_watch_stop", TAKES_AWAY, ASK),
    each_time("chant_split", STARTS, ADD),
    once("vine_read", READS, OwnFolder),
    once("vine_next", READS, OwnFolder),
    each_time("vine_write", TAKES_AWAY, OwnFolder),
    each_time("vine_expand", EDITS, OwnFolder),
    each_time("rstn_report_status", EDITS, Project),
    once("rstn_read_spec", READS, OwnFolder),
    once("rstn_get_context", READS, OwnFolder),
    once(
        "rstn_complete_task",
        &[ReadsDocuments, EditsDocuments, RunsCommands],
        OwnFolder,
    ),
    once("list_projects", READS, OwnFolder),
    once("get_project_info", READS, OwnFolder),
    once("list_crs", READS, OwnFolder),
    once("get_cr", READS, OwnFolder),
    each_time("create_cr", EDITS, OwnFolder),
    each_time("update_cr_attrs", TAKES_AWAY, OwnFolder),
    each_time("update_cr_status", EDITS, OwnFolder),
    once("delete_cr", TAKES_AWAY, ASK),
    each_time("manage_cr_sections", TAKES_AWAY, OwnFolder),
    once("suggest_cr_improvements", READS, OwnFolder),
    once("item_list", READS, OwnFolder),
    once("item_get", READS, OwnFolder),
    once("item_next", READS, OwnFolder),
    each_time("item_update", TAKES_AWAY, OwnFolder),
    each_time("item_add", EDITS, ADD),
    // Acts that only commands do, or the project does by itself.
    once("approve", MERGES, ASK),
    once("merge", MERGES, ASK),
    once("recover", MERGES, ASK),
    once("worktree prune", MERGES, ASK),
    once("finalize a run", MERGES, ASK),
    once("remove a branch", MERGES, ASK),
    once("stage a move", MERGES, ASK),
    once("receipt push", MERGES, ASK),
    once("receipt sign", MERGES, ASK),
    once("receipt fetch", MERGES, ASK),
    once("review exchange", MERGES, ASK),
    once("leases", MERGES, ASK),
    each_time(
        "receipt verify --rerun",
        &[ReadsDocuments, RunsCommands],
        ASK,
    ),
    each_time("watch", STARTS, ASK),
];

/// Returns the row of a tool or an act.
pub fn effects_of(name: &str) -> Option<&'static EffectRow> {
    TABLE.iter().find(|row| row.name == name)
}

/// Returns the rights of a call from inside a run; an unknown call is only for a person.
pub fn right_in_run(name: &str) -> RunPermission {
    effects_of(name).map_or(ASK, |row| row.in_run)
}

/// Returns true if an act is allowed only in folders that a person trusts; an unknown act is not
/// allowed elsewhere.
pub fn needs_trust(name: &str) -> bool {
    const ACTS: [ToolEffect; 3] = [RunsCommands, StartsAgents, ChangesGit];
    effects_of(name).is_none_or(|row| row.effects.iter().any(|effect| ACTS.contains(effect)))
}

/// Acts that need trust and archive or exchange what is there, whatever the configuration says of work.
const TIDIES: [&str; 6] = [
    "worktree prune", "remove a branch", "stage a move", "receipt push", "receipt fetch",
    "review exchange",
];

/// Returns true if something goes by what the configuration says of work, so that it may not be done while a
/// key of that is nearly a known one.
pub fn goes_by_configuration(name: &str) -> bool {
    needs_trust(name) && !TIDIES.contains(&name)
}

impl EffectRow {
    /// Returns the hints for hosts.
    pub fn hints(&self) -> ToolHints {
        let has = |wanted: &[ToolEffect]| self.effects.iter().any(|effect| wanted.contains(effect));
        ToolHints {
            read_only: !has(&[
                EditsDocuments, TakesTextAway, RunsCommands, StartsAgents, ChangesGit,
            ]),
            // A program that is not ours may remove anything.
            destructive: has(&[TakesTextAway, RunsCommands, StartsAgents]),
            idempotent: self.is_repeatable,
            open_world: has(&[RunsCommands, StartsAgents]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(name: &str) -> ToolHints {
        effects_of(name).unwrap().hints()
    }

    #[test]
    fn whatever_needs_trust_says_that_it_acts() {
        let tools = TABLE.iter().filter(|row| row.name.contains('_'));
        for row in tools.filter(|row| needs_trust(row.name)) {
            let hints = row.hints();
            assert!(
                hints.open_world && hints.destructive && !hints.read_only,
                "{row:?}"
            );
        }
    }

    #[test]
    fn reading_needs_no_trust_and_what_is_not_known_does() {
        assert!(!needs_trust("chant_status") && !needs_trust("chant_spec_update"));
        assert!(needs_trust("chant_work_start") && needs_trust("rstn_complete_task"));
        assert!(needs_trust("recover") && needs_trust("something new"));
        assert!(hints("chant_status").read_only && hints("chant_status").idempotent);
    }

    #[test]
    fn what_starts_runs_or_merges_goes_by_the_configuration() {
        for name in [
            "chant_work_start", "merge", "approve", "watch", "chant_split",
        ] {
            assert!(goes_by_configuration(name), "{name}");
        }
        assert!(!goes_by_configuration("worktree prune") && !goes_by_configuration("chant_lint"));
        assert!(TIDIES.iter().all(|name| effects_of(name).is_some()));
    }

    #[test]
    fn what_takes_text_away_is_destructive() {
        for name in [
            "chant_spec_update", "manage_cr_sections", "delete_cr", "chant_cancel",
        ] {
            assert!(hints(name).destructive && !hints(name).open_world, "{name}");
        }
        assert!(!hints("chant_add").destructive && !hints("create_cr").destructive);
    }

    #[test]
    fn nothing_that_acts_is_done_from_inside_a_run_but_a_tick_in_its_own_folder() {
        for row in TABLE.iter().filter(|row| needs_trust(row.name)) {
            let is_never = matches!(row.in_run, Never(_));
            assert!(is_never || row.name == "rstn_complete_task", "{row:?}");
        }
        // A tool that removes text does so in copies, which a person's branch does not have yet.
        let takes_away = |row: &&EffectRow| row.effects.contains(&TakesTextAway);
        for row in TABLE.iter().filter(takes_away) {
            assert!(row.in_run != Project, "{row:?}");
        }
        assert!(matches!(right_in_run("something new"), Never(_)));
    }

    #[test]
    fn each_name_stands_there_once() {
        for (at, row) in TABLE.iter().enumerate() {
            assert!(TABLE[..at].iter().all(|other| other.name != row.name));
        }
        assert_eq!(
            TABLE.iter().filter(|row| row.name.contains('_')).count(),
            47
        );
    }
}
