//! Reviews of work: the queue, and one spec with its hunks, criteria and threads.

use serde::Serialize;

/// The work that waits for a person to read it.
#[derive(Debug, Serialize)]
pub struct ReviewQueue {
    /// The specs, first what is to be read first.
    pub entries: Vec<QueueEntry>,
    /// The number of hunks that nobody has marked as seen.
    pub new_hunks: usize,
    /// Specs that could not be read, each with the reason.
    pub problems: Vec<String>,
}

/// A spec whose work waits.
#[derive(Debug, Serialize)]
pub struct QueueEntry {
    /// The spec.
    pub spec_id: String,
    /// Its title.
    pub title: Option<String>,
    /// The state of its newest run.
    pub state: Option<&'static str>,
    /// Why it waits, in words.
    pub why: Option<String>,
    /// The risk of landing it unread.
    pub risk: RiskRow,
    /// Hunks of the work.
    pub hunks: usize,
    /// Those of them that were not seen.
    pub new: usize,
    /// Open threads.
    pub open: usize,
    /// Those that stop the landing.
    pub stops: usize,
    /// Questions of agents that wait for an answer.
    pub asked: usize,
    /// Batches that were sent and reached no agent yet.
    pub not_delivered: usize,
    /// Open specs that wait for this one, at whatever distance.
    pub holds_up: usize,
    /// Since when it waits.
    pub since: Option<String>,
}

/// A risk with its reasons.
#[derive(Debug, Serialize)]
pub struct RiskRow {
    /// `low`, `mid` or `high`.
    pub band: &'static str,
    /// From 0 to 100.
    pub points: usize,
    /// The reasons, the weightiest first.
    pub reasons: Vec<RiskReasonRow>,
    /// True as long as no measured evidence is part of it.
    pub partial: bool,
}

/// A reason.
#[derive(Debug, Serialize)]
pub struct RiskReasonRow {
    /// Its points.
    pub points: usize,
    /// Its words.
    pub text: String,
}

/// The review of one spec.
#[derive(Debug, Serialize)]
pub struct SpecReviewView {
    /// The spec.
    pub spec_id: String,
    /// Its title.
    pub title: Option<String>,
    /// Its state.
    pub status: &'static str,
    /// The branch of the work; `None` where it has landed, or there is none.
    pub branch: Option<String>,
    /// The commit that the work is compared with.
    pub base: Option<String>,
    /// Its newest commit.
    pub tip: Option<String>,
    /// Which hunks are shown: `all`, `look` or `turn`.
    pub scope: &'static str,
    /// The risk.
    pub risk: RiskRow,
    /// The acceptance criteria.
    pub criteria: Vec<ReviewCriterion>,
    /// The hunks of the scope.
    pub hunks: Vec<ReviewHunk>,
    /// Hunks outside of the scope.
    pub folded: usize,
    /// Hunks that were seen and are gone.
    pub gone: usize,
    /// Changed files without lines to show.
    pub unreadable: Vec<String>,
    /// Changed files that were not read.
    pub files_left_out: usize,
    /// The threads, the oldest first.
    pub threads: Vec<ThreadRow>,
    /// The threads that stop the landing.
    pub stops: Vec<String>,
    /// Comments that were not sent yet.
    pub drafts: Vec<DraftRow>,
    /// The batches for agents.
    pub batches: Vec<BatchRow>,
    /// Approvals of the work.
    pub approvals: Vec<ApprovalRow>,
    /// Parts that are not believed, each with the reason.
    pub set_aside: Vec<String>,
    /// Events of others that would close or decide something, and do not.
    pub without_effect: usize,
}

/// A criterion.
#[derive(Debug, Serialize)]
pub struct ReviewCriterion {
    /// Its number, from 1.
    pub number: usize,
    /// Its words.
    pub text: String,
    /// True if its box is ticked.
    pub checked: bool,
    /// The checks that it names.
    pub checks: Vec<String>,
    /// The threads about it.
    pub threads: Vec<String>,
}

