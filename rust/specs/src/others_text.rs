//! Texts of a forge's issues that no person approved: agents are given them apart from what we say, at their own door
//! and in their shells.
//!
//! The graph that agents ask has such specs without their words, so that no list, prime, finding, lens or hint has
//! them; what reads one spec adds them as `text_by_others`. Edits read the file.

use std::sync::Arc;

use chant_base::next_step::DoorKind;
use chant_base::run_variables::sign_of_agent;

use super::model::{Spec, WITHHELD};
use super::parse::ParsedSpec;
use super::project::Project;

/// Characters of the longest name of an issue that is shown.
const MAX_NAME: usize = 160;

impl Project {
    /// A document as who asks may see it.
    pub fn shown(&self, document: ParsedSpec) -> ParsedSpec {
        // What an agent types comes in at the door of people.
        let is_agent = || {
            self.door == DoorKind::Agents
                || self.sign_of_run().is_some()
                || sign_of_agent(&self.environment).is_some()
        };
        document.map(|spec| shown_to(is_agent, spec))
    }
}

/// A spec as a reader may see it, who is asked about only where that matters.
fn shown_to(is_agent: impl Fn() -> bool, spec: Arc<Spec>) -> Arc<Spec> {
    if spec.issue.is_none() || spec.is_approved() || !is_agent() {
        return spec;
    }
    let mut shown = Arc::unwrap_or_clone(spec);
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "._/#-".contains(sign);
    let name = shown.issue.as_deref().unwrap_or_default();
    let is_name = name.len() <= MAX_NAME && name.chars().all(is_plain);
    shown.title = Some(format!("Issue {}", if is_name { name } else { WITHHELD }).into());
    shown.labels = None;
    shown.is_withheld = true;
    Arc::new(shown)
}
