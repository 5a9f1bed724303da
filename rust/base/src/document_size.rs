//! The limit on what is read as one document: agents write files, and commits, of any size.

/// The bytes of the largest document that is read or written, on disk and in a commit.
pub const MAX_DOCUMENT_BYTES: u64 = 32 * 1024 * 1024;
