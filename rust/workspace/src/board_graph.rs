//! Pictures and plans of a board: the graph around an item or of all, and work on a line of time.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::sync::Arc;

use super::Workspace;
use super::analytics_graph::{NetworkNodes, expected_seconds};
use super::board::ItemSearch;
use super::board_columns::{BoardColumns, BoardFilter};
use super::board_shapes::{BoardGraph, BoardTimeline, GraphFigureRow, PastRun, PlannedItem};
use super::item::Item;
use super::meaning::WorkMeaning;
use super::ops::resolve_item;
use super::run_situations::key_of;
use super::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_base::answer::{Answer, cut};
use chant_base::error::Error;
use chant_draw::clip::{ClipOptions, clip};
use chant_draw::elements::{ElementOptions, FigureTexts, draw_elements};
use chant_graph::network::Network;
use chant_graph::network::critical::ItemTimes;
use chant_graph::network::schedule::{
    DurationEstimates, DurationSpread, ScheduleOptions, ScheduleSlot,
};
use chant_graph::{ItemProgress, Node};
use chant_specs::model::SpecStatus;
use chant_work::learned_amounts::LearnedAmount;

/// Items in a picture.
const MAX_FIGURES: usize = 60;
/// Runs and planned items on a line of time.
const MAX_BARS: usize = 200;
/// Characters of a title.
const TITLE_SHOWN: usize = 200;
/// The seconds that an item counts as while no run has ended.
const USUAL_SECONDS: f64 = 3600.0;

/// The items that a picture shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct GraphFocus<'a> {
    /// The item in the middle; `None` for the most important ones of all.
    pub name: Option<&'a str>,
    /// The number of steps from the item in the middle.
    pub depth: Option<u32>,
    /// A label that items have.
    pub label: Option<&'a str>,
    /// The dialect that items are of.
    pub dialect: Option<&'a str>,
}

/// The network of all items, with the seconds that each takes and how many of them can be lost.
pub(super) struct TimedNetwork {
    /// The moment of the items.
    version: u64,
    network: Arc<Network>,
    nodes: Arc<[Node]>,
    seconds: Vec<f64>,
    learned: LearnedAmount,
    agent: Option<String>,
    /// The items that leave no time to lose; none where items wait in a loop.
    critical: Vec<u32>,
    /// The seconds that each item leaves; `None` where items wait in a loop.
    slack: Option<Vec<f64>>,
}

/// Returns a picture of the items around one, or of the most important ones, and the same items as a list.
///
/// # Errors
/// As [`super::ops::find`], or `Invalid` for a dialect that is none.
pub fn draw_board_graph(workspace: &Workspace, query: GraphFocus<'_>) -> Result<Answer, Error> {
    let filter = BoardFilter::checked(ItemSearch::default(), query.dialect, query.label)?;
    let joined = workspace.snapshot()?;
    let focus = query
        .name
        .map(|name| resolve_item(workspace, &joined, name));
    let focus = focus.transpose()?.map(|item| item.node);
    let timed = TimedNetwork::current(workspace, &joined)?;
    let fitting = timed.fitting(&joined, &filter);
    let focus = focus.and_then(|node| timed.place(node));
    let shown = timed.chosen(&fitting, focus, query.depth)?;
    let drawing = FigureRows {
        joined: &joined,
        meanings: meanings_of(workspace, &timed, &shown)?,
        timed: &timed,
    };
    let figures: Vec<FigureTexts> = shown.iter().map(|at| drawing.texts(*at)).collect();
    let options = ElementOptions {
        name: String::new(),
        focus: focus.into_iter().collect(),
        critical: timed.critical.clone(),
    };
    let picture = draw_elements(&timed.network, &shown, &figures, &options)?;
    let items: Vec<GraphFigureRow<'_>> = shown.iter().map(|at| drawing.row(*at)).collect();
    Ok(Answer::compact(&BoardGraph {
        scene: picture.to_json(),
        shown: items.len(),
        items,
        total: fitting.len(),
    }))
}

/// The meanings of items, asked for alone: a large picture takes longer than a look at a board may wait.
fn meanings_of(
    workspace: &Workspace,
    timed: &TimedNetwork,
    shown: &[u32],
) -> Result<HashMap<u32, WorkMeaning>, Error> {
    workspace.ask_board(|joined, board| {
        let meaning = |at: &u32| {
            let node = joined.graph().find(timed.network.key(*at))?;
            Some((*at, board.meaning(&joined.item(node)?)?))
        };
        Ok(shown.iter().filter_map(meaning).collect())
    })
}

