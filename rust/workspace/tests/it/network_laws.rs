//! Laws of questions about whole graphs, checked against slow and simple answers.

use std::num::NonZeroU32;

use chant_graph::ItemProgress;
use chant_graph::network::Network;
use chant_graph::network::compare::NetworkDifference;
use chant_graph::network::schedule::{DurationEstimates, DurationSpread, ScheduleOptions};
use proptest::prelude::*;

/// Graphs of up to a dozen items without loops, some done or only named, with a weight for each.
fn networks() -> impl Strategy<Value = (Network, Vec<f64>)> {
    (1_usize..12).prop_flat_map(|count| {
        let edges = prop::collection::vec((0..count, 0..count), 0..count * 3);
        let some = prop_oneof![2 => Just(ItemProgress::Done), 1 => Just(ItemProgress::Absent), 7 => Just(ItemProgress::Open)];
        let progress = prop::collection::vec(some, count);
        let weights = prop::collection::vec(0_u8..9, count);
        // The order of making says nothing about the order of work.
        let order = Just((0..count).collect::<Vec<_>>()).prop_shuffle();
        (edges, progress, weights, order).prop_map(|(edges, progress, weights, order)| {
            let number = |place: usize| u32::try_from(order[place]).unwrap();
            let ordered = edges.into_iter().filter(|(from, to)| from != to);
            let edges: Vec<_> = ordered
                .map(|(a, b)| (number(a.min(b)), number(a.max(b))))
                .collect();
            let network = Network::numbered(progress, &edges).unwrap();
            (network, weights.into_iter().map(f64::from).collect())
        })
    })
}

/// Whether one item leads to another over at least one edge.
fn leads(network: &Network, from: u32, to: u32) -> bool {
    let mut next = network.after(from).iter();
    next.any(|other| *other == to || leads(network, *other, to))
}

/// The weight of the heaviest row of open items that begins with `item`.
fn heaviest(network: &Network, weights: &[f64], item: u32) -> f64 {
    let open = network
        .after(item)
        .iter()
        .filter(|other| network.is_open(**other));
    let beyond = open.map(|other| heaviest(network, weights, *other));
    weights[item as usize] + beyond.fold(0.0, f64::max)
}

/// All shortest ways from one item to another.
fn ways(network: &Network, from: u32, to: u32) -> Vec<Vec<u32>> {
    let mut open = vec![vec![from]];
    while !open.is_empty() {
        let (there, other): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|way| way.last() == Some(&to));
        if !there.is_empty() {
            return there;
        }
        let longer = other.into_iter().flat_map(|way| {
            let next = way.last().map_or(&[][..], |last| network.after(*last));
            next.iter()
                .map(move |item| [way.clone(), vec![*item]].concat())
                .collect::<Vec<_>>()
        });
        open = longer.collect();
    }
    Vec::new()
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

