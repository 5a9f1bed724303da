//! What a placer says of its cluster: workers, jobs, and work that was kept. It is data: bounded, and
//! never an order.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use strum::IntoStaticStr;

use chant_base::counted_list::CountedList;
use chant_base::plural::counted;
use chant_specs::view::work_load::{ClusterView, WorkerView};
use chant_store::disk;

/// The file in a cluster's folder.
pub(super) const STATUS: &str = "status.json";
/// The greatest size of the file in bytes.
const MAX_COUNT: u64 = 1024 * 1024;
/// The time after which a placer that wrote nothing is not believed to be connected.
const OLDEST: Duration = Duration::from_secs(20);
/// The characters of a text that are shown.
const MAX_SHOWN: usize = 120;

/// The state of the connection to a scheduler.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum ConnectionState {
    /// It is being made.
    #[default]
    Connecting,
    /// The scheduler answers.
    Connected,
    /// The scheduler does not answer any more.
    Gone,
}

/// A cluster, as its placer describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct ClusterStatus {
    /// The state of the connection.
    pub state: ConnectionState,
    /// The reason of that state.
    pub why: Option<String>,
    /// The address of the scheduler's page for people.
    pub dashboard: Option<String>,
    /// The workers.
    pub workers: Vec<WorkerStatus>,
    /// The jobs, by the name of their run.
    pub jobs: BTreeMap<String, JobStatus>,
}

/// A machine of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct WorkerStatus {
    /// Its name.
    pub name: String,
    /// The agents that it offers.
    pub agents: BTreeMap<String, AgentOffer>,
    /// `alive` or `silent`.
    pub state: String,
    /// The acting configurations that its owner accepted, by hash; `None` where that is not known.
    pub trusted: Option<Vec<String>>,
    /// True if its owner may accept more while it is there.
    pub trusts_any: bool,
}

impl WorkerStatus {
    /// Returns true if its owner is known not to have accepted what acts in a project.
    fn distrusts(&self, acting: &str) -> bool {
        let trusted = self.trusted.as_ref().filter(|_| !self.trusts_any);
        trusted.is_some_and(|trusted| !trusted.iter().any(|hash| hash == acting))
    }
}

/// The room of a machine for an agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct AgentOffer {
    /// The number of agents that it may start.
    pub slots: usize,
    /// The number of those at work.
    pub busy: usize,
}

/// A job of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct JobStatus {
    /// The worker.
    pub worker: Option<String>,
    /// `waiting`, `placed`, `working`, `ended` or `lost`.
    pub state: String,
    /// The agent.
    pub agent: String,
}

impl ClusterStatus {
    /// Reads what a placer wrote last into a folder; `None` if it wrote nothing that can be read.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let file = folder.join(STATUS);
        let text = disk::read_owned(&file, MAX_COUNT).ok()?;
        let mut status: Self = serde_json::from_str(&text).ok()?;
        if disk::stamp(&file)?.is_older_than(OLDEST, SystemTime::now()) {
            status.state = ConnectionState::Gone;
            status.why = Some("its placer is silent".into());
        }
        status.why = status.why.as_deref().map(shown);
        status.dashboard = status.dashboard.as_deref().map(shown);
        for worker in &mut status.workers {
            worker.name = shown(&worker.name);
        }
        Some(status)
    }

    /// Returns the workers that answer.
    fn alive(&self) -> impl Iterator<Item = &WorkerStatus> {
        self.workers.iter().filter(|worker| worker.state == "alive")
    }

    /// Returns why no worker takes jobs of a project in which something acts, by its hash; `None` if one may, or none
    /// has joined yet.
    pub(crate) fn lacks_trust(&self, acting: &str) -> Option<String> {
        let is_distrusted = |worker: &WorkerStatus| worker.distrusts(acting);
        let (mut count, mut distrusting) = (0, 0);
        for worker in self.alive() {
            count += 1;
            distrusting += usize::from(is_distrusted(worker));
        }
        (count > 0 && distrusting == count).then(|| {
            format!(
                "None of the {} has accepted what acts in this project, so none takes its jobs. Their owners do with `chant-mcp worker … --trust {acting}`; `trust` of the cluster in your own configuration does for workers that `cluster up` starts.",
                counted(count, "worker")
            )
        })
    }

    /// Returns the number of agents of a name that could begin now.
    pub(crate) fn count_free(&self, agent: &str) -> usize {
        let offers = self.alive().filter_map(|worker| worker.agents.get(agent));
        offers
            .map(|offer| offer.slots.saturating_sub(offer.busy))
            .fold(0, usize::saturating_add)
    }

    /// Returns the number of agents of a name that the workers may have at once.
    pub(crate) fn count_slots(&self, agent: &str) -> usize {
        let offers = self.alive().filter_map(|worker| worker.agents.get(agent));
        offers
            .map(|offer| offer.slots)
            .fold(0, usize::saturating_add)
    }

    /// Returns the number of agents of a name that could be started now, where `ours` are at work or wait
    /// already: the free slots, and a tenth more, so that a slot that becomes free is taken at once. While
    /// no worker has joined it is one, which asks for a worker.
    pub(crate) fn room(&self, agent: &str, ours: usize) -> usize {
        let is_placed = |job: &&JobStatus| {
            job.agent == agent && matches!(job.state.as_str(), "placed" | "working")
        };
        let placed = self.jobs.values().filter(is_placed).count();
        let more = self.count_slots(agent).div_ceil(10);
        let most = self.count_free(agent).saturating_add(placed + more);
        most.max(1).saturating_sub(ours)
    }

    /// Returns the cluster as it is shown, with at most so many machines.
    pub(super) fn view(&self, target: &str, machines: usize) -> ClusterView {
        let shown = self.workers.iter().take(machines).map(WorkerStatus::view);
        ClusterView {
            target: target.to_owned(),
            state: self.state.as_str(),
            why: self.why.clone(),
            dashboard: self.dashboard.clone(),
            workers: CountedList::new("workers", shown.collect(), self.workers.len()),
        }
    }

    /// Returns a sentence for an agent that no worker offers; `None` if one does, or while no worker has
    /// joined.
    pub(crate) fn lacks_agent(&self, agent: &str) -> Option<String> {
        let count = self.alive().count();
        if count == 0 || self.count_slots(agent) > 0 {
            return None;
        }
        let mut others: BTreeMap<String, usize> = BTreeMap::new();
        for (name, offer) in self.alive().flat_map(|worker| &worker.agents) {
            let slots = others.entry(shown(name)).or_default();
            *slots = slots.saturating_add(offer.slots);
        }
        let others = others.into_iter().take(10);
        let others: Vec<String> = others
            .map(|(name, slots)| format!("{slots} slots of {name}"))
            .collect();
        let workers = if count == 1 { "worker" } else { "workers" };
        let others = match others.join(", ") {
            offered if offered.is_empty() => "no slots".into(),
            offered => offered,
        };
        Some(format!(
            "No worker offers agent \"{agent}\" ({count} {workers}, {others})."
        ))
    }
}