/// A hunk.
#[derive(Debug, Serialize)]
pub struct ReviewHunk {
    /// Its number in the whole work, from 1.
    pub number: usize,
    /// Its name, which lasts as long as its words and neighbours.
    pub name: String,
    /// The file.
    pub path: String,
    /// Where it stands in both versions.
    pub head: String,
    /// Its first line in the newer version.
    pub first: usize,
    /// The lines that it spans there.
    pub length: usize,
    /// True if this person has seen it in these words.
    pub seen: bool,
    /// The threads on its lines.
    pub threads: Vec<String>,
    /// Its lines, each behind ` `, `-` or `+`.
    pub lines: Vec<String>,
}

/// A thread.
#[derive(Debug, Serialize)]
pub struct ThreadRow {
    /// Its ID.
    pub id: String,
    /// `must`, `should`, `question` or `note`.
    pub weight: &'static str,
    /// `open`, `claimed`, `resolved` or `withdrawn`.
    pub state: &'static str,
    /// The kind of its author: `person`, `agent` or `runner`.
    pub kind: &'static str,
    /// The name.
    pub author: String,
    /// Where it comes from, if this user did not write it here.
    pub origin: Option<String>,
    /// When.
    pub at: String,
    /// Its words.
    pub text: String,
    /// Its subject: `line`, `spec`, `file` or `whole`.
    pub on: &'static str,
    /// Where it stands now; `None` for one about all of the work, and for an outdated one.
    pub place: Option<PlaceRow>,
    /// Why it stands nowhere.
    pub outdated: Option<&'static str>,
    /// The commented words as they were.
    pub commented: Vec<String>,
    /// The replies.
    pub replies: Vec<ReplyRow>,
    /// The commits that agents named as their answers.
    pub claims: Vec<ClaimRow>,
    /// True if it was sent to an agent.
    pub sent: bool,
    /// The person who closed it.
    pub closed_by: Option<String>,
}

/// A place.
#[derive(Debug, Serialize)]
pub struct PlaceRow {
    /// The file.
    pub path: String,
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
    /// `new` or `old`: which version has the line.
    pub side: &'static str,
    /// `moved`, `moved?`, `near` or `part of it`.
    pub mark: Option<&'static str>,
    /// Other lines with the same words.
    pub others: Vec<usize>,
}

/// A reply.
#[derive(Debug, Serialize)]
pub struct ReplyRow {
    /// The author.
    pub author: String,
    /// `person`, `agent` or `runner`.
    pub kind: &'static str,
    /// Where it comes from, if this user did not write it here.
    pub origin: Option<String>,
    /// When.
    pub at: String,
    /// Its words.
    pub text: String,
    /// The answer of an agent: `done`, `declined` or `asked`.
    pub answer: Option<&'static str>,
}

/// A commit that an agent named.
#[derive(Debug, Serialize)]
pub struct ClaimRow {
    /// The commit.
    pub commit: String,
    /// The verdict on it, in words.
    pub shown: String,
}

/// A draft.
#[derive(Debug, Serialize)]
pub struct DraftRow {
    /// Its subject, in the words of the command.
    pub about: String,
    /// Its weight.
    pub weight: String,
    /// Its words.
    pub text: String,
}

/// A batch.
#[derive(Debug, Serialize)]
pub struct BatchRow {
    /// Its name.
    pub name: String,
    /// When it was sent.
    pub at: String,
    /// Its threads.
    pub threads: Vec<String>,
    /// True if it reached an agent.
    pub delivered: bool,
    /// The last run that it was given to, and how.
    pub to: Option<String>,
}

/// An approval.
#[derive(Debug, Serialize)]
pub struct ApprovalRow {
    /// The author.
    pub by: String,
    /// When.
    pub at: String,
    /// The commit.
    pub tip: String,
    /// Hunks of the work now that it does not cover.
    pub not_covered: usize,
}
