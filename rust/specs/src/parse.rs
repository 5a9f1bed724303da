//! A spec's file as text, read into the model; anything odd becomes a problem, never a failure of others.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::id::SpecId;
use super::model::{ApprovalState, BrokenSpec, Criterion, Spec, SpecStatus, SpecType};
use chant_base::counted::count_visited;
use chant_base::document_problem::DocumentProblem;
use chant_base::text_place::TextPlace;
use chant_store::index::FileSource;
use chant_text::checklist;
use chant_text::clash;
use chant_text::fences::{self, SwallowingFence};
use chant_text::front_matter::{self, FrontMatterKey, FrontMatterPlaces, TextList, YamlProblem};
use chant_text::markdown::{self, Heading, MarkdownOutline};

/// The heading under which criteria stand.
pub const CRITERIA: &str = "Acceptance Criteria";

/// The words that an approval may have.
pub const APPROVALS: [&str; 3] = ["pending", "approved", "rejected"];

/// A file below `specs/` or `archive/`.
pub type ParsedSpec = Result<Arc<Spec>, Arc<BrokenSpec>>;

/// The keys of front matter, as far as answers and decisions need them (reference chant 2.2).
#[derive(Debug, Default, Deserialize)]
struct SpecFrontMatter {
    #[serde(rename = "type")]
    kind: Option<Box<str>>,
    status: Option<Box<str>>,
    depends_on: Option<TextList>,
    labels: Option<Vec<Box<str>>>,
    target_files: Option<Vec<Box<str>>>,
    context: Option<Vec<Box<str>>>,
    prompt: Option<Box<str>>,
    branch: Option<Box<str>>,
    commits: Option<Vec<Box<str>>>,
    completed_at: Option<Box<str>>,
    model: Option<Box<str>>,
    proof: Option<Box<str>>,
    members: Option<Vec<Box<str>>>,
    approval: Option<ApprovalFields>,
    output_schema: Option<Box<str>>,
    issue: Option<TextList>,
}

#[derive(Debug, Default, Deserialize)]
struct ApprovalFields {
    #[serde(default)]
    required: bool,
    status: Option<Box<str>>,
    by: Option<Box<str>>,
    at: Option<Box<str>>,
}

/// The words that `verification_status` may have.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum VerificationStatus {
    Passed,
    Failed,
    Partial,
}

/// The fields that `retry_state` must have.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read only to check its shape")]
struct RetryState {
    attempts: u32,
    last_retry_time: u64,
    next_retry_time: u64,
}

/// Returns the ID of a file: its name without the ending.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

/// Reads one file; `path` is relative to the root.
///
/// ```
/// use chant_specs::parse::document;
/// use chant_store::index::FileSource;
///
/// let text = "---\nstatus: pending\n---\n# Log in\n\n## Acceptance Criteria\n\n- [ ] It works\n";
/// let path = ".chant/specs/2026-01-22-001-x7m.md";
/// let spec = document(path, FileSource::Text(text.into())).map_err(|broken| broken.problem.message.clone())?;
/// assert_eq!((spec.title.as_deref(), spec.criteria.len()), (Some("Log in"), 1));
/// # Ok::<(), String>(())
/// ```
pub fn document(path: &str, source: FileSource) -> ParsedSpec {
    let stem = stem(path);
    let broken = |problem: DocumentProblem| {
        Arc::new(BrokenSpec {
            id: stem.into(),
            problem,
        })
    };
    count_visited(1);
    let text = match source {
        FileSource::Text(text) => text,
        FileSource::Unreadable(why) => {
            let problem = DocumentProblem::new(path, format!("cannot be read: {why}"));
            return Err(broken(problem));
        }
    };
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        let message = "the file is empty; write what to do, or remove it";
        let problem = DocumentProblem::new(path, message);
        return Err(broken(problem.at(TextPlace::of(&text, 0..text.len()))));
    }
    let id: SpecId = stem.parse().map_err(|e: super::id::InvalidSpecId| {
        let problem = DocumentProblem::new(path, e.to_string());
        broken(problem.at(TextPlace::of_first_line(&text)))
    })?;
    read(id, path, text).map(Arc::new).map_err(broken)
}

