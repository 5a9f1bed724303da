//! Finds what a merge changes of the tests that judge work: weaker tests, and what configures them. A person has to
//! agree to these, unless the spec said when the run started what may change, or the user's own configuration does.

use std::cell::RefCell;

use super::run_folder::RunFolder;
use chant_base::error::Error;
use chant_evidence::{
    ChangedText, FileClass, JudgeFinding, JudgeRule, JudgeTerms, JudgedChange, MAX_BYTES, Weight,
    class_of, judge_change, path_matcher,
};
use chant_git::changed_files::{ChangedFile, CommittedFile, FileKind};
use chant_git::{GitError, Repo};
use chant_specs::project::{Project, SPECS};
use chant_text::front_matter;
use chant_work::run_record::JudgedEntry;
use chant_work::run_store::RunStore;

/// The key of a spec that names files of tests which its work may change without a person.
const MAY_CHANGE: &str = "may_change";
/// The key of a spec with patterns of code that no test has to hold.
pub(super) const UNTESTED: &str = "untested";
/// The keys by which a spec frees work, and what that means.
const FREEING: [(&str, &str); 2] = [
    (MAY_CHANGE, "lets later work change without a person"),
    (UNTESTED, "lets later work go untested"),
];
/// The number of lines of one kind that a run's record keeps.
const MAX_LINES: usize = 40;
/// The number of findings that the reason of a run's end names.
const MAX_NAMED: usize = 2;

/// The terms by which a merge is judged.
pub(super) struct JudgedTerms<'a> {
    pub project: &'a Project,
    pub repo: &'a Repo,
    pub place: &'a RunFolder,
    /// Returns true for a file that lands without a person by the user's own configuration.
    pub allows: &'a dyn Fn(&str) -> bool,
}

/// Returns the part of the reason of a run's end that says what became weaker.
pub(super) fn reason(judged: &JudgedEntry) -> Option<String> {
    let shown = judged.weaker.iter().take(MAX_NAMED);
    let shown: Vec<&str> = shown.map(String::as_str).collect();
    let more = judged.weaker.len().saturating_sub(MAX_NAMED);
    (!shown.is_empty()).then(|| {
        let more = if more > 0 {
            format!("; and {more} more")
        } else {
            String::new()
        };
        format!("changes what judges it: {}{more}", shown.join("; "))
    })
}

/// Notes in a run's record what its work changes of the tests that judge it.
pub(super) fn note_judged(
    runs: &RunStore,
    process_id: &str,
    judged: JudgedEntry,
) -> Result<(), Error> {
    let judged = Some(Box::new(judged)).filter(|judged| !judged.is_empty());
    if runs.get(process_id)?.judged != judged {
        runs.update(process_id, |record| {
            record.judged.clone_from(&judged);
            Ok(())
        })?;
    }
    Ok(())
}

