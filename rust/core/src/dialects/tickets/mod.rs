//! Change-request tickets: one markdown file each in the tickets folder of a project (seed tickets).

pub mod advice;
pub mod projects;
pub mod templates;