/// A list without room for more: it is kept for as long as its spec.
fn fitted(list: Option<Vec<Box<str>>>) -> Option<Vec<Box<str>>> {
    let mut list = list?;
    list.shrink_to_fit();
    Some(list)
}

fn read(id: SpecId, path: &str, text: String) -> Result<Spec, DocumentProblem> {
    refuse_clash(path, &text)?;
    let layout = front_matter::layout(&text).map_err(|e| {
        DocumentProblem::new(path, e.to_string()).at(TextPlace::of_first_line(&text))
    })?;
    let mut reader = SpecReader {
        path,
        text: &text,
        yaml: layout.yaml.clone().unwrap_or(0..0),
        problems: Vec::new(),
    };
    let front = match &layout.yaml {
        None => SpecFrontMatter::default(),
        Some(_) => reader.front()?,
    };
    let status = match front.status.as_deref() {
        None => SpecStatus::Pending,
        Some(word) => word.parse().map_err(|e: super::model::InvalidSpecStatus| {
            reader.about("status", word, e.to_string())
        })?,
    };
    let kind = front.kind.as_deref().map_or(SpecType::Code, SpecType::from);
    if let SpecType::Other(word) = &kind {
        let problem = reader.about("type", word, unknown_type(word));
        reader.problems.push(problem);
    }
    reader.approval(front.approval.as_ref());
    let problems = reader.problems;
    let body = &text[layout.body..];
    let outline = markdown::outline(body);
    let title = outline.headings.iter().find(|heading| heading.level == 1);
    Ok(Spec {
        id,
        path: path.into(),
        title: title.and_then(|heading| title_of(body, heading)),
        criteria: checklist::under(&outline, CRITERIA)
            .into_iter()
            .map(criterion)
            .collect(),
        body_start: layout.body,
        kind,
        status,
        depends_on: fitted(
            front
                .depends_on
                .map(|texts| texts.0.into_iter().map(Into::into).collect()),
        ),
        labels: fitted(front.labels),
        target_files: fitted(front.target_files),
        context: fitted(front.context),
        prompt: front.prompt,
        branch: front.branch,
        commits: fitted(front.commits),
        completed_at: front.completed_at,
        model: front.model,
        proof: front.proof,
        members: fitted(front.members),
        approval: front.approval.map(|c| ApprovalState {
            required: c.required,
            status: c.status,
            by: c.by,
            at: c.at,
        }),
        output_schema: front.output_schema,
        issue: front.issue.map(|names| names.0.concat().into()),
        is_withheld: false,
        problems,
        fences: swallowing(&text, layout.body, &outline),
        unread_criteria: unread_criteria(&text, layout.body, &outline),
        text: text.into(),
    })
}

/// The fences of a body that take in headings or boxes, with their lines in the file.
fn swallowing(text: &str, body: usize, outline: &MarkdownOutline) -> Box<[SwallowingFence]> {
    let mut found = fences::swallowing(&text[body..], outline);
    if !found.is_empty() {
        let before = text[..body].matches('\n').count();
        for fence in &mut found {
            fence.line += before;
        }
    }
    found.into()
}

/// Lines of the file that look like criteria and are none.
fn unread_criteria(text: &str, body: usize, outline: &MarkdownOutline) -> Box<[usize]> {
    let is_wanted = |heading: &str| checklist::starts_with_ignoring_case(heading, CRITERIA);
    let mut lines = checklist::unread(&text[body..], outline, &is_wanted);
    if !lines.is_empty() {
        let before = text[..body].matches('\n').count();
        for line in &mut lines {
            *line += before;
        }
    }
    lines.into()
}

