//! Shares the login of confined agents: each run works on a copy of the user's, and tokens that one
//! of them renews come back to the user's own file and to the copies of the others, within seconds.
//!
//! A provider that issues a new token makes the old one invalid: without this the first run that
//! renews it would log out the user and every other run. The tokens that come back are an agent's
//! data: they must have the known form and the same account, and the user's file must still be the
//! one that the run has seen.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::super::agents::built_in::{BuiltIn, RenewedLogin};
use super::super::agents::discovery::AgentSearch;
use super::super::project::ProjectRuns;
use super::run_confinement;
use chant_specs::project::Project;
use chant_store::disk::{
    self, ExpectedContent, ExpectedFile, FileStamp, TemporaryFile, read_beneath, replace_beneath,
};

/// The greatest size of a login in bytes.
const MOST: u64 = 64 * 1024;
/// The greatest size of a token in bytes.
const LONGEST_TOKEN: usize = 16 * 1024;
/// The time between two comparisons of the copies.
pub(super) const INTERVAL: Duration = Duration::from_secs(1);

/// The login that a run shares with its user.
#[derive(Debug)]
pub(super) struct SharedLogin {
    /// The user's file.
    user: PathBuf,
    /// The folder of the run's own state, in which the agent writes.
    folder: PathBuf,
    form: &'static RenewedLogin,
    last: RefCell<LastContents>,
}

/// The content of two files when they were read last.
#[derive(Debug)]
struct LastContents {
    /// The user's file.
    user: String,
    /// The run's copy.
    own: String,
}

impl SharedLogin {
    /// Returns the login of a run whose agent is about to start; `None` if it has no copy, or one of an
    /// unknown form.
    pub(super) fn of(
        project: &Project,
        template: Option<&'static BuiltIn>,
        worktree: &Path,
    ) -> Option<Self> {
        let template = template?;
        let form = template.renewed.as_ref()?;
        let around: AgentSearch<'_> = project.surroundings();
        let user = around.state_file(&template.state.place, form.file)?;
        let folder = disk::real(&run_confinement::state_of_agent(worktree)).ok()?;
        Self::between(user, folder, form)
    }

    /// Returns the login of which a folder has a copy. Another run may have renewed the user's file since that
    /// copy was made: what the copy says is what this run has seen, so that it gets the new tokens, and
    /// never brings the old ones back.
    fn between(user: PathBuf, folder: PathBuf, form: &'static RenewedLogin) -> Option<Self> {
        let copied = read_beneath(&folder, form.file, MOST).ok()?;
        let login = Self {
            user,
            folder,
            form,
            last: RefCell::new(LastContents {
                user: copied.clone(),
                own: copied,
            }),
        };
        login.exchange();
        Some(login)
    }

    /// Copies tokens to where they are missing. A file that cannot be compared or written now is looked at
    /// next time.
    pub(super) fn exchange(&self) {
        let stamp = disk::stamp(&self.user);
        let user = disk::read_owned(&self.user, MOST);
        let own = read_beneath(&self.folder, self.form.file, MOST);
        let (Ok(user), Ok(own), Some(stamp)) = (user, own, stamp) else {
            return;
        };
        let mut last = self.last.borrow_mut();
        if own != last.own && user == last.user {
            let renewed = with_tokens(self.form, &user, &own).filter(|renewed| *renewed != user);
            match renewed {
                None => last.own = own,
                Some(renewed) if self.replace_users(&renewed, (&stamp, &user)) => {
                    *last = LastContents { user: renewed, own };
                }
                Some(_) => {}
            }
        } else if user != last.user
            && let Some(renewed) = with_tokens(self.form, &own, &user)
            && replace_beneath(&self.folder, self.form.file, &renewed).is_ok()
        {
            *last = LastContents { user, own: renewed };
        }
    }

    /// Replaces the user's file, if it is still the one that was read; returns true if it did.
    fn replace_users(&self, renewed: &str, (stamp, text): (&FileStamp, &str)) -> bool {
        let expected = ExpectedFile {
            stamp,
            content: ExpectedContent::Text(text),
        };
        TemporaryFile::write(&disk::Disk::default(), &self.user, renewed, true)
            .and_then(|new| new.replace(&self.user, &expected))
            .unwrap_or(false)
    }
}

