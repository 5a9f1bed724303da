//! Reviews: comments on work, the queue of what waits to be read, and what a person decides about threads.
//!
//! No tool of the server writes here: what a person says comes from a person's door.

mod act;
mod comment;
mod exchange;
mod queue;
mod show;

pub use act::{ReviewAct, review_act};
pub use comment::{CommentInput, comment};
pub use exchange::review_exchange;
pub use queue::review_queue;
pub use show::{ReviewScope, review_show};

pub(super) use act::resolve_rejections;
pub(super) use comment::comment_rejection;