/// Refuses a text of which git left two versions: which of them is meant is for a person to say.
fn refuse_clash(path: &str, text: &str) -> Result<(), DocumentProblem> {
    match clash::in_document(text) {
        None => Ok(()),
        Some(clash) => Err(
            DocumentProblem::new(path, format!("cannot be read: {clash}"))
                .on_line(Some(clash.begins))
                .at(TextPlace::of_line(text, clash.begins)),
        ),
    }
}

/// The title that a heading gives: all that follows its hash and blank, hashes at its end included
/// (reference chant 2.4); an underlined heading's own text.
fn title_of(body: &str, heading: &Heading) -> Option<Box<str>> {
    let line = body.get(heading.range.clone()).unwrap_or_default().trim();
    let behind_hash = line
        .strip_prefix('#')
        .filter(|rest| rest.starts_with([' ', '\t']) || rest.is_empty());
    let title = behind_hash.unwrap_or(&heading.text).trim();
    (!title.is_empty()).then(|| title.into())
}

/// The words for a type that is none of ours; the lint rule says the same.
pub fn unknown_type(word: &str) -> String {
    format!(
        "Invalid spec type '{word}'. Must be one of: {}",
        SpecType::NAMES.join(", ")
    )
}

fn criterion(item: &markdown::TaskItem) -> Criterion {
    // Documents are at most 32 MiB, so every offset fits.
    let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Criterion {
        marker: short(item.marker.start),
        start: short(item.text.start),
        end: short(item.text.end),
        checked: item.checked,
    }
}

/// Reads front matter whole where it fits, key by key where something does not.
struct SpecReader<'a> {
    path: &'a str,
    text: &'a str,
    yaml: Range<usize>,
    problems: Vec<DocumentProblem>,
}

