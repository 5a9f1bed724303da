//! Plan formats that a program beside us reads and edits: plugins of the user.
//!
//! The program gets texts and answers with data. It is held by the kernel: no network, no writing, reading its own
//! packages alone. What it says is checked: patterns lead nowhere but below the root, spans lie in the text, edits keep the
//! law of all formats. A program that is late, ends or answers nonsense makes a problem of the document, and is given up
//! after a few of them.

mod answers;
mod description;
mod fault;
mod format;
mod process;

pub use fault::PluginFault;
pub use format::PluginFormat;
pub use process::PluginCall;
