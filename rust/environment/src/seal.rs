//! Turns what the steps of a recipe made into a layer.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use chant_config::run_environment::EnvironmentRecipe;
use chant_store::digest::sha256;
use rayon::prelude::*;

use super::layer::{
    FACTS, FILES, LayerFacts, LayerFile, LayerOutput, LayerStore, MANIFEST, SealedLayer, UNSEALED,
    open,
};
use super::recipe::{CACHES, LayerInputs, patterns};
use super::{EnvironmentError, failed};

/// The bytes up to which a text is looked through for the path of its folder.
const MAX_TEXT: u64 = 4 * 1024 * 1024;
/// The number of paths in an error.
const MAX_SHOWN_PATHS: usize = 5;

/// A folder in which the steps of a recipe have run.
#[derive(Debug)]
pub struct BuiltFolder<'a> {
    /// The recipe's name.
    pub name: &'a str,
    /// The recipe.
    pub recipe: &'a EnvironmentRecipe,
    /// The files that the steps saw.
    pub inputs: &'a LayerInputs,
    /// The folder of the recipe, in which they ran.
    pub folder: &'a Path,
    /// The key of the layer.
    pub key: &'a str,
    /// The commit that has the inputs.
    pub commit: &'a str,
    /// The time at which they ended, RFC 3339, UTC.
    pub ended_at: String,
    /// The duration of their run, in milliseconds.
    pub took_ms: u64,
}

/// A file of a layer.
struct SealedFile {
    file: LayerFile,
    bytes: u64,
    /// True for a text that holds the path of its folder; `None` if the file does not.
    text_with_path: Option<bool>,
}

/// Moves what the steps made out of their folder, and seals it: files have one name, a manifest
/// lists them, and the layer gets its key as its last step.
///
/// # Errors
/// `Unnamed`, `NothingMade`, `Special`, `Pattern`, or `File`; there is no layer then.
pub fn seal(store: &LayerStore, built: &BuiltFolder<'_>) -> Result<SealedLayer, EnvironmentError> {
    let outputs = built.outputs()?;
    let all = store.folder();
    fs::create_dir_all(all).map_err(failed("make", all))?;
    let new = all.join(format!(
        "{UNSEALED}{}",
        &built.key[..12.min(built.key.len())]
    ));
    super::layer::remove(&new)?;
    let files = new.join(FILES);
    for path in &outputs {
        let place = files.join(path);
        let above = place.parent().unwrap_or(&files);
        fs::create_dir_all(above).map_err(failed("make", above))?;
        let from = built.folder.join(path);
        fs::rename(&from, &place).map_err(failed("move", &from))?;
    }
    let listed = list(&files, built.name)?;
    let path = built.folder.display().to_string();
    let mut sealed = listed
        .par_iter()
        .map(|found| seal_file(&files, found, path.as_bytes()))
        .collect::<Result<Vec<_>, _>>()?;
    sealed.sort_by(|one, other| one.file.path.cmp(&other.file.path));
    let mut manifest = String::new();
    for one in &sealed {
        manifest += &serde_json::to_string(&one.file).unwrap_or_default();
        manifest.push('\n');
    }
    let with_path = |is_text: bool| -> Vec<String> {
        let named = sealed
            .iter()
            .filter(|one| one.text_with_path == Some(is_text));
        named.map(|one| one.file.path.clone()).collect()
    };
    let leads_inside = |one: &&SealedFile| {
        one.file.mode == 0 && Path::new(&one.file.content).starts_with(built.folder)
    };
    let links_with_path = sealed.iter().filter(leads_inside);
    let links_with_path = links_with_path.map(|one| one.file.path.clone()).collect();
    let outputs = outputs
        .into_iter()
        .map(|path| output(path, &sealed))
        .collect();
    let facts = LayerFacts {
        recipe: built.name.to_owned(),
        key: built.key.to_owned(),
        hash: sha256(manifest.as_bytes()),
        commit: built.commit.to_owned(),
        built_at: built.ended_at.clone(),
        took_ms: built.took_ms,
        outputs,
        files: sealed.len() as u64,
        bytes: sealed.iter().map(|one| one.bytes).sum(),
        built_in: path,
        texts_with_path: with_path(true),
        links_with_path,
        programs_with_path: with_path(false),
    };
    write(&new.join(MANIFEST), manifest.as_bytes())?;
    let text = serde_json::to_vec_pretty(&facts).unwrap_or_default();
    write(&new.join(FACTS), &text)?;
    flush(&new)?;
    let place = all.join(built.key);
    super::layer::remove(&place)?;
    fs::rename(&new, &place).map_err(failed("name", &new))?;
    SealedLayer::read(&place).ok_or_else(|| EnvironmentError::File {
        doing: "read",
        path: place,
        why: "it was removed".into(),
    })
}

/// Returns the facts about an output.
fn output(path: String, sealed: &[SealedFile]) -> LayerOutput {
    let inside = sealed
        .iter()
        .filter(|one| Path::new(&one.file.path).starts_with(&path));
    let (mut files, mut bytes) = (0, 0);
    for one in inside {
        files += 1;
        bytes += one.bytes;
    }
    LayerOutput { path, files, bytes }
}