impl SpecReader<'_> {
    fn front(&mut self) -> Result<SpecFrontMatter, DocumentProblem> {
        let yaml = &self.text[self.yaml.clone()];
        let keys = front_matter::keys(yaml);
        self.repeated(&keys);
        self.check_others(yaml, &keys);
        if let Ok(front) = front_matter::read::<Option<SpecFrontMatter>>(yaml) {
            self.check_whole(yaml);
            return Ok(front.unwrap_or_default());
        }
        front_matter::read_any(yaml).map_err(|problem| self.invalid(&problem))?;
        Ok(SpecFrontMatter {
            kind: self.key(yaml, "type"),
            status: self.decisive(yaml, "status")?,
            depends_on: self.decisive(yaml, "depends_on")?,
            labels: self.key(yaml, "labels"),
            target_files: self.key(yaml, "target_files"),
            context: self.key(yaml, "context"),
            prompt: self.key(yaml, "prompt"),
            branch: self.key(yaml, "branch"),
            commits: self.key(yaml, "commits"),
            completed_at: self.key(yaml, "completed_at"),
            model: self.key(yaml, "model"),
            proof: self.key(yaml, "proof"),
            members: self.key(yaml, "members"),
            approval: self.decisive(yaml, "approval")?,
            output_schema: self.key(yaml, "output_schema"),
            issue: self.key(yaml, "issue"),
        })
    }

    /// Reports front matter whose known keys can be read although the whole cannot: what lies under
    /// unknown keys is passed over at first, but an edit reads it all and is refused.
    fn check_whole(&mut self, yaml: &str) {
        if !front_matter::may_explode(yaml) {
            return;
        }
        if let Err(problem) = front_matter::read_any(yaml) {
            let mut problem = self.invalid(&problem);
            problem
                .message
                .push_str("; the spec is read but cannot be edited");
            self.problems.push(problem);
        }
    }

    /// The number of lines of the file before the YAML.
    fn lines_before(&self) -> usize {
        self.text[..self.yaml.start].matches('\n').count()
    }

    fn invalid(&self, problem: &YamlProblem) -> DocumentProblem {
        let before = self.lines_before();
        let message = format!("Invalid YAML frontmatter: {}", problem.below(before));
        let line = problem.line.map(|line| line + before);
        DocumentProblem::new(self.path, message)
            .on_line(line)
            .at(problem.place(self.text, self.yaml.clone()))
    }

    /// A problem with words in the value of a key, or with the key.
    fn about(&self, key: &str, words: &str, message: String) -> DocumentProblem {
        let places = FrontMatterPlaces::of_yaml(self.text, self.yaml.clone());
        let yaml = &self.text[self.yaml.clone()];
        let keys = front_matter::keys(yaml);
        let key_line = keys.iter().find(|found| found.name == key);
        DocumentProblem::new(self.path, message)
            .on_line(key_line.map(|found| found.line + self.lines_before()))
            .at(places.value(key, words))
    }

    /// Reads a key that is only shown: a value that does not fit is reported and left out.
    fn key<T: DeserializeOwned>(&mut self, yaml: &str, key: &str) -> Option<T> {
        self.decisive(yaml, key).unwrap_or_else(|problem| {
            self.problems.push(problem);
            None
        })
    }

    /// A key that decides what may be worked on: guessing at it could start work too early.
    fn decisive<T: DeserializeOwned>(
        &self,
        yaml: &str,
        key: &str,
    ) -> Result<Option<T>, DocumentProblem> {
        front_matter::read_key(yaml, key)
            .map_err(|fault| self.about(key, "", format!("`{key}` cannot be used: {fault}")))
    }

    /// Reports an approval status that is none of the three; it counts as not approved.
    fn approval(&mut self, approval: Option<&ApprovalFields>) {
        let Some(word) = approval.and_then(|approval| approval.status.as_deref()) else {
            return;
        };
        if !APPROVALS.contains(&word) {
            let message = format!(
                "Invalid approval status '{word}'. Must be one of: {}",
                APPROVALS.join(", ")
            );
            let problem = self.about("approval", word, message);
            self.problems.push(problem);
        }
    }

    /// Reports unknown keys that stand twice; known ones are refused by the reader of the whole.
    fn repeated(&mut self, keys: &[FrontMatterKey<'_>]) {
        let mut names: Vec<(&str, usize)> = keys.iter().map(|key| (&*key.name, key.line)).collect();
        names.sort_unstable();
        for pair in names.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let (name, line) = pair[1];
            let message = format!("`{name}` stands more than once; keep one of them");
            let places = FrontMatterPlaces::of_yaml(self.text, self.yaml.clone());
            let problem = DocumentProblem::new(self.path, message)
                .on_line(Some(line + self.lines_before()))
                .at(places.on_line(line));
            self.problems.push(problem);
        }
    }

    /// Reports documented keys that nothing decides on and whose values have the wrong type.
    fn check_others(&mut self, yaml: &str, keys: &[FrontMatterKey<'_>]) {
        // Each reading goes through the whole text: a key that is repeated is read once.
        let mut seen = HashSet::new();
        for key in keys.iter().filter(|key| seen.insert(&key.name)) {
            match &*key.name {
                name @ ("tracks"
                | "informed_by"
                | "origin"
                | "conflicting_files"
                | "blocked_specs"
                | "may_change"
                | "untested"
                | "verification_failures"
                | "derived_fields") => {
                    self.key::<Vec<Box<str>>>(yaml, name);
                }
                name @ ("schedule"
                | "source_branch"
                | "target_branch"
                | "original_spec"
                | "last_verified"
                | "replayed_at"
                | "original_completed_at") => {
                    self.key::<Box<str>>(yaml, name);
                }
                "verification_status" => {
                    self.key::<VerificationStatus>(yaml, "verification_status");
                }
                "replay_count" => {
                    self.key::<u32>(yaml, "replay_count");
                }
                "public" => {
                    self.key::<bool>(yaml, "public");
                }
                "retry_state" => {
                    self.key::<RetryState>(yaml, "retry_state");
                }
                _ => {}
            }
        }
    }
}
