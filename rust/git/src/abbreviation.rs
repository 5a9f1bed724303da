//! Short commit ids, as long as `git log --oneline` makes them.

use std::path::Path;

/// The number of digits that git uses in a small repository.
const USUAL: usize = 7;

/// The fewest digits that git ever shows.
const MIN_COUNT: usize = 4;

/// The size of a pack index without objects, and the bytes that each object adds.
const PACK_INDEX: (u64, u64) = (1072, 28);

/// Shortens the commit ids of one repository.
pub(super) struct CommitAbbreviation<'repo> {
    objects: git2::Odb<'repo>,
    digits: usize,
}

impl<'repo> CommitAbbreviation<'repo> {
    /// Finds out how many digits this repository's configuration and size ask for.
    pub(super) fn of(repo: &'repo git2::Repository) -> Result<Self, git2::Error> {
        let configured = repo.config()?.get_string("core.abbrev").unwrap_or_default();
        let digits = match configured.to_ascii_lowercase().as_str() {
            "no" | "off" | "false" => usize::MAX,
            text => match text.parse::<usize>() {
                Ok(digits) => digits.max(MIN_COUNT),
                Err(_) => digits_for(packed_objects(repo.commondir())),
            },
        };
        Ok(Self {
            objects: repo.odb()?,
            digits,
        })
    }

    /// Returns the shortest beginning of an id that has enough digits and names one object only.
    pub(super) fn short(&self, id: git2::Oid) -> String {
        let full = id.to_string();
        let is_clear = |digits: &usize| match git2::Oid::from_str(&full[..*digits]) {
            Ok(short) => match self.objects.exists_prefix(short, *digits) {
                Ok(_) => true,
                Err(error) => error.code() != git2::ErrorCode::Ambiguous,
            },
            Err(_) => false,
        };
        let digits = (self.digits..full.len())
            .find(is_clear)
            .unwrap_or(full.len());
        full[..digits].to_owned()
    }
}

/// Returns the number of digits by git's own rule: with 2^n objects the first collision is expected
/// at n/2 bits.
fn digits_for(objects: u64) -> usize {
    let bits = u64::BITS - objects.leading_zeros();
    USUAL.max(bits.div_ceil(2) as usize)
}

/// Estimates how many objects are in packs from the sizes of their indexes.
fn packed_objects(git_folder: &Path) -> u64 {
    let Ok(files) = git_folder.join("objects/pack").read_dir() else {
        return 0;
    };
    let (empty, each) = PACK_INDEX;
    files
        .flatten()
        .filter(|file| {
            file.path()
                .extension()
                .is_some_and(|extension| extension == "idx")
        })
        .filter_map(|file| file.metadata().ok())
        .map(|index| index.len().saturating_sub(empty) / each)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_with_the_number_of_objects_as_git_lets_them_grow() {
        assert_eq!(digits_for(0), 7);
        assert_eq!(digits_for((1 << 14) - 1), 7);
        assert_eq!(digits_for(1 << 14), 8);
        assert_eq!(digits_for((1 << 16) - 1), 8);
        assert_eq!(digits_for(1 << 16), 9);
    }
}
