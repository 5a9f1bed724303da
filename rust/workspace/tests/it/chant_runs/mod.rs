//! What a run of an agent decides without a process: merges of spec files, evidence, starts, prompts
//! and command lines.

mod agent_lines;
mod commanding;
mod dispatching;
mod driving;
mod merging;
mod prompting;
mod proving;
mod scheduling;
mod starting;