/// Returns a login with the tokens of another; `None` if one of them does not have that form, or
/// they belong to two accounts.
fn with_tokens(form: &RenewedLogin, login: &str, other: &str) -> Option<String> {
    let mut all: Value = serde_json::from_str(login).ok()?;
    let other: Value = serde_json::from_str(other).ok()?;
    let is_same = |place: &&str| all.pointer(place) == other.pointer(place);
    if !form.account.iter().all(is_same) {
        return None;
    }
    for place in form.tokens {
        let (Some(old), Some(new)) = (all.pointer_mut(place), other.pointer(place)) else {
            continue;
        };
        if !is_token_for(old, new) {
            return None;
        }
        *old = new.clone();
    }
    let is_long = login.trim_end().contains('\n');
    let written = if is_long {
        serde_json::to_string_pretty(&all)
    } else {
        serde_json::to_string(&all)
    };
    Some(written.ok()? + if login.ends_with('\n') { "\n" } else { "" })
}

/// Returns true if a token may replace another: it is of the same kind, and if both name a person,
/// of the same person.
fn is_token_for(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Number(_), Value::Number(_)) => true,
        (Value::String(old), Value::String(new)) => {
            let is_plain = |text: &str| {
                text.len() <= LONGEST_TOKEN && text.bytes().all(|byte| byte.is_ascii_graphic())
            };
            let owner = owner_of(old);
            is_plain(new) && (owner.is_none() || owner == owner_of(new))
        }
        _ => false,
    }
}

/// Returns the subject of a signed token (JWT); other tokens do not name one.
fn owner_of(token: &str) -> Option<String> {
    let mut parts = token.split('.');
    let (_, claims, _, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else {
        return None;
    };
    let claims =
        base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, claims).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    Some(claims.get("sub")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: RenewedLogin = RenewedLogin {
        file: "auth.json",
        tokens: &["/tokens/id", "/tokens/refresh", "/ends"],
        account: &["/tokens/account"],
    };

    fn jwt(of: &str) -> String {
        let claims = format!(r#"{{"sub":"{of}"}}"#);
        let claims =
            base64::Engine::encode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, claims);
        format!("head.{claims}.signature")
    }

    fn login(id: &str, refresh: &str, account: &str) -> String {
        format!(
            r#"{{"tokens":{{"id":"{id}","refresh":"{refresh}","account":"{account}"}},"ends":1,"mode":"x"}}"#
        )
    }

    fn written(path: &Path, refresh: &str) {
        disk::remove(path).unwrap();
        disk::create_owned(path, &login("id", refresh, "a")).unwrap();
    }

    // proves: run:login:renewed_tokens_are_shared
    #[test]
    fn a_token_that_came_between_copy_and_start_is_not_taken_back() {
        let folder = std::env::temp_dir().join(format!("login-{}", fastrand::u64(..)));
        let (users, own) = (folder.join("users"), folder.join("own"));
        disk::make_folders(&users).unwrap();
        disk::make_folders(&own).unwrap();
        let (user, copy) = (users.join("auth.json"), own.join("auth.json"));
        written(&copy, "old");
        written(&user, "new");
        let shared = SharedLogin::between(user.clone(), own, &FORM).unwrap();
        for token in ["new", "newer"] {
            if token == "newer" {
                written(&copy, token);
            }
            shared.exchange();
            for path in [&user, &copy] {
                assert_eq!(
                    disk::read_owned(path, MOST).unwrap(),
                    login("id", token, "a")
                );
            }
        }
        disk::remove_tree(&folder).unwrap();
    }

    // proves: run:login:only_tokens_come_back
    #[test]
    fn only_tokens_of_the_same_account_are_taken() {
        let (mine, foreign) = (jwt("me"), jwt("another"));
        let old = login(&mine, "old", "a");
        let taken = |other: &str| with_tokens(&FORM, &old, other);
        let new = login(&mine, "new", "a");
        assert_eq!(taken(&new), Some(new.clone()));
        // Nothing but tokens is copied.
        let more = new.replace(r#""mode":"x""#, r#""mode":"evil","command":"run""#);
        assert_eq!(taken(&more), Some(new.clone()));
        assert_eq!(
            taken(&new.replace(r#""ends":1"#, r#""ends":2"#)),
            Some(new.replace(r#""ends":1"#, r#""ends":2"#))
        );
        for wrong in [
            login(&mine, "new", "b"),
            login(&foreign, "new", "a"),
            login("opaque", "new", "a"),
            login(&mine, "two words", "a"),
            login(&mine, &"x".repeat(LONGEST_TOKEN + 1), "a"),
            new.replace(r#""ends":1"#, r#""ends":"never""#),
            new.replace(r#""new""#, r#"{"a":1}"#),
            "[]".to_owned(),
            "no JSON".to_owned(),
        ] {
            assert_eq!(taken(&wrong), None, "{wrong}");
        }
    }
}
