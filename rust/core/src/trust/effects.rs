//! What each tool, and each act of a command, may do: one table, which the check of trust asks and from which
//! the annotations of tools follow, so that they cannot differ.

/// What may happen by a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// Documents of the project are read.
    ReadsDocuments,
    /// Documents, or records of ours, are made or changed.
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

use ToolEffect::{
    ChangesGit, EditsDocuments, ReadsDocuments, ReadsEnvironment, RunsCommands, StartsAgents,
    TakesTextAway,
};

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectRow {
    /// The tool's name, or words of our own for what only a command does.
    pub name: &'static str,
    /// What may happen.
    pub effects: &'static [ToolEffect],
    /// Whether a second call with the same arguments changes nothing more.
    pub is_repeatable: bool,
}

/// What a host may assume of a tool: the four hints of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol has these four hints"
)]
pub struct ToolHints {
    /// Nothing is changed.
    pub read_only: bool,
    /// Something may be lost by it.
    pub destructive: bool,
    /// A second call changes nothing more.
    pub idempotent: bool,
    /// Programs act that are not ours.
    pub open_world: bool,
}

const READS: &[ToolEffect] = &[ReadsDocuments];
const EDITS: &[ToolEffect] = &[ReadsDocuments, EditsDocuments];
const TAKES_AWAY: &[ToolEffect] = &[ReadsDocuments, EditsDocuments, TakesTextAway];
const STARTS: &[ToolEffect] = &[ReadsDocuments, EditsDocuments, StartsAgents, ChangesGit];
const MERGES: &[ToolEffect] = &[ReadsDocuments, EditsDocuments, ChangesGit];

const fn once(name: &'static str, effects: &'static [ToolEffect]) -> EffectRow {
    EffectRow {
        name,
        effects,
        is_repeatable: true,
    }
}

const fn each_time(name: &'static str, effects: &'static [ToolEffect]) -> EffectRow {
    EffectRow {
        name,
        effects,
        is_repeatable: false,
    }
}

/// All tools in the order of their seeds, then what only commands do.
pub const TABLE: &[EffectRow] = &[
    once("chant_spec_list", READS),
    once("chant_spec_get", READS),
    once("chant_ready", READS),
    once("chant_status", READS),
    once("chant_log", READS),
    once("chant_search", READS),
    once("chant_diagnose", READS),
    once("chant_lint", READS),
    once("chant_verify", READS),
    each_time("chant_spec_update", TAKES_AWAY),
    each_time(
        "chant_add",
        &[ReadsDocuments, EditsDocuments, ReadsEnvironment],
    ),
    each_time("chant_finalize", EDITS),
    once("chant_reset", TAKES_AWAY),
    once("chant_resume", TAKES_AWAY),
    once("chant_cancel", TAKES_AWAY),
    once("chant_archive", TAKES_AWAY),
    each_time("chant_work_start", STARTS),
    once("chant_work_list", READS),
    once("chant_pause", TAKES_AWAY),
    once("chant_takeover", TAKES_AWAY),
    once("chant_watch_status", READS),
    each_time("chant_watch_start", STARTS),
    once("chant_watch_stop", TAKES_AWAY),
    each_time("chant_split", STARTS),
    once("vine_read", READS),
    once("vine_next", READS),
    each_time("vine_write", TAKES_AWAY),
    each_time("vine_expand", EDITS),
    each_time("rstn_report_status", EDITS),
    once("rstn_read_spec", READS),
    once("rstn_get_context", READS),
    once(
        "rstn_complete_task",
        &[ReadsDocuments, EditsDocuments, RunsCommands],
    ),
    once("list_projects", READS),
    once("get_project_info", READS),
    once("list_crs", READS),
    once("get_cr", READS),
    each_time("create_cr", EDITS),
    each_time("update_cr_attrs", TAKES_AWAY),
    each_time("update_cr_status", EDITS),
    once("delete_cr", TAKES_AWAY),
    each_time("manage_cr_sections", TAKES_AWAY),
    once("suggest_cr_improvements", READS),
    // What only commands do, or the project does by itself.
    once("approve", MERGES),
    once("merge", MERGES),
    once("recover", MERGES),
    once("worktree prune", MERGES),
    once("finalize a run", MERGES),
    once("remove a branch", MERGES),
    once("stage a move", MERGES),
    each_time("watch", STARTS),
];

/// The row of a tool or an act.
pub fn effects_of(name: &str) -> Option<&'static EffectRow> {
    TABLE.iter().find(|row| row.name == name)
}

/// Whether something may be done only in folders that a person trusts; what the table does not know may not.
pub fn needs_trust(name: &str) -> bool {
    const ACTS: [ToolEffect; 3] = [RunsCommands, StartsAgents, ChangesGit];
    effects_of(name).is_none_or(|row| row.effects.iter().any(|effect| ACTS.contains(effect)))
}

impl EffectRow {
    /// What hosts are told of it.
    pub fn hints(&self) -> ToolHints {
        let has = |wanted: &[ToolEffect]| self.effects.iter().any(|effect| wanted.contains(effect));
        ToolHints {
            read_only: !has(&[
                EditsDocuments,
                TakesTextAway,
                RunsCommands,
                StartsAgents,
                ChangesGit,
            ]),
            // A program that is not ours may take away what it likes.
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
    fn what_takes_text_away_is_destructive() {
        for name in [
            "chant_spec_update",
            "manage_cr_sections",
            "delete_cr",
            "chant_cancel",
        ] {
            assert!(hints(name).destructive && !hints(name).open_world, "{name}");
        }
        assert!(!hints("chant_add").destructive && !hints("create_cr").destructive);
    }

    #[test]
    fn each_name_stands_there_once() {
        for (at, row) in TABLE.iter().enumerate() {
            assert!(TABLE[..at].iter().all(|other| other.name != row.name));
        }
        assert_eq!(
            TABLE.iter().filter(|row| row.name.contains('_')).count(),
            42
        );
    }
}
