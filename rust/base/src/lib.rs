//! The types that every layer may name: answers, errors, hints, identifiers, counts of work. Knows no files and
//! no formats.

pub mod answer;
pub mod completed_run;
pub mod counted;
pub mod counted_list;
pub mod diagnostics;
pub mod document_problem;
pub mod document_size;
pub mod environment;
pub mod error;
pub mod external_items;
pub mod format_words;
pub mod ident;
pub mod inherited_environment;
pub mod lint;
pub mod money;
pub mod next_step;
pub mod number_claims;
pub mod own_children;
pub mod plural;
pub mod progress;
pub mod recent;
pub mod run_variables;
pub mod text_place;
pub mod visible;
