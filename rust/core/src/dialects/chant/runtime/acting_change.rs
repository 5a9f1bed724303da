//! What a merge would change of what runs by itself, here or elsewhere: that never lands without a person.

use std::path::PathBuf;

use super::super::project::Project;
use super::workplace::Workplace;
use crate::error::Error;
use crate::git::Repo;
use crate::store::digest::sha256;
use crate::store::disk;
use crate::trust::acting::{
    ActingConfiguration, CHANT_AGENTS, CHANT_CONFIG, EntryKind, PROMPTS, SPECKIT_CONFIG,
    SourceFile, listing_difference,
};
use crate::trust::places::{is_at_or_below, is_of_agents, is_of_automation, may_hold_agents};

/// Why a run ends whose branch changes something of that.
pub(in super::super) const CHANGES_MACHINE: &str = "changes what runs by itself";

/// What stands for a change that a person agrees to.
pub(in super::super) fn agreement_to(change: &[String]) -> String {
    sha256(change.join("\n").as_bytes())
}

/// What two commits of the target differ in that acts, as lines for people; none when nothing does.
///
/// # Errors
/// A failure of git.
pub(super) fn acting_change(
    project: &Project,
    repo: &Repo,
    place: &Workplace,
    (old, new): (&str, &str),
) -> Result<Vec<String>, Error> {
    let paths = repo.differing(old, new)?;
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let acting = ActingPaths::of(project, repo, place);
    let paths: Vec<(&String, EntryKind, String)> = paths
        .iter()
        .filter_map(|path| {
            acting
                .kind_of(path)
                .map(|(kind, shown)| (path, kind, shown))
        })
        .collect();
    let at = |commit: &str| -> Result<Vec<String>, Error> {
        let mut files = Vec::new();
        for (path, kind, shown) in &paths {
            if let Some(bytes) = repo.file_at(commit, path)? {
                files.push(SourceFile {
                    path: shown.clone(),
                    kind: *kind,
                    link: None,
                    is_program: false,
                    bytes: Ok(bytes),
                });
            }
        }
        Ok(ActingConfiguration::of(&files, &[], Vec::new()).listing())
    };
    Ok(listing_difference(&at(old)?, &at(new)?))
}

/// Which paths of a repository act.
struct ActingPaths {
    /// The project's folder from the top of the checkout, with a slash at its end; empty for the top.
    inside: String,
    /// Where files lie that act here, from the top: behind links, too.
    real: Vec<String>,
}

impl ActingPaths {
    fn of(project: &Project, repo: &Repo, place: &Workplace) -> Self {
        let inside = place.spec_in_git.strip_suffix(&*place.spec);
        let top = repo.checkout().and_then(|top| disk::real(top).ok());
        let from_top = |path: PathBuf| {
            let path = path.strip_prefix(top.as_ref()?).ok()?.to_str()?;
            Some(path.replace('\\', "/")).filter(|path| !path.is_empty())
        };
        let real = project.acting_places().into_iter();
        Self {
            inside: inside.unwrap_or_default().to_owned(),
            real: real.filter_map(from_top).collect(),
        }
    }

    /// What a path of the repository makes happen, and how it is shown; `None` for all that does not act.
    fn kind_of(&self, path: &str) -> Option<(EntryKind, String)> {
        let own = path.strip_prefix(&self.inside);
        if let Some(own) = own {
            if [CHANT_CONFIG, CHANT_AGENTS, SPECKIT_CONFIG].contains(&own) {
                return Some((EntryKind::Setting, own.to_owned()));
            }
            if is_at_or_below(own, PROMPTS) || is_at_or_below(PROMPTS, own) {
                return Some((EntryKind::Prompt, own.to_owned()));
            }
            let folded = own.to_lowercase();
            let has_twin = |place| is_at_or_below(&folded, place) || is_at_or_below(place, &folded);
            if [CHANT_CONFIG, CHANT_AGENTS, SPECKIT_CONFIG, PROMPTS]
                .into_iter()
                .any(has_twin)
            {
                return Some((EntryKind::AgentFile, path.to_owned()));
            }
        }
        // File systems that know no case find `.Claude`, too.
        let folded = path.to_lowercase();
        let mut level = self.inside.as_str();
        loop {
            let rest = folded.strip_prefix(&level.to_lowercase());
            if rest.is_some_and(|rest| is_of_agents(rest) || may_hold_agents(rest)) {
                return Some((EntryKind::AgentFile, path.to_owned()));
            }
            if level.is_empty() {
                break;
            }
            let above = level
                .trim_end_matches('/')
                .rfind('/')
                .map_or(0, |at| at + 1);
            level = &level[..above];
        }
        let is_real = self.real.iter().any(|real| is_at_or_below(path, real));
        if is_real {
            return Some((EntryKind::AgentFile, path.to_owned()));
        }
        is_of_automation(path).then(|| (EntryKind::Automation, path.to_owned()))
    }
}