impl TimedNetwork {
    /// The network as of a snapshot, made once for it.
    fn current(workspace: &Workspace, joined: &Arc<WorkspaceGraph>) -> Result<Arc<Self>, Error> {
        let learned = workspace.learned()?.duration;
        let agent = workspace.usual_agent();
        let known = workspace.known().timed.clone();
        let is_current = |known: &Arc<Self>| {
            let is_same_moment = known.version == joined.version();
            is_same_moment && known.learned == learned && known.agent == agent
        };
        if let Some(known) = known.filter(is_current) {
            return Ok(known);
        }
        let timed = Arc::new(Self::of(workspace.laid(joined)?, joined, learned, agent));
        workspace.known().timed = Some(Arc::clone(&timed));
        Ok(timed)
    }

    fn of(
        (network, nodes): NetworkNodes,
        joined: &WorkspaceGraph,
        learned: LearnedAmount,
        agent: Option<String>,
    ) -> Self {
        let seconds = nodes
            .iter()
            .map(|node| seconds_of(joined.item(*node), &learned, agent.as_deref()));
        let seconds: Vec<f64> = seconds.collect();
        let path = network.critical_path(&seconds);
        let times = network.times(&seconds).ok();
        Self {
            version: joined.version(),
            critical: path.map(|path| path.items).unwrap_or_default(),
            slack: times.as_ref().map(ItemTimes::slack),
            network,
            nodes,
            seconds,
            learned,
            agent,
        }
    }

    /// The number of a node in the network.
    fn place(&self, node: Node) -> Option<u32> {
        let at = self.nodes.iter().position(|known| *known == node)?;
        u32::try_from(at).ok()
    }

    fn node(&self, at: u32) -> Node {
        self.nodes[at as usize]
    }

    /// The items that a filter wants; items that are only named belong to a picture of all.
    fn fitting(&self, joined: &WorkspaceGraph, filter: &BoardFilter) -> Vec<u32> {
        let is_all = *filter == BoardFilter::default();
        let fits = |at: &u32| match joined.item(self.node(*at)) {
            Some(item) => filter.is_of(&item) && !is_cancelled(&item),
            None => is_all,
        };
        self.network.items().filter(fits).collect()
    }

    /// Chooses the items that are drawn, ascending.
    fn chosen(
        &self,
        fitting: &[u32],
        focus: Option<u32>,
        depth: Option<u32>,
    ) -> Result<Vec<u32>, Error> {
        if focus.is_none() && fitting.len() < self.network.len() {
            return Ok(self.most_important(fitting));
        }
        let chosen = clip(
            &self.network,
            &ClipOptions {
                limit: MAX_FIGURES,
                focus: focus.as_slice(),
                depth,
                first: &self.critical,
            },
        )?;
        let is_fit: HashSet<u32> = fitting.iter().copied().collect();
        let fits = |at: &u32| is_fit.contains(at) || Some(*at) == focus;
        Ok(chosen.into_iter().filter(fits).collect())
    }

    /// Open items come before done ones, then those for which more items wait, then those made earlier.
    fn most_important(&self, fitting: &[u32]) -> Vec<u32> {
        let mut chosen = fitting.to_vec();
        chosen.sort_by_key(|at| {
            let waiting = self.network.after(*at).len();
            (self.network.is_done(*at), Reverse(waiting), *at)
        });
        chosen.truncate(MAX_FIGURES);
        chosen.sort_unstable();
        chosen
    }
}

fn is_cancelled(item: &Item<'_>) -> bool {
    let status = |spec| item.joined.specs.status(spec);
    matches!(item.source, ItemSource::Spec(spec) if status(spec) == SpecStatus::Cancelled)
}

/// The seconds that an item takes: as runs say, else the same for each; none for one that only holds others.
fn seconds_of(item: Option<Item<'_>>, learned: &LearnedAmount, agent: Option<&str>) -> f64 {
    let expected = |item: Item<'_>| {
        expected_seconds(item, learned, agent).unwrap_or(item.weight() * USUAL_SECONDS)
    };
    item.map_or(0.0, expected)
}

/// Says of the items of a picture what they are.
struct FigureRows<'a> {
    joined: &'a WorkspaceGraph,
    meanings: HashMap<u32, WorkMeaning>,
    timed: &'a TimedNetwork,
}

impl<'a> FigureRows<'a> {
    /// The meaning of an item; one that is only named is done, or others wait for it.
    fn meaning(&self, at: u32) -> Option<WorkMeaning> {
        let node = self.timed.node(at);
        match self.joined.item(node) {
            Some(_) => self.meanings.get(&at).copied(),
            None if self.joined.graph().progress(node) == ItemProgress::Done => {
                Some(WorkMeaning::Done)
            }
            None => Some(WorkMeaning::Waits),
        }
    }

