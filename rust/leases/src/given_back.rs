//! Gives leases back at the wish of a person. Tokens never fall by that, whatever the remote says.

use serde_json::Value;

use super::LeaseError;
use super::answer::LeaseRefusal;
use super::batch::{PushFailure, WishPush};
use super::leader::LeaseLeader;
use super::queue::TakenWish;
use super::record::{LeaseState, MAX_BYTES, MAX_TOKEN};
use super::view::RemoteView;
use chant_store::state::escape_name;

/// Values of a lease's history that are looked through for its token.
const MAX_VALUES: usize = 64;

impl LeaseLeader<'_> {
    /// Gives back a lease for a person; `above` is the highest token that runs of this clone had.
    ///
    /// Where the token that is there cannot be believed, or stands for work that is not on the target any more, the new
    /// one is higher than all that are known: no earlier run can land then.
    pub(super) fn free(
        &self,
        taken: &TakenWish,
        spec: &str,
        above: u64,
        view: &RemoteView,
    ) -> Result<Option<WishPush>, PushFailure> {
        let escaped = escape_name(spec);
        let seen = view.lease(&escaped);
        let highest = view.highest.get(&escaped).copied().unwrap_or(0).max(above);
        let (token, run) = match seen.map(|seen| (&seen.object, &seen.value)) {
            // A remote that was restored may have forgotten it.
            None if highest > 0 => (highest + 1, String::new()),
            None => {
                let spec = spec.to_owned();
                return Err(LeaseRefusal::NotHeld { spec }.into());
            }
            Some((_, Ok(lease))) if lease.nonce == taken.nonce => return Ok(None),
            Some((_, Ok(lease))) if lease.state == LeaseState::Landed => {
                if self.has_landed(lease, view) {
                    let spec = spec.to_owned();
                    return Err(LeaseRefusal::Completed { spec }.into());
                }
                (lease.token.max(highest) + 1, lease.run.clone())
            }
            Some((_, Ok(lease))) => (lease.token.max(highest), lease.run.clone()),
            Some((object, Err(_))) => {
                let known = self.token_in_history(object)?;
                (known.max(highest) + 1, String::new())
            }
        };
        let record = self.record(spec, &run, token, LeaseState::Free, &taken.nonce);
        Ok(Some(self.written(record, view)?))
    }

    /// Returns the token of an unreadable value as far as it says one, else that of the newest value before it.
    fn token_in_history(&self, object: &str) -> Result<u64, LeaseError> {
        let mut next = Some(object.to_owned());
        for _ in 0..MAX_VALUES {
            let Some(object) = next else { break };
            let value = self.client.repo.ref_value(&object, MAX_BYTES)?;
            let Some((text, parents)) = value else { break };
            if let Some(token) = token_in(&text) {
                return Ok(token);
            }
            next = parents.into_iter().next();
        }
        Ok(0)
    }
}

/// Returns the token in a text that need not be a value of ours.
fn token_in(text: &str) -> Option<u64> {
    let line = text.lines().next()?;
    let value: Value = serde_json::from_str(line).ok()?;
    let token = value.get("token")?.as_u64()?;
    (token < MAX_TOKEN).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_from_values_of_later_releases_and_from_no_others() {
        assert_eq!(token_in(r#"{"schema": 9, "token": 12}"#), Some(12));
        let out_of_range = format!(r#"{{"token": {MAX_TOKEN}}}"#);
        for text in ["", "hello", r#"{"token": -1}"#, &out_of_range] {
            assert_eq!(token_in(text), None, "{text}");
        }
    }
}
