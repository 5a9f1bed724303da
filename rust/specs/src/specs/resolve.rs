//! Partial IDs (reference chant 2.6).

use std::sync::Arc;

use super::SpecGraph;
use crate::model::Spec;
use chant_base::ident::ResolvedId;

impl SpecGraph {
    /// Finds the spec that a full or partial ID stands for (reference chant 2.6): an ID, the end of exactly
    /// one, the sequence of one made `today`, a piece of exactly one.
    pub fn resolve(&self, text: &str, today: &str) -> ResolvedId<&Arc<Spec>> {
        if let Some(spec) = self.find(text) {
            return ResolvedId::One(spec);
        }
        let names = self.names.get_or_init(|| {
            let mut names = String::from("\n");
            for spec in &self.order {
                names.push_str(spec.id.as_str());
                names.push('\n');
            }
            names.into()
        });
        if text.is_empty() || text.contains('\n') {
            return ResolvedId::None;
        }
        let mut hits: Vec<&str> = Vec::new();
        for at in memchr::memmem::find_iter(names.as_bytes(), text.as_bytes()) {
            let start = names[..at].rfind('\n').map_or(0, |line| line + 1);
            let end = names[at..].find('\n').map_or(names.len(), |line| at + line);
            if hits.last() != Some(&&names[start..end]) {
                hits.push(&names[start..end]);
            }
        }
        let only =
            |mut found: Box<dyn Iterator<Item = &str> + '_>| match (found.next(), found.next()) {
                (Some(one), None) => self.find(one),
                _ => None,
            };
        let todays = format!("{today}-{text}-");
        let is_sequence = text.chars().count() == 3;
        let by_end = only(Box::new(
            hits.iter().copied().filter(|id| id.ends_with(text)),
        ));
        let by_sequence = || {
            only(Box::new(
                hits.iter()
                    .copied()
                    .filter(|id| is_sequence && id.starts_with(&todays)),
            ))
        };
        match by_end.or_else(by_sequence) {
            Some(spec) => ResolvedId::One(spec),
            None => match hits.as_slice() {
                [] => ResolvedId::None,
                [one] => self.find(one).map_or(ResolvedId::None, ResolvedId::One),
                many => ResolvedId::Many(many.iter().filter_map(|id| self.find(id)).collect()),
            },
        }
    }
}
