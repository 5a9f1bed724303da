//! The file of what a change says of itself: `.openspec.yaml`.

use chant_plan_format::document::PlanDocument;
use chant_plan_format::finding::PlanFinding;
use chant_text::front_matter::{self, TextList};

/// The schema that the program brings.
const BUILT_IN_SCHEMA: &str = "spec-driven";

/// The keys of a change that matter here.
#[derive(Debug, Default)]
pub(super) struct ChangeFile {
    pub(super) schema: Option<String>,
    /// True if the change has no deltas on purpose.
    pub(super) skips_specs: bool,
    /// Names of changes that it waits for.
    pub(super) depends_on: Vec<String>,
}

impl ChangeFile {
    /// Reads the file; what of it cannot be read is a problem.
    pub(super) fn read(document: &PlanDocument) -> (Self, Vec<PlanFinding>) {
        let yaml = document
            .text
            .strip_prefix('\u{feff}')
            .unwrap_or(&document.text);
        let problem = |message: String, line: Option<usize>| {
            let place = line.map_or(document.first_line(), |line| document.line_place(line));
            vec![PlanFinding::warning(&document.path, place, message)]
        };
        if let Err(fault) = front_matter::read_any(yaml) {
            let message = format!("cannot be read, and is taken for empty: {fault}");
            return (Self::default(), problem(message, fault.line));
        }
        let schema = front_matter::read_key::<String>(yaml, "schema")
            .ok()
            .flatten();
        let skips_specs = front_matter::read_key::<bool>(yaml, "skip_specs")
            .ok()
            .flatten();
        let depends_on = front_matter::read_key::<TextList>(yaml, "depends_on");
        let problems = match &depends_on {
            Err(fault) => problem(
                format!("`depends_on` is no list of names: {fault}"),
                fault.line,
            ),
            Ok(_) => Vec::new(),
        };
        let file = Self {
            schema,
            skips_specs: skips_specs == Some(true),
            depends_on: depends_on.ok().flatten().unwrap_or_default().0,
        };
        (file, problems)
    }

    /// Returns true if the change follows a schema of the project's own.
    pub(super) fn has_own_schema(&self) -> bool {
        self.schema
            .as_deref()
            .is_some_and(|schema| schema != BUILT_IN_SCHEMA)
    }
}
