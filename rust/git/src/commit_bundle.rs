//! Bundles: one commit with what leads to it, as a file from another machine. What is in one is
//! unpacked in quarantine, checked there, and only then moved beside objects that are ours.

#![expect(
    clippy::disallowed_methods,
    reason = "a bundle and the packs of git are no documents of the store"
)]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::index::failed;
use super::{GitError, Repo, flushing, program};
use chant_confine::Confinement;

/// The first lines of the two versions of bundles.
const VERSIONS: [&str; 2] = ["# v2 git bundle", "# v3 git bundle"];
/// The capability of a bundle that names the hash of its objects.
const OBJECT_FORMAT: &str = "@object-format=";
/// The greatest number of bytes before the pack.
const LONGEST_HEADER: u64 = 64 * 1024;
/// The time limit for unpacking and checking.
const MAX_DURATION: Duration = Duration::from_secs(600);
/// The size from which on git reads a file in pieces and not as a whole into memory.
pub(super) const IN_PIECES: (&str, &str) = ("core.bigFileThreshold", "4m");

/// The words with which git lists the sizes of all objects.
pub(super) const SIZES: [&str; 4] = [
    "cat-file",
    "--batch-all-objects",
    "--unordered",
    "--batch-check=%(objectsize)",
];

/// The limits of what a bundle may hold.
#[derive(Debug, Clone, Copy)]
pub struct BundleLimits {
    /// Bytes of the bundle itself.
    pub bytes: u64,
    /// Bytes of all objects when they are unpacked.
    pub unpacked: u64,
    /// Bytes of one object when it is unpacked.
    pub object: u64,
}

/// A bundle of one commit, of which only the header was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitBundle {
    path: PathBuf,
    /// The place of the pack.
    pack_at: u64,
    /// The commit that it brings.
    pub commit: String,
    /// The commits that have to be there already.
    pub prerequisites: Vec<String>,
}

/// The objects of a bundle, checked, in a folder of their own.
#[derive(Debug)]
pub struct UnpackedBundle {
    pub(super) packs: PathBuf,
}

impl CommitBundle {
    /// Reads the header of a bundle.
    ///
    /// # Errors
    /// The fault in it: more than one ref, too many bytes, or no bundle.
    pub fn read(path: &Path, limits: &BundleLimits) -> Result<Self, GitError> {
        let file = File::open(path).map_err(|error| failed("read", path, &error))?;
        let length = file.metadata().map_or(u64::MAX, |found| found.len());
        if length > limits.bytes {
            let most = limits.bytes;
            return Err(wrong(&format!(
                "it has {length} bytes; expected {most} at most"
            )));
        }
        let mut reader = BufReader::new(file.take(LONGEST_HEADER));
        let mut lines = Vec::new();
        let mut pack_at = 0;
        loop {
            let mut line = Vec::new();
            let read = reader.read_until(b'\n', &mut line);
            pack_at += read.map_err(|error| failed("read", path, &error))? as u64;
            let Some(b'\n') = line.pop() else {
                return Err(wrong("its header has no end"));
            };
            if line.is_empty() {
                break;
            }
            lines.push(String::from_utf8(line).map_err(|_| wrong("its header is no text"))?);
        }
        Self::of_lines(path, pack_at, &lines)
    }

    fn of_lines(path: &Path, pack_at: u64, lines: &[String]) -> Result<Self, GitError> {
        let Some((version, lines)) = lines.split_first() else {
            return Err(wrong("it is empty"));
        };
        if !VERSIONS.contains(&version.as_str()) {
            return Err(wrong("it does not begin like one of git"));
        }
        let (mut refs, mut prerequisites) = (Vec::new(), Vec::new());
        for line in lines {
            if let Some(capability) = line.strip_prefix('@') {
                if line.starts_with(OBJECT_FORMAT) {
                    continue;
                }
                return Err(wrong(&format!("it needs `{capability}`")));
            }
            let (list, line) = match line.strip_prefix('-') {
                Some(line) => (&mut prerequisites, line),
                None => (&mut refs, line.as_str()),
            };
            let commit = line.split(' ').next().unwrap_or_default();
            if !is_object_id(commit) {
                return Err(wrong("a line of its header names no commit"));
            }
            list.push(commit.to_owned());
        }
        match <[String; 1]>::try_from(refs) {
            Ok([commit]) => Ok(Self {
                path: path.to_owned(),
                pack_at,
                commit,
                prerequisites,
            }),
            Err(refs) => Err(wrong(&format!("it has {} refs; expected one", refs.len()))),
        }
    }