    fn texts(&self, at: u32) -> FigureTexts {
        let node = self.timed.node(at);
        let meaning = self.meaning(at).map_or("cancelled", WorkMeaning::as_str);
        let class = format!("meaning-{meaning}");
        let Some(item) = self.joined.item(node) else {
            let key = self.joined.graph().key(node);
            let (word, tone) = self.joined.outside(node);
            return FigureTexts {
                label: key.to_owned(),
                sub: word.to_owned(),
                title: format!("{key}\n{word}"),
                class: class + " elsewhere",
                state: tone.word().to_owned(),
                ..FigureTexts::default()
            };
        };
        let id = item.id().into_owned();
        let title = cut(item.title(), TITLE_SHOWN);
        let status = item.status();
        let (label, sub) = if title.is_empty() {
            (id.clone(), String::new())
        } else {
            (title.clone(), id.clone())
        };
        FigureTexts {
            label,
            sub,
            title: format!("{title}\n{id} · {status}"),
            class,
            state: item.drawn().word().to_owned(),
            ..FigureTexts::default()
        }
    }

    fn row(&self, at: u32) -> GraphFigureRow<'a> {
        let node = self.timed.node(at);
        let item = self.joined.item(node);
        let slack = self.timed.slack.as_ref().map(|slack| slack[at as usize]);
        // Without runs every item counts as an hour, and an estimate of that is none.
        let is_estimated = self.timed.learned.runs > 0 && self.timed.network.is_open(at);
        let slack = slack.filter(|_| is_estimated);
        GraphFigureRow {
            key: self.joined.graph().key(node),
            title: item.map_or_else(String::new, |item| cut(item.title(), TITLE_SHOWN)),
            status: item.map_or_else(|| self.joined.outside(node).0, |item| item.status()),
            meaning: self.meaning(at).map(WorkMeaning::as_str),
            slack: slack.map(rounded),
            critical: self.timed.critical.contains(&at),
        }
    }
}

/// Seconds with one digit behind the point.
fn rounded(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

/// Returns the runs that ended, the latest first, and the open items as agents could work on them from now on, as
/// many at a time as the configuration allows.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn plan_timeline(workspace: &Workspace) -> Result<Answer, Error> {
    let joined = workspace.snapshot()?;
    let timed = TimedNetwork::current(workspace, &joined)?;
    let durations = DurationEstimates {
        median: &timed.seconds,
        spread: DurationSpread::Known(0.0),
    };
    let crew = ScheduleOptions {
        agents: agents_of(workspace),
        rounds: 0,
        seed: 0,
    };
    let plan = timed.network.schedule(durations, crew, &|_, _| true);
    let (slots, note) = match plan {
        Ok(plan) => (plan.slots, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let item_of = |slot: &ScheduleSlot| {
        let item = joined.item(timed.node(slot.item));
        item.filter(|item| item.weight() > 0.0)
    };
    let worked = slots.iter().filter_map(|slot| Some((slot, item_of(slot)?)));
    let worked: Vec<(&ScheduleSlot, Item<'_>)> = worked.collect();
    let bar = |(slot, item): &(&ScheduleSlot, Item<'_>)| PlannedItem {
        key: item.key().to_owned(),
        title: cut(item.title(), TITLE_SHOWN),
        start: rounded(slot.start),
        end: rounded(slot.end),
        critical: timed.critical.contains(&slot.item),
    };
    let past = workspace.ask_board(|joined, board| Ok(past_runs(joined, board)))?;
    Ok(Answer::compact(&BoardTimeline {
        unit: "seconds",
        known_runs: timed.learned.runs,
        past,
        planned_total: worked.len(),
        planned: worked.iter().take(MAX_BARS).map(bar).collect(),
        note,
        now: workspace.parts.speckit.now().to_string(),
    }))
}

/// The number of agents that may work at the same time.
fn agents_of(workspace: &Workspace) -> NonZeroU32 {
    let snapshot = workspace.parts.chant.snapshot().ok();
    let config = snapshot.and_then(|snapshot| snapshot.config.clone().ok());
    let agents = config.map(|config| config.runs.limits.agents_at_once.get());
    let agents = agents.and_then(|agents| NonZeroU32::new(u32::try_from(agents).ok()?));
    agents.unwrap_or(NonZeroU32::MIN)
}

/// The runs that ended, the latest first.
fn past_runs(joined: &WorkspaceGraph, board: &BoardColumns) -> Vec<PastRun> {
    let runs = board.situations().runs();
    let ended = runs.runs().filter(|run| run.works_on_spec);
    let mut ended: Vec<_> = ended
        .filter_map(|run| Some((run.started?, run.ended?, run)))
        .collect();
    ended.sort_by_key(|(started, _, run)| (Reverse(*started), run.process_id.clone()));
    ended.truncate(MAX_BARS);
    let rows = ended.into_iter().map(|(started, finished, run)| {
        let key = key_of(run);
        let node = joined.graph().find(&key);
        let item = node.and_then(|node| joined.item(node));
        let title = item.as_ref().map(Item::title);
        PastRun {
            title: cut(title.unwrap_or_default(), TITLE_SHOWN),
            key,
            start: started.to_string(),
            end: finished.to_string(),
            outcome: run.state.as_str(),
        }
    });
    rows.collect()
}