impl BuiltFolder<'_> {
    /// Returns the paths that the recipe names as made, the topmost ones; refuses what it does not name.
    fn outputs(&self) -> Result<Vec<String>, EnvironmentError> {
        let named = patterns(self.name, &self.recipe.outputs)?;
        let (mut outputs, mut unnamed) = (Vec::new(), Vec::new());
        for name in &self.recipe.caches {
            outputs.push(format!("{CACHES}/{name}"));
        }
        let mut waiting = vec![String::new()];
        while let Some(above) = waiting.pop() {
            let folder = self.folder.join(&above);
            open(&folder);
            for entry in fs::read_dir(&folder)
                .map_err(failed("list", &folder))?
                .flatten()
            {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if above.is_empty() {
                    name
                } else {
                    format!("{above}/{name}")
                };
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if named.is_match(&path) {
                    outputs.push(path);
                } else if is_folder && path != ".git" && path != CACHES {
                    waiting.push(path);
                } else if !is_folder
                    && !self.inputs.has(&path)
                    && !self.recipe.stand_ins.contains(&path)
                {
                    unnamed.push(path);
                }
            }
        }
        if !unnamed.is_empty() {
            unnamed.sort_unstable();
            let more = unnamed.len().saturating_sub(MAX_SHOWN_PATHS);
            unnamed.truncate(MAX_SHOWN_PATHS);
            if more > 0 {
                unnamed.push(format!("{more} more"));
            }
            let recipe = self.name.to_owned();
            return Err(EnvironmentError::Unnamed {
                recipe,
                paths: unnamed,
            });
        }
        for pattern in &self.recipe.outputs {
            let one = patterns(self.name, std::slice::from_ref(pattern))?;
            if !outputs.iter().any(|path| one.is_match(path)) {
                return Err(EnvironmentError::NothingMade {
                    recipe: self.name.to_owned(),
                    pattern: pattern.clone(),
                });
            }
        }
        outputs.sort_unstable();
        Ok(outputs)
    }
}

/// Lists the files and links below a folder, and opens its folders.
fn list(folder: &Path, recipe: &str) -> Result<Vec<String>, EnvironmentError> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(above) = waiting.pop() {
        let place = folder.join(&above);
        open(&place);
        for entry in fs::read_dir(&place)
            .map_err(failed("list", &place))?
            .flatten()
        {
            let path = above.join(entry.file_name());
            let shown = path.to_string_lossy().into_owned();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(path),
                Ok(kind) if kind.is_file() || kind.is_symlink() => found.push(shown),
                _ => {
                    let recipe = recipe.to_owned();
                    return Err(EnvironmentError::Special {
                        recipe,
                        path: shown,
                    });
                }
            }
        }
    }
    Ok(found)
}

fn seal_file(folder: &Path, path: &str, built_in: &[u8]) -> Result<SealedFile, EnvironmentError> {
    let place = folder.join(path);
    let found = place
        .symlink_metadata()
        .map_err(failed("look at", &place))?;
    if found.is_file() {
        make_single(&place, &found)?;
    }
    let text_with_path = if found.is_file() && found.len() <= MAX_TEXT {
        let bytes = fs::read(&place).map_err(failed("read", &place))?;
        // Byte code names its source for messages alone.
        let is_byte_code = place.extension().is_some_and(|end| end == "pyc");
        let has_path = holds(&bytes, built_in) && !is_byte_code;
        has_path.then(|| !bytes.contains(&0))
    } else {
        None
    };
    let file = LayerFile::of(folder, path).ok_or_else(|| EnvironmentError::File {
        doing: "read",
        path: place,
        why: "it changed meanwhile".into(),
    })?;
    Ok(SealedFile {
        file,
        bytes: found.len(),
        text_with_path,
    })
}

/// Replaces a file that has other names, such as one in a cache, by a copy.
fn make_single(place: &Path, found: &fs::Metadata) -> Result<(), EnvironmentError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if found.nlink() == 1 {
            return Ok(());
        }
    }
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".chant-copy");
    let copy = place.with_file_name(name);
    let copied = fs::copy(place, &copy).and_then(|_| {
        let file = fs::OpenOptions::new().write(true).open(&copy);
        if let (Ok(file), Ok(time)) = (file, found.modified()) {
            file.set_modified(time)?;
        }
        fs::rename(&copy, place)
    });
    copied.map_err(failed("copy", place))
}

pub(super) fn holds(bytes: &[u8], path: &[u8]) -> bool {
    !path.is_empty() && bytes.windows(path.len()).any(|part| part == path)
}

fn write(place: &Path, bytes: &[u8]) -> Result<(), EnvironmentError> {
    let mut file = fs::File::create(place).map_err(failed("write", place))?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(failed("write", place))
}

/// Writes everything to the disk before the layer has its name.
fn flush(folder: &Path) -> Result<(), EnvironmentError> {
    #[cfg(target_os = "linux")]
    {
        let opened = fs::File::open(folder).map_err(failed("open", folder))?;
        rustix::fs::syncfs(&opened).map_err(|error| failed("flush", folder)(error.into()))?;
    }
    #[cfg(not(target_os = "linux"))]
    drop(folder);
    Ok(())
}