    /// Unpacks the bundle into the new folder `quarantine`, held by `confinement`, which may write
    /// only there, and checks every object. Prerequisites are read from the object folder `known`;
    /// where that belongs to a partial clone, objects that are neither here nor there are no fault.
    ///
    /// # Errors
    /// The fault that git found, or the limit that was exceeded.
    pub fn unpack(
        &self,
        quarantine: &Path,
        known: (&Path, bool),
        limits: &BundleLimits,
        confinement: &Confinement,
    ) -> Result<UnpackedBundle, GitError> {
        let (objects, is_partial) = known;
        init(quarantine, &["--bare"], self.commit.len() > 40)?;
        let git = |words: &[&str]| {
            program::acting(quarantine, words.iter().copied())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .env("GIT_NO_LAZY_FETCH", "1")
                .setting(IN_PIECES.0, IN_PIECES.1)
                .confined(confinement)
                .limited(MAX_DURATION)
        };
        let largest = format!("--max-input-size={}", limits.bytes);
        let how = if is_partial {
            "--fsck-objects"
        } else {
            "--strict"
        };
        let words = [
            "index-pack", "--stdin", "--fix-thin", how, "--threads=1", &largest,
        ];
        let mut pack = self.pack()?;
        git(&words)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects)
            .feed(|pipe| io::copy(&mut pack, pipe).map(drop))?;
        // The pack holds all that it needs now, so this lists what came and nothing else.
        let sizes = git(&SIZES).output()?;
        refuse_large(&String::from_utf8_lossy(&sizes), limits)?;
        let mut words = vec!["rev-list", "--objects", "--quiet"];
        if is_partial {
            words.push("--missing=allow-any");
        }
        words.extend([self.commit.as_str(), "--not"]);
        words.extend(self.prerequisites.iter().map(String::as_str));
        git(&words)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects)
            .output()?;
        Ok(UnpackedBundle {
            packs: quarantine.join("objects/pack"),
        })
    }

    fn pack(&self) -> Result<File, GitError> {
        let opened = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.pack_at))?;
            Ok(file)
        });
        opened.map_err(|error| failed("read", &self.path, &error))
    }
}

impl UnpackedBundle {
    /// Moves the objects into an object folder of ours.
    ///
    /// # Errors
    /// `File`.
    pub fn move_into(&self, objects: &Path) -> Result<(), GitError> {
        let packs = objects.join("pack");
        let listed = fs::read_dir(&self.packs);
        let listed = listed.map_err(|error| failed("read", &self.packs, &error))?;
        let mut files: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
        // Git uses a pack as soon as its index is there.
        files.sort_by_key(|path| path.extension().is_some_and(|ending| ending == "idx"));
        for from in files {
            let to = packs.join(from.file_name().unwrap_or_default());
            fs::rename(&from, &to).map_err(|error| failed("move", &from, &error))?;
        }
        flushing::flush_folders(&BTreeSet::from([packs]))
    }
}

impl Repo {
    /// Writes a bundle with one ref, a branch, and the commits that `since` does not have.
    ///
    /// # Errors
    /// `InvalidName`, or a failure of git, which refuses a bundle without commits.
    pub fn write_bundle(&self, branch: &str, since: &str, path: &Path) -> Result<(), GitError> {
        let name = super::branches::branch_ref(branch)?;
        let words = ["bundle", "create", "--quiet"];
        let call = program::acting(self.common_dir(), words).limited(MAX_DURATION);
        let call = call.arg(path).arg(&name).arg(format!("^{since}"));
        call.output().map(drop)
    }
}

/// Returns true for the full id of an object: 40 or 64 small hexadecimal digits.
pub fn is_object_id(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    matches!(text.len(), 40 | 64) && text.bytes().all(is_digit)
}

/// Makes a new repository without hooks or any other template.
pub(super) fn init(folder: &Path, kind: &[&str], is_sha256: bool) -> Result<(), GitError> {
    fs::create_dir_all(folder).map_err(|error| failed("make", folder, &error))?;
    let format = if is_sha256 { "sha256" } else { "sha1" };
    let format = format!("--object-format={format}");
    let words = ["init", "--quiet", "--template=", &format];
    let call = program::acting(folder, words.into_iter().chain(kind.iter().copied()));
    call.env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .map(drop)
}

pub(super) fn refuse_large(sizes: &str, limits: &BundleLimits) -> Result<(), GitError> {
    let mut all = 0_u64;
    for size in sizes.lines().map(|line| line.parse().unwrap_or(u64::MAX)) {
        all = all.saturating_add(size);
        if size > limits.object {
            let most = limits.object;
            return Err(wrong(&format!(
                "one of its objects has {size} bytes; expected {most} at most"
            )));
        }
    }
    if all > limits.unpacked {
        let most = limits.unpacked;
        return Err(wrong(&format!(
            "its objects have {all} bytes; expected {most} at most"
        )));
    }
    Ok(())
}

fn wrong(why: &str) -> GitError {
    GitError::Program {
        command: "the check of the bundle".into(),
        why: why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    fn read(lines: &[&str]) -> Result<CommitBundle, String> {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        CommitBundle::of_lines(Path::new("b"), 0, &lines).map_err(|error| error.to_string())
    }

    #[test]
    fn a_bundle_has_one_ref_and_ids_that_are_no_options() {
        let thin = [
            VERSIONS[1],
            "@object-format=sha1",
            &format!("-{TWO} base"),
            &format!("{ONE} refs/heads/work"),
        ];
        let bundle = read(&thin).unwrap();
        assert_eq!((&*bundle.commit, bundle.prerequisites.len()), (ONE, 1));
        let second = format!("{TWO} refs/heads/other");
        let both: Vec<&str> = thin.into_iter().chain([&*second]).collect();
        assert!(read(&both).unwrap_err().contains("2 refs; expected one"));
        for wrong in [
            &["# v9 git bundle"][..],
            &[VERSIONS[0]],
            &[VERSIONS[0], "--upload-pack=x refs/heads/work"],
            &[VERSIONS[1], "@filter=blob:none"],
            &[],
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_bounded_together_and_one_by_one() {
        let limits = BundleLimits {
            bytes: 0,
            unpacked: 10,
            object: 6,
        };
        assert!(refuse_large("5\n5\n", &limits).is_ok());
        assert!(refuse_large("7\n", &limits).is_err());
        assert!(refuse_large("5\n6\n", &limits).is_err());
        assert!(refuse_large("junk\n", &limits).is_err());
    }
}