impl ConnectionState {
    fn as_str(self) -> &'static str {
        self.into()
    }
}

impl WorkerStatus {
    fn view(&self) -> WorkerView {
        let sum = |count: fn(&AgentOffer) -> usize| {
            let counts = self.agents.values().map(count);
            counts.fold(0, usize::saturating_add)
        };
        WorkerView {
            name: self.name.clone(),
            state: shown(&self.state),
            busy: sum(|offer| offer.busy),
            slots: sum(|offer| offer.slots),
        }
    }
}

/// Returns the start of a text on one line, without characters that control a terminal.
fn shown(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(MAX_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str) -> ClusterStatus {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_start_is_refused_where_all_workers_distrust_the_project() {
        let hash = "ab".repeat(32);
        let with = |workers: &str| status(&format!(r#"{{"workers":[{workers}]}}"#));
        let distrusts = r#"{"name":"a","state":"alive","trusted":[]}"#;
        let why = with(distrusts).lacks_trust(&hash).unwrap();
        assert!(
            why.contains("None of the 1 worker") && why.contains(&hash),
            "{why}"
        );
        let accepts = format!(r#"{{"state":"alive","trusted":["{hash}"]}}"#);
        let asks = r#"{"state":"alive","trusted":[],"trusts_any":true}"#;
        // Of an earlier release nothing is known; it says so itself.
        let unknown = r#"{"state":"alive"}"#;
        for other in [&*accepts, asks, unknown] {
            assert_eq!(
                with(&format!("{distrusts},{other}")).lacks_trust(&hash),
                None
            );
        }
        assert_eq!(with("").lacks_trust(&hash), None);
    }

    #[test]
    fn workers_that_answer_have_room() {
        let status = status(
            r#"{"state":"connected","workers":[
                {"name":"a","state":"alive","agents":{"claude":{"slots":4,"busy":1}}},
                {"name":"b","state":"silent","agents":{"claude":{"slots":9,"busy":0}}},
                {"name":"c","state":"alive","agents":{"claude":{"slots":1,"busy":3}}}]}"#,
        );
        assert_eq!(status.count_free("claude"), 3);
        assert_eq!(status.count_slots("claude"), 5);
        assert_eq!(status.count_free("codex"), 0);
        assert_eq!(status.room("claude", 0), 4);
        assert_eq!(status.room("claude", 9), 0);
        assert_eq!(ClusterStatus::default().room("claude", 0), 1);
        let lacks = status.lacks_agent("codex").unwrap();
        assert_eq!(
            lacks,
            "No worker offers agent \"codex\" (2 workers, 5 slots of claude)."
        );
        assert_eq!(ClusterStatus::default().lacks_agent("codex"), None);
    }
}
