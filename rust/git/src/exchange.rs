//! Refs of ours pushed to a remote and fetched from there. Nothing is ever replaced: a ref that
//! differs on the other side is reported.

use std::collections::BTreeMap;

use super::{GitError, Repo, flushing};

/// The number of refs that one call of git fetches from a remote.
const AT_ONCE: usize = 1000;

/// The outcome of a push or fetch of refs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefExchange {
    /// Refs that are new on the other side, or here after a fetch.
    pub new: Vec<String>,
    /// The number of refs that were there already.
    pub known: usize,
    /// Refs that differ on the other side or were refused, each with the reason.
    pub refused: Vec<(String, String)>,
}

impl Repo {
    /// Returns the names of the remotes, sorted.
    ///
    /// # Errors
    /// A failure to read the configuration.
    pub fn remotes(&self) -> Result<Vec<String>, GitError> {
        let out = self.reading(["remote"]).output()?;
        let names = String::from_utf8_lossy(&out).into_owned();
        let mut names: Vec<String> = names.lines().map(str::to_owned).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the address of a remote that refs are pushed to, as git would use it.
    ///
    /// # Errors
    /// That there is no such remote.
    pub fn remote_address(&self, remote: &str) -> Result<String, GitError> {
        let words = ["remote", "get-url", "--push", "--"];
        let out = self.reading(words).arg(remote).output()?;
        Ok(String::from_utf8_lossy(&out).trim_end().to_owned())
    }

    /// Pushes all refs below a folder, which ends with a slash, to a remote. This is an act.
    ///
    /// # Errors
    /// The complaint of git, unless only single refs were refused.
    pub fn push_refs(&self, remote: &str, folder: &str) -> Result<RefExchange, GitError> {
        let _act = self.begin_act();
        let all = format!("{folder}*:{folder}*");
        let words = [
            "push", "--porcelain", "--no-follow-tags", "--end-of-options",
        ];
        let answer = self.acting(words).arg(remote).arg(&all).answer()?;
        let said = String::from_utf8_lossy(&answer.out).into_owned();
        let mut pushed = RefExchange::default();
        for line in said.lines() {
            let mut columns = line.split('\t');
            let (Some(flag), Some(refs)) = (columns.next(), columns.next()) else {
                continue;
            };
            let name = refs.rsplit(':').next().unwrap_or_default();
            let name = name.strip_prefix(folder).unwrap_or(name).to_owned();
            let why = columns.next().unwrap_or_default();
            match flag {
                "=" => pushed.known += 1,
                "!" => pushed.refused.push((name, in_parentheses(why))),
                _ => pushed.new.push(name),
            }
        }
        if pushed.refused.is_empty() {
            answer.success()?;
        }
        Ok(pushed)
    }

    /// Fetches refs below a folder, which ends with a slash, from a remote: those that are missing
    /// here, whose names are `wanted` and whose files have at most the given number of bytes. This
    /// is an act.
    ///
    /// # Errors
    /// The complaint of git.
    pub fn fetch_refs(
        &self,
        remote: &str,
        folder: &str,
        wanted: &dyn Fn(&str) -> bool,
        most_bytes: usize,
    ) -> Result<RefExchange, GitError> {
        let _act = self.begin_act();
        let own = self.kept_texts(folder)?.into_iter();
        let own: BTreeMap<String, String> = own.map(|kept| (kept.name, kept.object)).collect();
        let mut taken = RefExchange::default();
        let mut missing = Vec::new();
        for (name, object) in self.refs_of_remote(remote, folder)? {
            match own.get(&name) {
                Some(known) if *known == object => taken.known += 1,
                Some(_) => taken.refused.push((
                    name,
                    "it is another one here, and neither is replaced; compare the two".into(),
                )),
                None if wanted(&name) => missing.push((name, object)),
                None => taken
                    .refused
                    .push((name, "its name cannot be that of one".into())),
            }
        }
        for some in missing.chunks(AT_ONCE) {
            self.fetch_objects(remote, folder, some)?;
            for (name, object) in some {
                self.take_in(folder, name, object, most_bytes, &mut taken)?;
            }
        }
        Ok(taken)
    }

    /// Returns the refs that a remote has below a folder, by the part of their names behind it.
    fn refs_of_remote(
        &self,
        remote: &str,
        folder: &str,
    ) -> Result<Vec<(String, String)>, GitError> {
        let words = ["ls-remote", "--refs", "--end-of-options"];
        let asked = self.acting(words).arg(remote).arg(format!("{folder}*"));
        let out = String::from_utf8_lossy(&asked.output()?).into_owned();
        let found = out.lines().filter_map(|line| {
            let (object, name) = line.split_once('\t')?;
            Some((name.strip_prefix(folder)?.to_owned(), object.to_owned()))
        });
        Ok(found.collect())
    }

    /// Fetches the objects that refs of a remote name, without creating refs here: git's own fetch
    /// would replace a ref that names no commit.
    fn fetch_objects(
        &self,
        remote: &str,
        folder: &str,
        refs: &[(String, String)],
    ) -> Result<(), GitError> {
        let names: String = refs
            .iter()
            .map(|(name, _)| format!("{folder}{name}\n"))
            .collect();
        let words = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--refmap=",
            "--stdin",
            "--end-of-options",
        ];
        let asked = self.acting(words).arg(remote);
        asked.answer_to(names.as_bytes())?.success()?;
        flushing::flush_new_objects(self.common_dir())
    }

    fn take_in(
        &self,
        folder: &str,
        name: &str,
        object: &str,
        most_bytes: usize,
        taken: &mut RefExchange,
    ) -> Result<(), GitError> {
        use super::kept_texts::TextRead;
        let name = name.to_owned();
        match self.kept_text(object, most_bytes)? {
            TextRead::Unfit(why) => taken.refused.push((name, why)),
            TextRead::Text(_) => {
                let why = "chant-mcp: taken from a remote";
                if self.name_object(&format!("{folder}{name}"), object, why)? {
                    taken.new.push(name);
                } else {
                    taken
                        .refused
                        .push((name, "another one of this name came meanwhile".into()));
                }
            }
        }
        Ok(())
    }
}

/// Returns the text in parentheses behind a summary, such as the reason why a ref was refused.
fn in_parentheses(summary: &str) -> String {
    let inner = summary
        .split_once('(')
        .and_then(|(_, rest)| rest.rsplit_once(')'));
    inner.map_or_else(|| summary.to_owned(), |(inner, _)| inner.to_owned())
}