impl JudgedTerms<'_> {
    /// Judges the changed files between two commits of the target.
    pub(super) fn judge(
        &self,
        changed: &[ChangedFile],
        old: &str,
        new: &str,
    ) -> Result<JudgedEntry, Error> {
        let config = self.project.snapshot()?.config.clone()?;
        let checks: Vec<Vec<String>> = config.runs.checks.values().cloned().collect();
        let stricter: Vec<JudgeRule> = JudgeRule::ALL
            .into_iter()
            .filter(|rule| config.proof.rules.iter().any(|name| name == rule.name()))
            .collect();
        let named = self.may_change()?;
        let names = path_matcher(&named);
        // Commands of checks name files from the project's folder, so all are named from there.
        let inside = self.place.inside();
        let in_git = |path: &str| match path.strip_prefix(OUTSIDE_MARK) {
            Some(path) => path.to_owned(),
            None => format!("{inside}{path}"),
        };
        let failure = RefCell::new(None);
        let before = |path: &str| match self.repo.file_at(old, &in_git(path)) {
            Ok(bytes) => bytes,
            Err(GitError::TooLarge { .. }) => None,
            Err(error) => {
                failure.replace(Some(error));
                None
            }
        };
        let (tests, configures) = (
            path_matcher(&config.proof.tests),
            path_matcher(&config.proof.config),
        );
        let is_named = |path: &str| tests(path) || configures(path);
        let mut texts = Vec::new();
        for file in changed {
            let path = from_project(&file.path, inside);
            if !is_read(&path) && !is_named(&path) {
                continue;
            }
            texts.push(ChangedText {
                path,
                old: self.bytes(file.old.as_ref())?,
                new: self.bytes(file.new.as_ref())?,
            });
        }
        let may_change = |path: &str| {
            let path = in_git(path);
            (self.allows)(&path) || names(path.strip_prefix(inside).unwrap_or(&path))
        };
        let mut judged = judge_change(
            &texts,
            &JudgeTerms {
                tests: &config.proof.tests,
                config: &config.proof.config,
                checks: &checks,
                stricter: &stricter,
                may_change: &may_change,
                before: &before,
            },
        );
        if let Some(error) = failure.into_inner() {
            return Err(error.into());
        }
        for finding in &mut judged.findings {
            finding.path = in_git(&finding.path);
        }
        judged.not_read = judged.not_read.iter().map(|path| in_git(path)).collect();
        let freed = self.freed(changed, old, new)?;
        Ok(entry(judged, freed))
    }

    /// The patterns of the spec as it stood when the run started.
    fn may_change(&self) -> Result<Vec<String>, Error> {
        let text = self.place.base_text(self.project, self.repo)?;
        let patterns = |text: &str| patterns_in(text, MAY_CHANGE);
        Ok(text.as_deref().map(patterns).unwrap_or_default())
    }

    /// Specs that get patterns of what later work may do: no work frees other work.
    fn freed(&self, changed: &[ChangedFile], old: &str, new: &str) -> Result<Vec<String>, Error> {
        let specs = format!("{}{SPECS}/", self.place.inside());
        let mut freed = Vec::new();
        for file in changed.iter().filter(|file| file.path.starts_with(&specs)) {
            for (key, what) in FREEING {
                let patterns = |commit: &str| -> Result<Vec<String>, GitError> {
                    let bytes = self.repo.file_at(commit, &file.path)?.unwrap_or_default();
                    Ok(patterns_in(&String::from_utf8_lossy(&bytes), key))
                };
                let known = patterns(old)?;
                let mut fresh = patterns(new)?;
                fresh.retain(|pattern| !known.contains(pattern));
                if !fresh.is_empty() {
                    freed.push(format!("{} {what}: {}", file.path, fresh.join(", ")));
                }
            }
        }
        Ok(freed)
    }

    /// The bytes of a version of a file; of what is too large or no plain file, so many that it counts as not read.
    fn bytes(&self, file: Option<&CommittedFile>) -> Result<Option<Vec<u8>>, Error> {
        let Some(file) = file else { return Ok(None) };
        let is_plain = matches!(file.kind, FileKind::Plain | FileKind::Program);
        let is_large = || -> Result<bool, GitError> {
            Ok(self.repo.size_of(file)? > u64::try_from(MAX_BYTES).unwrap_or(u64::MAX))
        };
        if !is_plain || is_large()? {
            return Ok(Some(vec![0]));
        }
        Ok(Some(self.repo.content_of(file)?))
    }
}

/// The mark before the path of a file outside of the project's folder.
const OUTSIDE_MARK: &str = "../";

fn from_project(path: &str, inside: &str) -> String {
    match path.strip_prefix(inside) {
        Some(own) => own.to_owned(),
        None => format!("{OUTSIDE_MARK}{path}"),
    }
}

/// True for a file whose words can matter; documents and large data of tests are left alone.
fn is_read(path: &str) -> bool {
    !matches!(class_of(path), FileClass::Words | FileClass::Fixture)
}

/// The patterns that a spec names under a key.
pub(super) fn patterns_in(text: &str, key: &str) -> Vec<String> {
    let yaml = front_matter::yaml_of(text).unwrap_or_default();
    let patterns = front_matter::read_key::<Vec<String>>(yaml, key);
    patterns.ok().flatten().unwrap_or_default()
}

fn entry(judged: JudgedChange, freed: Vec<String>) -> JudgedEntry {
    let lines = |weight: Weight| {
        let of_weight = judged
            .findings
            .iter()
            .filter(move |finding| finding.weight == weight);
        of_weight.map(JudgeFinding::to_string)
    };
    let mut weaker: Vec<String> = lines(Weight::Weaker).chain(freed).collect();
    let more = (weaker.len() + judged.more).saturating_sub(MAX_LINES);
    weaker.truncate(MAX_LINES);
    if more > 0 && weaker.len() == MAX_LINES {
        weaker.push(format!("and {more} more"));
    }
    JudgedEntry {
        weaker,
        agreed: false,
        look: lines(Weight::Look).take(MAX_LINES).collect(),
        not_read: judged.not_read.into_iter().take(MAX_LINES).collect(),
    }
}
