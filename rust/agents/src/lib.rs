//! Agents: what stands in their command lines, what a run gets of their logins, and the sessions that are kept of them
//! from one run to the next.
//!
//! Of a session one file is kept, its transcript. Everything else that an agent leaves in its state may be what a run
//! planted there: settings, hooks and plugins would act in the next run.

pub mod kept_session;
pub mod placeholders;
pub mod session_id;
pub mod session_store;
pub mod token_file;
pub mod transcript;
