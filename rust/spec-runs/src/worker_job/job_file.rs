//! The file that describes a job. Another machine wrote it: nothing of it chooses a path, a ref or
//! a program before it is checked here.

use serde::Deserialize;
use serde_json::Value;

use super::refusal::{JobRefusal, RefusalCause};
use crate::runtime::placed_launch::LARGEST_ORDER;
use chant_git::commit_bundle::is_object_id;
use chant_specs::project::prompts;
use chant_specs::work_items::is_run_id;

/// The version of the layout that is read.
const SCHEMA: u64 = 1;
/// The greatest number of bytes of a name.
const LONGEST_NAME: usize = 200;
/// The greatest number of bytes of a path or an address.
const LONGEST_PATH: usize = 2000;

/// A job, checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobFile {
    schema: u64,
    pub(super) key: String,
    pub(super) process_id: String,
    pub(super) spec: String,
    #[serde(default)]
    pub(super) order: Option<String>,
    pub(super) token: u64,
    pub(super) project: String,
    #[serde(default)]
    pub(super) remote: Option<String>,
    pub(super) target: String,
    pub(super) base: String,
    pub(super) start: String,
    pub(super) branch: String,
    #[serde(default)]
    pub(super) inside: String,
    pub(super) agent: String,
    #[serde(default)]
    pub(super) account: Option<String>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) prompt: Option<String>,
    #[serde(default)]
    pub(super) skip_criteria: bool,
    #[serde(default)]
    pub(super) acting: Option<String>,
}

impl JobFile {
    /// Reads a job whose folder has the name of its key.
    ///
    /// # Errors
    /// `Invalid`, with the first fault.
    pub(super) fn parse(text: &str, folder: &str) -> Result<Self, JobRefusal> {
        let invalid = |why: String| JobRefusal::new(RefusalCause::Invalid, why);
        let value: Value = serde_json::from_str(text)
            .map_err(|error| invalid(format!("job.json is not JSON: {error}")))?;
        let schema = &value["schema"];
        if schema.as_u64() != Some(SCHEMA) {
            return Err(invalid(format!(
                "job.json is of another release: expected `schema` {SCHEMA}, got {schema}"
            )));
        }
        let job: Self = serde_json::from_value(value)
            .map_err(|error| invalid(format!("job.json is no job: {error}")))?;
        match job.fault(folder) {
            Some((key, what)) => Err(invalid(format!("job.json: `{key}` is not {what}"))),
            None => Ok(job),
        }
    }

    /// Returns the first key with a fault, and what it should be.
    fn fault(&self, folder: &str) -> Option<(&'static str, &'static str)> {
        let fits = |text: &Option<String>, fits: fn(&str) -> bool| text.as_deref().is_none_or(fits);
        let ids = [&self.base, &self.start];
        let checks = [
            (
                is_file_name(&self.key) && self.key == folder,
                "key",
                "the name of its folder",
            ),
            (is_name(&self.process_id), "process_id", "the name of a run"),
            (is_spec_id(&self.spec), "spec", "the ID of a spec"),
            (
                fits(&self.order, |order| order.len() <= LARGEST_ORDER)
                    && self.order.is_some() == is_run_id(&self.spec),
                "order",
                "the order of the item that `spec` names",
            ),
            (is_text(&self.project), "project", "a name"),
            (
                fits(&self.remote, is_address),
                "remote",
                "an address of a remote",
            ),
            (is_branch(&self.target), "target", "the name of a branch"),
            (is_branch(&self.branch), "branch", "the name of a branch"),
            (
                self.branch != self.target,
                "branch",
                "another branch than `target`",
            ),
            (is_object_id(&self.base), "base", "the full id of a commit"),
            (
                is_object_id(&self.start),
                "start",
                "the full id of a commit",
            ),
            (
                ids[0].len() == ids[1].len(),
                "start",
                "an id of the same kind as `base`",
            ),
            (
                is_inside(&self.inside),
                "inside",
                "a folder in the repository",
            ),
            (is_name(&self.agent), "agent", "the name of an agent"),
            (
                fits(&self.account, is_name),
                "account",
                "the name of an account",
            ),
            (fits(&self.model, is_model), "model", "the name of a model"),
            (
                fits(&self.prompt, |name| {
                    is_text(name) && !name.starts_with('-') && prompts::is_name(name)
                }),
                "prompt",
                "the name of a prompt",
            ),
            (
                fits(&self.acting, is_hash),
                "acting",
                "a hash of 64 hexadecimal digits",
            ),
        ];
        let fault = checks.into_iter().find(|(is_right, ..)| !is_right);
        fault.map(|(_, key, what)| (key, what))
    }

