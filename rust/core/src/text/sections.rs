//! Sections of a markdown body: a heading and what stands under it.
