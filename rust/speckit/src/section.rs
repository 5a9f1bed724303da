//! Which sections of a list sum up or check what stands elsewhere.

use super::heading::{is_checklist, is_recap, phase};

/// The headings that the line being read stands under.
#[derive(Default)]
pub(super) struct Sections {
    /// By their levels, the deepest last.
    open: Vec<TaskSection>,
    has_title: bool,
}

struct TaskSection {
    level: u8,
    is_phase: bool,
    is_recap: bool,
    is_checklist: bool,
}

impl Sections {
    /// Goes on below a heading. The first one of the highest level is the title of the whole, whatever it says.
    pub(super) fn enter(&mut self, level: u8, text: &str) {
        while self.open.last().is_some_and(|above| above.level >= level) {
            self.open.pop();
        }
        if level == 1 && !self.has_title {
            self.has_title = true;
            return;
        }
        let phase = phase(text);
        let is_phase = phase.number.is_some() || phase.story.is_some();
        self.open.push(TaskSection {
            level,
            is_phase,
            is_recap: !is_phase && is_recap(text),
            is_checklist: !is_phase && is_checklist(text),
        });
    }

    /// Returns true if tasks here sum up others; no part of a phase does.
    pub(super) fn is_recap(&self) -> bool {
        let has_phase = self.open.iter().any(|section| section.is_phase);
        !has_phase && self.open.iter().any(|section| section.is_recap)
    }

    /// Returns true if boxes here are to be checked rather than to be done.
    pub(super) fn is_checklist(&self) -> bool {
        self.open.iter().any(|section| section.is_checklist)
    }
}