    /// Returns every text in it.
    pub(super) fn texts(&self) -> Vec<&str> {
        let optional = [
            &self.remote, &self.account, &self.model, &self.prompt, &self.acting, &self.order,
        ];
        let mut texts: Vec<&str> = optional.into_iter().flatten().map(String::as_str).collect();
        texts.extend([
            &*self.key, &self.process_id, &self.spec, &self.project, &self.target, &self.branch,
            &self.inside, &self.agent,
        ]);
        texts
    }
}

/// Returns true for a short text on one line.
fn is_text(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= LONGEST_NAME && !text.chars().any(char::is_control)
}

/// Returns true for a name of letters, digits and a few signs, which is no option and no path.
fn is_name(name: &str) -> bool {
    let is_sign = |byte: u8| b"-_.%+@:".contains(&byte);
    is_text(name)
        && name.starts_with(|first: char| {
            first.is_ascii_alphanumeric() || first == '%' || first == '_'
        })
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte))
}

/// Returns true for a name that is that of a file everywhere.
fn is_file_name(name: &str) -> bool {
    is_name(name) && !name.contains(':') && !name.contains("..")
}

fn is_spec_id(id: &str) -> bool {
    is_text(id) && !id.starts_with(['.', '-']) && !id.contains(['/', '\\'])
}

fn is_branch(name: &str) -> bool {
    is_text(name) && chant_git::is_branch_name(name)
}

/// Returns true for the name of a model; some hold a path, a colon or brackets.
fn is_model(name: &str) -> bool {
    let is_sign = |c: char| "-_.:/@+[]".contains(c);
    is_text(name)
        && !name.starts_with('-')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || is_sign(c))
}

fn is_address(address: &str) -> bool {
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace();
    !address.is_empty()
        && address.len() <= LONGEST_PATH
        && !address.starts_with('-')
        && !address.contains("::")
        && address.chars().all(is_plain)
}

/// Returns true for the top of a repository, or a path below it by plain names.
fn is_inside(path: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part != "." && part != ".." && !part.eq_ignore_ascii_case(".git")
    };
    path.is_empty()
        || path.len() <= LONGEST_PATH
            && !path.contains('\\')
            && !path.chars().any(char::is_control)
            && path.split('/').all(is_part)
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && is_object_id(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn job() -> Value {
        json!({
            "schema": 1, "key": "a-1.1.n", "process_id": "a-1", "spec": "a", "token": 1,
            "project": "ferry", "remote": null, "target": "main", "base": "1".repeat(40),
            "start": "2".repeat(40), "branch": "chant/a", "inside": "", "agent": "demo",
            "account": null, "model": null, "prompt": "standard", "skip_criteria": false,
            "acting": null,
        })
    }

    fn refused(key: &str, value: &Value) -> bool {
        let mut job = job();
        job[key] = value.clone();
        let folder = job["key"].as_str().unwrap_or_default().to_owned();
        JobFile::parse(&job.to_string(), &folder).is_err()
    }

    #[test]
    fn names_that_choose_paths_refs_or_programs_are_refused() {
        let text = job().to_string();
        assert!(JobFile::parse(&text, "a-1.1.n").is_ok());
        assert!(JobFile::parse(&text, "another").is_err());
        let wrong = [
            ("key", json!("../a")),
            ("key", json!("/etc")),
            ("process_id", json!("../../x")),
            ("spec", json!("../a")),
            ("spec", json!(".hidden")),
            ("spec", json!("a/b")),
            ("target", json!("--upload-pack=x")),
            ("target", json!("a..b")),
            ("branch", json!("main")),
            ("branch", json!("-x")),
            ("branch", json!("chant/x.lock")),
            ("base", json!("--upload-pack=touch x")),
            ("base", json!("main")),
            ("start", json!("2".repeat(39))),
            ("start", json!("2".repeat(64))),
            ("inside", json!("../..")),
            ("inside", json!("/etc")),
            ("inside", json!("a/.git")),
            ("inside", json!("a//b")),
            ("agent", json!("/bin/sh")),
            ("agent", json!("--help")),
            ("account", json!("../x")),
            ("model", json!("--dangerously-skip")),
            ("model", json!("a b")),
            ("prompt", json!("../../x")),
            ("remote", json!("--upload-pack=x")),
            ("remote", json!("ext::sh -c x")),
            ("acting", json!("x")),
            ("token", json!("4")),
            ("schema", json!(2)),
            ("environment", json!({"A": "b"})),
        ];
        for (key, value) in wrong {
            assert!(refused(key, &value), "{key}: {value}");
        }
    }
}