proptest! {
    #[test]
    fn an_item_stands_one_layer_after_the_last_it_waits_for((network, _) in networks()) {
        let layers = network.layers().unwrap();
        let of = |item: u32| (0..layers.len()).find(|index| layers.layer(*index).unwrap().contains(&item));
        for item in network.items() {
            let before = network.before(item).iter().filter_map(|other| of(*other)).max();
            prop_assert_eq!(of(item), Some(before.map_or(0, |layer| layer + 1)));
        }
        prop_assert_eq!(layers.order().len(), network.len());
    }

    #[test]
    fn no_row_of_open_items_weighs_more_than_the_critical_path((network, weights) in networks()) {
        let path = network.critical_path(&weights).unwrap();
        let open: Vec<u32> = network.items().filter(|item| network.is_open(*item)).collect();
        let most = open.iter().map(|item| heaviest(&network, &weights, *item)).fold(0.0, f64::max);
        prop_assert!(near(path.length, most));
        let sum: f64 = path.items.iter().map(|item| weights[*item as usize]).sum();
        prop_assert!(near(sum, path.length));
        prop_assert!(path.items.windows(2).all(|pair| network.after(pair[0]).contains(&pair[1])));
    }

    #[test]
    fn an_item_that_is_late_by_its_slack_delays_nothing((network, weights) in networks(), late in 0_usize..12) {
        let times = network.times(&weights).unwrap();
        let item = late % network.len();
        prop_assume!(network.is_open(u32::try_from(item).unwrap()));
        let slack = times.slack()[item];
        let mut longer = weights.clone();
        longer[item] += slack;
        prop_assert!(near(network.times(&longer).unwrap().finish, times.finish));
        longer[item] += 1.0;
        prop_assert!(near(network.times(&longer).unwrap().finish, times.finish + 1.0));
    }

    #[test]
    fn impact_and_ancestors_are_all_that_edges_lead_to((network, _) in networks()) {
        for item in network.items() {
            let impact: Vec<u32> = network.items().filter(|other| leads(&network, item, *other)).collect();
            prop_assert_eq!(network.impact(&[item]), impact);
            let ancestors: Vec<u32> = network.items().filter(|other| leads(&network, *other, item)).collect();
            prop_assert_eq!(network.ancestors(&[item]), ancestors);
        }
    }

    #[test]
    fn an_edge_is_redundant_if_and_only_if_another_way_leads_there((network, _) in networks()) {
        let by_another = |(from, to): &(u32, u32)| {
            network.after(*from).iter().any(|other| other != to && leads(&network, *other, *to))
        };
        let expected: Vec<_> = network.edges().filter(by_another).collect();
        prop_assert_eq!(network.redundant_edges(&|_, _| true).unwrap(), expected);
    }

    #[test]
    fn betweenness_is_the_share_of_shortest_ways((network, _) in networks()) {
        let mut expected = vec![0.0; network.len()];
        for from in network.items() {
            for to in network.items().filter(|to| *to != from) {
                let ways = ways(&network, from, to);
                let share = 1.0 / f64::from(u32::try_from(ways.len().max(1)).unwrap());
                for item in ways.iter().flat_map(|way| &way[1..way.len() - 1]) {
                    expected[*item as usize] += share;
                }
            }
        }
        let found = network.betweenness(None, false, &|_, _| true).unwrap();
        prop_assert!(found.iter().zip(&expected).all(|(found, expected)| near(*found, *expected)));
    }

    #[test]
    fn a_plan_has_each_open_item_once_and_in_order((network, weights) in networks(), agents in 1_u32..4) {
        let options = ScheduleOptions { agents: NonZeroU32::new(agents).unwrap(), rounds: 0, seed: 0 };
        let durations = DurationEstimates { median: &weights, spread: DurationSpread::Known(0.0) };
        let plan = network.schedule(durations, options, &|_, _| true).unwrap();
        let mut items: Vec<u32> = plan.slots.iter().map(|slot| slot.item).chain(plan.unplanned.clone()).collect();
        items.sort_unstable();
        let open: Vec<u32> = network.items().filter(|item| network.is_open(*item)).collect();
        prop_assert_eq!(items, open);
        for slot in &plan.slots {
            let before = plan.slots.iter().filter(|other| network.before(slot.item).contains(&other.item));
            prop_assert!(before.into_iter().all(|other| other.end <= slot.start));
            let beside = plan.slots.iter().filter(|other| other.agent == slot.agent && other.item != slot.item);
            prop_assert!(beside.into_iter().all(|other| other.end <= slot.start || slot.end <= other.start));
        }
        for item in network.items().filter(|item| network.is_open(*item)) {
            let is_unknown = |other: &u32| network.progress(*other) == ItemProgress::Absent || plan.unplanned.contains(other);
            prop_assert_eq!(plan.unplanned.contains(&item), network.before(item).iter().any(is_unknown));
        }
        let path = network.critical_path(&weights).unwrap();
        prop_assert!(!plan.unplanned.is_empty() || plan.finish >= path.length - 1e-9);
    }

    #[test]
    fn a_graph_differs_from_itself_in_nothing_and_from_another_both_ways((one, _) in networks(), (other, _) in networks()) {
        prop_assert!(NetworkDifference::between(&one, &one).is_empty());
        let (there, back) = (NetworkDifference::between(&one, &other), NetworkDifference::between(&other, &one));
        prop_assert_eq!(there.added, back.removed);
        prop_assert_eq!(there.finished, back.reopened);
        prop_assert_eq!(there.added_edges, back.removed_edges);
    }
}
