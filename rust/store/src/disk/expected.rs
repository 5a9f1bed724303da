//! The state that a file must still have when another takes its place. A stamp alone proves nothing: a clock of
//! coarse steps gives two texts of one length the same one.

use std::io::{self, Read};

use super::place::FilePlace;
use super::{FileStamp, LARGEST};
use crate::digest::sha256;

/// The state of a file when a change of it was decided.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedFile<'a> {
    /// The stamp that it had when it was read.
    pub stamp: &'a FileStamp,
    /// The content that it had.
    pub content: ExpectedContent<'a>,
}

impl<'a> ExpectedFile<'a> {
    /// A file that had a text.
    pub fn of_text(text: &'a str, stamp: &'a FileStamp) -> Self {
        Self {
            stamp,
            content: ExpectedContent::Text(text),
        }
    }
}

/// The content of a file, as far as that is known.
#[derive(Debug, Clone, Copy)]
pub enum ExpectedContent<'a> {
    /// Its text.
    Text(&'a str),
    /// The digest of its text.
    Digest(&'a str),
}

impl ExpectedFile<'_> {
    fn has_stamp(&self, place: &FilePlace) -> bool {
        place
            .stamp()
            .is_some_and(|now| now.is_same_content(self.stamp))
    }

    /// Returns true if a file has the stamp and the content; false also where that cannot be found out.
    pub(super) fn is_at(&self, place: &FilePlace) -> bool {
        self.has_stamp(place) && self.is_content_at(place)
    }

    /// Returns true if a file has the content, whatever its stamp; false also where that cannot be found out.
    pub(super) fn is_content_at(&self, place: &FilePlace) -> bool {
        self.is_content_of(place).unwrap_or(false)
    }

    fn is_content_of(&self, place: &FilePlace) -> io::Result<bool> {
        let mut bytes = Vec::new();
        place.open()?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Ok(match self.content {
            ExpectedContent::Text(text) => bytes == text.as_bytes(),
            ExpectedContent::Digest(digest) => sha256(&bytes) == digest,
        })
    }
}
