//! The specs that an agent inside a run adds to the project: they touch no other spec, and are bounded in number
//! and size.
//!
//! A member makes its driver wait, and a dependency keeps what it names from being archived, so both would reach
//! specs that people decide about. The bound counts the specs in the project that still wait for a person: it
//! needs no state of its own, holds across connections and retries, and grows again as people decide.

use crate::error::ChantError;
use crate::model::{Spec, SpecStatus};
use crate::project::{Project, ProjectSnapshot};
use chant_text::front_matter;

/// The run that adds a spec, and the specs around it.
pub(super) struct RunAddition<'a> {
    snapshot: &'a ProjectSnapshot,
    /// The run's own spec; none for a process of a run that works on none.
    own: Option<&'a str>,
}

impl<'a> RunAddition<'a> {
    /// Returns the addition of the run that the caller works in; `None` outside of runs.
    pub(super) fn of(project: &'a Project, snapshot: &'a ProjectSnapshot) -> Option<Self> {
        project.sign_of_run()?;
        Some(Self {
            snapshot,
            own: project.spec_of_run(),
        })
    }

    /// Refuses a parent and dependencies that are not the run's own.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub(super) fn refuse_others(
        &self,
        parent: Option<&Spec>,
        depends_on: Option<&[String]>,
    ) -> Result<(), ChantError> {
        let parent = parent.map(|parent| ("parent", parent.id.as_str()));
        let named = depends_on.into_iter().flatten();
        let named = named.map(|name| ("depends_on", name.as_str()));
        match parent
            .into_iter()
            .chain(named)
            .find(|(_, id)| !self.is_its(id))
        {
            None => Ok(()),
            Some((name, id)) => Err(ChantError::InvalidArgument {
                name,
                why: format!(
                    "'{id}' is not the run's own; expected {} or a spec that it added and that waits for a person. \
                     Write in the description how it belongs to '{id}'; a person links the two",
                    self.own
                        .map_or("the run's spec".to_owned(), |own| format!("'{own}'"))
                ),
            }),
        }
    }

    /// Refuses a spec of so many bytes with which more would wait than the limits allow.
    ///
    /// # Errors
    /// `Refused`, naming the limit; that the configuration cannot be read.
    pub(super) fn refuse_more(&self, bytes: usize) -> Result<(), ChantError> {
        let Ok(config) = &self.snapshot.config else {
            return Ok(());
        };
        let limits = &config.runs.limits;
        let waiting = self
            .snapshot
            .specs
            .all()
            .iter()
            .filter(|spec| self.is_waiting(spec));
        let (count, size) = waiting.fold((0, bytes), |(count, size), spec| {
            (count + 1, size + spec.text.len())
        });
        let limit = if count >= limits.added_specs() {
            format!(
                "{count} specs that this run added wait for a person, as many as `limits.added_specs` allows"
            )
        } else if size > limits.added_bytes() {
            format!(
                "with this one the specs that this run added and that wait for a person would have {size} bytes; \
                 `limits.added_kilobytes` allows {}",
                limits.added_bytes()
            )
        } else {
            return Ok(());
        };
        Err(ChantError::Refused(format!(
            "No spec was added: {limit}. Say what else there is to do in the output of your own spec \
             (chant_spec_update(output=\u{2026})); a person can decide about those that wait."
        )))
    }

    /// Returns true if a name is that of the run's spec, or of one that it added.
    fn is_its(&self, id: &str) -> bool {
        let added = || self.snapshot.specs.find(id);
        self.own == Some(id) || added().is_some_and(|spec| self.is_waiting(spec))
    }

    /// Returns true if a run of the same spec added a spec about which no person decided yet.
    fn is_waiting(&self, spec: &Spec) -> bool {
        // Most specs are decided about, and need not be read again.
        if self.own.is_none() || spec.is_approved() || spec.status != SpecStatus::Pending {
            return false;
        }
        let found_by = front_matter::read_key::<String>(spec.yaml(), "found_by");
        found_by.ok().flatten().as_deref() == self.own
    }
}
