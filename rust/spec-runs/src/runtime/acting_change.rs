//! Finds changes of a merge to what runs by itself, here or elsewhere: these never land without a
//! person.

use std::path::PathBuf;

use super::run_folder::RunFolder;
use chant_base::error::Error;
use chant_git::Repo;
use chant_specs::project::Project;
use chant_store::digest::sha256;
use chant_store::disk;
use chant_trust::acting::{
    ActingConfiguration, CHANT_AGENTS, CHANT_CONFIG, EntryKind, PROMPTS, SPECKIT_CONFIG,
    SourceFile, listing_difference,
};
use chant_trust::places::{is_at_or_below, is_of_agents, is_of_automation, may_hold_agents};

/// The reason for the end of a run whose branch contains such a change.
pub(in super::super) const CHANGES_MACHINE: &str = "changes what runs by itself";

/// Returns the hash that stands for a change to which a person agrees.
pub(in super::super) fn agreement_to(change: &[String]) -> String {
    sha256(change.join("\n").as_bytes())
}

/// Returns the acting differences between two commits of the target, as lines for people; empty if
/// there are none.
///
/// # Errors
/// A failure of git.
pub(super) fn acting_change(
    project: &Project,
    repo: &Repo,
    place: &RunFolder,
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

/// The paths of a repository that act.
struct ActingPaths {
    /// The project's folder from the top of the checkout, with a slash at its end; empty for the top.
    inside: String,
    /// The real paths, from the top, of files that act here, also behind links.
    real: Vec<String>,
}

impl ActingPaths {
    fn of(project: &Project, repo: &Repo, place: &RunFolder) -> Self {
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

    /// Returns the effect of a path in the repository, and how it is shown; `None` for a path that
    /// does not act.
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
        // File systems that ignore case find `.Claude`, too.
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
