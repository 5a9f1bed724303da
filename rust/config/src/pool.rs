//! The settings of folders for runs that are made in advance. The user's own configuration gives room; a
//! project's can only ask for less.

use serde::Deserialize;

/// The number of folders for runs that are made in advance, and the room that they may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// So many of a project; none are made for 0.
    pub folders: usize,
    /// So much do all of them take that belong to a project.
    pub megabytes: u64,
    /// A project of fewer files has none.
    pub files: u64,
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self {
            folders: 1,
            megabytes: 2000,
            files: 5000,
        }
    }
}

/// The block as a file has it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
pub(super) struct RunsBlock {
    pool: PoolBlock,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "`key: value` lines")]
struct PoolBlock {
    folders: Option<usize>,
    megabytes: Option<u64>,
    files: Option<u64>,
}

impl PoolSettings {
    /// Takes over what a file says, as far as it may say that.
    pub(super) fn take(&mut self, block: Option<RunsBlock>, is_users: bool) {
        let PoolBlock {
            folders,
            megabytes,
            files,
        } = block.unwrap_or_default().pool;
        let (folders, megabytes, files) = (
            folders.unwrap_or(self.folders),
            megabytes.unwrap_or(self.megabytes),
            files.unwrap_or(self.files),
        );
        *self = if is_users {
            Self {
                folders,
                megabytes,
                files,
            }
        } else {
            Self {
                folders: folders.min(self.folders),
                megabytes: megabytes.min(self.megabytes),
                files: files.max(self.files),
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn a_project_has_less_room_made_and_never_more() {
        let front = |yaml: &str| format!("---\nruns: {{pool: {{{yaml}}}}}\n---\n");
        let read = |user: &str, project: &str| {
            let (user, project) = (front(user), front(project));
            let config = Config::read(Some(("user", &user)), Some(("project", &project)), None);
            let pool = config.unwrap().runs.pool;
            (pool.folders, pool.megabytes, pool.files)
        };
        let PoolSettings {
            folders,
            megabytes,
            files,
        } = PoolSettings::default();
        assert_eq!(
            read("", "folders: 9, megabytes: 99999, files: 1"),
            (folders, megabytes, files)
        );
        assert_eq!(read("folders: 4, megabytes: 10, files: 7", ""), (4, 10, 7));
        assert_eq!(
            read(
                "folders: 4, megabytes: 10",
                "folders: 0, megabytes: 3, files: 9000"
            ),
            (0, 3, 9000)
        );
    }
}
