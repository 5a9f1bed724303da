//! Pictures of whole graphs: nothing overlaps, nothing is lost, nothing breaks out of its place.

use std::collections::HashSet;

use chant_draw::clip::{self, ClipOptions};
use chant_draw::layout::{FigureRect, LayoutInput, PictureLayout, layout};
use chant_draw::route::{ArrowRoute, Point, RouteLeg};
use chant_draw::scene::{PictureScene, SceneShape};
use chant_draw::table::{self, ListRow};
use chant_draw::theme::ColorTheme;
use chant_draw::{ItemTexts, PictureOptions, dot, mermaid, svg};
use chant_graph::ItemProgress;
use chant_graph::key_set::KeySet;
use chant_graph::network::Network;
use insta::assert_snapshot;
use proptest::prelude::*;
use roxmltree::Document;

/// Builds a network from words like `c<-a,b` (c waits for a and b) and `d!` (done).
fn network(words: &str) -> Network {
    let mut keys = KeySet::new();
    let mut done = HashSet::new();
    let mut edges = Vec::new();
    let mut number = |key: &str| keys.insert(key);
    for word in words.split_whitespace() {
        let (name, rest) = word.split_once("<-").unwrap_or((word, ""));
        let item = number(name.trim_end_matches('!'));
        if name.ends_with('!') {
            done.insert(item);
        }
        for other in rest.split(',').filter(|other| !other.is_empty()) {
            edges.push((number(other), item));
        }
    }
    let done = (0..u32::try_from(keys.len()).unwrap()).map(|item| state(done.contains(&item)));
    Network::new(keys, done.collect(), &edges).unwrap()
}

fn state(is_done: bool) -> ItemProgress {
    if is_done {
        ItemProgress::Done
    } else {
        ItemProgress::Open
    }
}

fn all(network: &Network) -> Vec<u32> {
    network.items().collect()
}

/// Figures of various sizes, arrows anywhere between them.
fn sheets() -> impl Strategy<Value = LayoutInput> {
    (1_usize..24).prop_flat_map(|count| {
        let sizes = prop::collection::vec((84_u8..236, 30_u8..45), count);
        let arrows = prop::collection::hash_set((0..count, 0..count), 0..count * 2);
        (sizes, arrows).prop_map(|(sizes, arrows)| {
            let mut arrows: Vec<_> = arrows.into_iter().collect();
            arrows.sort_unstable();
            let sizes = sizes.into_iter().map(|(w, h)| (f64::from(w), f64::from(h)));
            LayoutInput {
                sizes: sizes.collect(),
                arrows,
            }
        })
    })
}

/// Graphs of up to thirty items, with loops or without, and some of their items.
fn graphs() -> impl Strategy<Value = (Network, Vec<u32>)> {
    (1_usize..30).prop_flat_map(|count| {
        let edges = prop::collection::vec((0..count, 0..count), 0..count * 2);
        let done = prop::collection::vec(prop::bool::weighted(0.3), count);
        let chosen = prop::collection::vec(prop::bool::weighted(0.4), count);
        (edges, done, chosen, any::<bool>()).prop_map(|(edges, done, chosen, has_loops)| {
            let keys = (0..done.len()).map(|item| format!("k{item}"));
            let number = |place: usize| u32::try_from(place).unwrap();
            let turned = edges.into_iter().filter_map(|(a, b)| {
                if has_loops {
                    Some((number(a), number(b)))
                } else {
                    (a != b).then(|| (number(a.min(b)), number(a.max(b))))
                }
            });
            let edges: Vec<_> = turned.collect();
            let network = Network::new(
                keys.collect(),
                done.into_iter().map(state).collect(),
                &edges,
            )
            .unwrap();
            let chosen = network.items().zip(chosen);
            let chosen = chosen.filter(|(_, is_chosen)| *is_chosen);
            (network.clone(), chosen.map(|(item, _)| item).collect())
        })
    })
}

const NEAR: f64 = 1e-6;

fn overlap(a: &FigureRect, b: &FigureRect) -> bool {
    let apart = a.x + a.width <= b.x + NEAR
        || b.x + b.width <= a.x + NEAR
        || a.y + a.height <= b.y + NEAR
        || b.y + b.height <= a.y + NEAR;
    !apart
}

/// Whether a point is on the border of a box.
fn is_at(rect: &FigureRect, (x, y): Point) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < NEAR;
    let within = |low: f64, long: f64, at: f64| at > low - NEAR && at < low + long + NEAR;
    let at_side = near(x, rect.x) || near(x, rect.x + rect.width);
    let at_edge = near(y, rect.y) || near(y, rect.y + rect.height);
    (at_side && within(rect.y, rect.height, y)) || (at_edge && within(rect.x, rect.width, x))
}

fn is_inside(rect: &FigureRect, (x, y): Point) -> bool {
    let inside = |low: f64, long: f64, at: f64| at > low + 0.1 && at < low + long - 0.1;
    inside(rect.x, rect.width, x) && inside(rect.y, rect.height, y)
}

/// Points all along a way.
fn points(route: &ArrowRoute) -> Vec<Point> {
    let mut points = vec![route.start];
    let mut from = route.start;
    for leg in &route.legs {
        for step in 1..=24 {
            let t = f64::from(step) / 24.0;
            let mix = |a: f64, b: f64, c: f64, d: f64| {
                let s = 1.0 - t;
                s.powi(3) * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t.powi(3) * d
            };
            let (b, c, d) = match leg {
                RouteLeg::Line(end) => (from, *end, *end),
                RouteLeg::Curve(b, c, d) => (*b, *c, *d),
            };
            points.push((mix(from.0, b.0, c.0, d.0), mix(from.1, b.1, c.1, d.1)));
        }
        from = leg.end();
    }
    points
}

/// Whether one box is wholly before another along the layers.
fn is_before(layout: &PictureLayout, a: &FigureRect, b: &FigureRect) -> bool {
    if layout.is_down {
        a.y + a.height <= b.y + NEAR
    } else {
        a.x + a.width <= b.x + NEAR
    }
}

proptest! {
    #[test]
    fn no_box_lies_on_another_and_no_arrow_on_a_box(sheet in sheets()) {
        let layout = layout(&sheet);
        for (index, rect) in layout.boxes.iter().enumerate() {
            prop_assert!(rect.width > sheet.sizes[index].0 - NEAR && rect.height > sheet.sizes[index].1 - NEAR);
            prop_assert!(rect.x > -NEAR && rect.x + rect.width < layout.width + NEAR);
            prop_assert!(rect.y > -NEAR && rect.y + rect.height < layout.height + NEAR);
            for other in &layout.boxes[index + 1..] {
                prop_assert!(!overlap(rect, other), "{rect:?} {other:?}");
            }
        }
        for (route, arrow) in layout.routes.iter().zip(&sheet.arrows) {
            for point in points(route) {
                let hit = layout.boxes.iter().position(|rect| is_inside(rect, point));
                prop_assert_eq!(hit, None, "{:?} of {:?}", point, arrow);
                prop_assert!(point.0 < layout.width + NEAR && point.1 < layout.height + NEAR);
            }
        }
    }

    #[test]
    fn arrows_lead_from_box_to_box_and_forward_unless_they_close_a_loop(sheet in sheets()) {
        let layout = layout(&sheet);
        let mut backward = Vec::new();
        for (route, (from, to)) in layout.routes.iter().zip(&sheet.arrows) {
            prop_assert!(is_at(&layout.boxes[*from], route.start), "{route:?}");
            prop_assert!(is_at(&layout.boxes[*to], route.end()), "{route:?}");
            let (first, last) = if route.is_back { (to, from) } else { (from, to) };
            let is_forward = is_before(&layout, &layout.boxes[*first], &layout.boxes[*last]);
            prop_assert!(is_forward || from == to);
            if route.is_back {
                backward.push((*from, *to));
            }
        }
        // Only what closes a cycle leads back: its end leads to its start.
        for (from, to) in backward {
            let (mut open, mut met) = (vec![to], HashSet::from([to]));
            while let Some(figure) = open.pop() {
                let next = sheet.arrows.iter().filter(|(start, _)| *start == figure);
                open.extend(next.map(|(_, end)| *end).filter(|end| met.insert(*end)));
            }
            prop_assert!(met.contains(&from));
        }
    }

    #[test]
    fn the_focus_is_shown_and_every_item_is_shown_or_counted((network, focus) in graphs(), limit in 1_usize..20, depth in prop::option::of(0_u32..4)) {
        let clip = ClipOptions { limit, focus: &focus, depth, first: &[] };
        let shown = clip::clip(&network, &clip).unwrap();
        prop_assert!(focus.iter().all(|item| shown.contains(item)));
        prop_assert!(shown.len() <= limit.max(focus.len()));
        prop_assert!(!focus.is_empty() || shown.len() == limit.min(network.len()));
        prop_assert!(shown.windows(2).all(|pair| pair[0] < pair[1]));
        let scene = PictureScene::new(&network, &shown);
        let counts = scene.shapes.iter().map(|shape| match shape {
            SceneShape::Item(_) => 1,
            SceneShape::Earlier(count) | SceneShape::Later(count) | SceneShape::Apart(count) => *count,
        });
        prop_assert_eq!(counts.sum::<usize>(), network.len());
    }

    #[test]
    fn what_is_not_shown_is_joined_to_what_it_hangs_on((network, shown) in graphs()) {
        prop_assume!(!shown.is_empty());
        let scene = PictureScene::new(&network, &shown);
        let earlier = network.ancestors(&shown);
        for (place, item) in shown.iter().enumerate() {
            let hides = |row: &[u32], is_side: &dyn Fn(&u32) -> bool| {
                row.iter().any(|other| !shown.contains(other) && is_side(other))
            };
            let joins = |arrow: &(usize, usize), is_side: fn(SceneShape) -> bool| {
                let (own, other) = *arrow;
                own == place && is_side(scene.shapes[other])
            };
            let mut ends = scene.arrows.iter().map(|arrow| (arrow.to, arrow.from));
            let has_before = ends.any(|ends| joins(&ends, |shape| matches!(shape, SceneShape::Earlier(_))));
            prop_assert_eq!(has_before, hides(network.before(*item), &|_| true));
            let mut ends = scene.arrows.iter().map(|arrow| (arrow.from, arrow.to));
            let has_behind = ends.any(|ends| joins(&ends, |shape| matches!(shape, SceneShape::Later(_))));
            prop_assert!(has_behind || !hides(network.after(*item), &|other| !earlier.contains(other)));
        }
        let joined: HashSet<usize> = scene.arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]).collect();
        for (place, shape) in scene.shapes.iter().enumerate() {
            let hangs = matches!(shape, SceneShape::Earlier(_) | SceneShape::Later(_));
            prop_assert!(!hangs || joined.contains(&place));
        }
    }

    #[test]
    fn no_name_breaks_out_of_a_picture(label in "\\PC{0,40}|[<>&\"'\\]\\x00-\\x1f\u{202e}\u{fffe}]{1,9}", theme in 0_usize..3) {
        let network = network("a b<-a");
        let said = ItemTexts {
            labels: vec![label.clone(), "plain".to_owned()],
            groups: vec![label.clone(), "vine".to_owned()],
            titles: vec![label.clone(), String::new()],
            ..ItemTexts::default()
        };
        let look = PictureOptions {
            name: label.clone(),
            heat_name: label,
            theme: [ColorTheme::Auto, ColorTheme::Light, ColorTheme::Dark][theme],
            ..PictureOptions::default()
        };
        let picture = svg(&network, &all(&network), &said, &look).unwrap();
        let document = Document::parse(&picture).unwrap();
        let names: HashSet<&str> = document.descendants().filter(roxmltree::Node::is_element).map(|node| node.tag_name().name()).collect();
        let known = HashSet::from(["svg", "style", "rect", "g", "title", "text", "path", "circle"]);
        prop_assert!(names.is_subset(&known), "{names:?}");
        let row = |title: &str| ListRow { key: title.to_owned(), title: title.to_owned(), status: title.to_owned(), waits_for: vec![title.to_owned()] };
        let html = table::html(&[row(&look.name)], 1);
        let document = Document::parse(&html).unwrap();
        prop_assert_eq!(document.descendants().filter(|node| node.has_tag_name("td")).count(), 4);
        prop_assert_eq!(table::text(&[row(&look.name)], 1).lines().count(), 2);
    }
}

#[test]
fn a_small_graph_as_svg() {
    let network = network("a! b<-a c<-a d<-b,c");
    let said = ItemTexts {
        labels: ["Set up", "Parse", "Write", "Serve"]
            .map(str::to_owned)
            .to_vec(),
        ..ItemTexts::default()
    };
    let look = PictureOptions {
        name: "Plan".to_owned(),
        critical: vec![1, 3],
        focus: vec![2],
        ..PictureOptions::default()
    };
    let picture = svg(&network, &all(&network), &said, &look).unwrap();
    assert_snapshot!(picture.replace("><", ">\n<"));
}

#[test]
fn pictures_do_not_disturb_one_another() {
    let picture = |words: &str| {
        let network = network(words);
        svg(
            &network,
            &all(&network),
            &ItemTexts::default(),
            &PictureOptions::default(),
        )
        .unwrap()
    };
    let (one, other) = (picture("a b<-a"), picture("a b<-a c"));
    assert_eq!(one, picture("a b<-a"));
    let id = |text: &str| {
        Document::parse(text)
            .unwrap()
            .root_element()
            .attribute("id")
            .unwrap()
            .to_owned()
    };
    assert_ne!(id(&one), id(&other));
    // Each rule of a picture's style is about that picture alone.
    let document = Document::parse(&one).unwrap();
    let style = document
        .descendants()
        .find(|node| node.has_tag_name("style"))
        .unwrap();
    for rule in style.text().unwrap().trim_end_matches('}').split('}') {
        let (selector, _) = rule.split_once('{').unwrap();
        // What stands before says on which pages, and chooses nothing.
        let chosen = selector
            .rsplit_once(") ")
            .map_or(selector, |(_, chosen)| chosen);
        assert!(chosen.starts_with(&format!("#{}", id(&one))), "{rule}");
    }
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert_eq!(
        root.attribute("aria-label"),
        Some("Graph: 2 items; 1 ready, 1 open")
    );
    for word in [
        "href", "url(", "<script", "@import", "http://www.w3.org/1999",
    ] {
        assert!(!one.contains(word), "{word}");
    }
}

#[test]
fn each_state_has_its_own_drawing_and_a_line_in_the_legend() {
    let words = [
        "done", "reviewed", "active", "ready", "planned", "open", "blocked", "failed", "cancelled",
        "elsewhere",
    ];
    let drawings: HashSet<String> = words
        .iter()
        .map(|word| {
            let network = network("a");
            let said = ItemTexts {
                states: vec![(*word).to_owned()],
                ..ItemTexts::default()
            };
            let look = PictureOptions {
                theme: ColorTheme::Light,
                ..PictureOptions::default()
            };
            let picture = svg(&network, &[0], &said, &look).unwrap();
            let document = Document::parse(&picture).unwrap();
            // Shapes alone: which elements there are, and where their lines lead.
            let shapes = document
                .descendants()
                .filter(roxmltree::Node::is_element)
                .map(|node| {
                    let told = ["d", "r", "rx", "stroke-dasharray", "stroke-width"]
                        .map(|name| node.attribute(name).unwrap_or_default());
                    format!("{} {}", node.tag_name().name(), told.join(" "))
                });
            shapes.collect::<Vec<_>>().join("\n")
        })
        .collect();
    assert_eq!(drawings.len(), words.len());
}

#[test]
fn a_graph_for_mermaid_and_dot() {
    let network = network("a! b<-a c<-b d<-c e");
    let said = ItemTexts {
        labels: vec!["Say \"hi\"".to_owned(), "d".to_owned()],
        states: vec!["failed".to_owned(), "blocked".to_owned()],
        ..ItemTexts::default()
    };
    assert_snapshot!(mermaid(&network, &[1, 3], &said).unwrap(), @r#"
    flowchart TD
      n0["✗ b<br/>Say #34;hi#34;"]:::failed
      n1["⊘ d"]:::blocked
      n2["… #43;1 more (1#41;"]:::more
      n3["… #43;1 more (2#41;"]:::more
      n4["… #43;1 more (3#41;"]:::more
      n0 -.-> n1
      n2 --> n0
      n3 --> n1
      classDef blocked fill:#f5b5b5,stroke:#555,color:#000
      classDef failed fill:#ff9d9d,stroke:#555,color:#000
      classDef more fill:#eeeeee,stroke:#555,color:#000
    "#);
    assert_snapshot!(dot(&network, &[1, 3], &said).unwrap(), @r##"
    digraph {
      node [shape=box, style="rounded,filled", fontname="sans-serif"]
      "b" [label="✗ b\nSay \"hi\"", tooltip="failed", fillcolor="#ff9d9d"]
      "d" [label="⊘ d", tooltip="blocked", fillcolor="#f5b5b5"]
      "+1 more (1)" [label="… +1 more (1)", tooltip="more", fillcolor="#eeeeee"]
      "+1 more (2)" [label="… +1 more (2)", tooltip="more", fillcolor="#eeeeee"]
      "+1 more (3)" [label="… +1 more (3)", tooltip="more", fillcolor="#eeeeee"]
      "b" -> "d" [style=dashed]
      "+1 more (1)" -> "b"
      "+1 more (2)" -> "d"
    }
    "##);
}

#[test]
fn what_does_not_fit_the_items_is_refused() {
    let network = network("a b<-a");
    let refused = |items: &[u32], said: &ItemTexts| {
        svg(&network, items, said, &PictureOptions::default())
            .unwrap_err()
            .to_string()
    };
    let labels = ItemTexts {
        labels: vec!["A".to_owned()],
        ..ItemTexts::default()
    };
    assert_snapshot!(refused(&[0, 1], &labels), @"`labels` is 1 long for 2 items, expected none, or one for each item");
    let states = ItemTexts {
        states: vec!["finished".to_owned()],
        ..ItemTexts::default()
    };
    assert_snapshot!(refused(&[0], &states), @"`states` is finished, expected `done`, `reviewed`, `active`, `ready`, `planned`, `open`, `blocked`, `failed`, `cancelled` or `elsewhere`");
    let heat = ItemTexts {
        heat: vec![Some(f64::NAN)],
        ..ItemTexts::default()
    };
    assert_snapshot!(refused(&[0], &heat), @"`heat` is NaN, expected numbers from 0 to 1");
    assert_snapshot!(refused(&[0, 0], &ItemTexts::default()), @"`items` is `a` twice, expected each item once");
    assert_snapshot!(refused(&[7], &ItemTexts::default()), @"No item has the number 7");
    assert_snapshot!(ColorTheme::named("blue").unwrap_err().to_string(), @"`theme` is blue, expected `auto`, `light` or `dark`");
    let many: Vec<u32> = (0..501).collect();
    assert_snapshot!(refused(&many, &ItemTexts::default()), @"`items` is 501 items, expected at most 500 for a picture; `clip` chooses them");
}

#[test]
fn of_a_graph_of_a_hundred_thousand_a_few_are_shown() {
    let keys = (0..100_000).map(|item| item.to_string()).collect();
    let done = (0..100_000).map(|item| state(item < 500)).collect();
    let edges: Vec<(u32, u32)> = (1..100_000)
        .flat_map(|item| [(item / 2, item), (item / 3, item)])
        .collect();
    let network = Network::new(keys, done, &edges).unwrap();
    let clip = ClipOptions {
        limit: 40,
        focus: &[],
        depth: None,
        first: &[],
    };
    let shown = clip::clip(&network, &clip).unwrap();
    assert_eq!(shown.len(), 40);
    let picture = svg(
        &network,
        &shown,
        &ItemTexts::default(),
        &PictureOptions::default(),
    )
    .unwrap();
    assert!(
        picture.contains("aria-label=\"Graph: 40 of 100,000 items; "),
        "{}",
        &picture[..300]
    );
    let focus = ClipOptions {
        focus: &[77_777],
        depth: Some(2),
        ..clip
    };
    let shown = clip::clip(&network, &focus).unwrap();
    assert!(shown.contains(&77_777) && shown.len() > 2);
}

#[test]
fn of_a_large_loop_a_few_are_shown() {
    // Against the order of making, which is the worst for who goes through items in it.
    let count = 50_000;
    let keys = (0..count).map(|item| item.to_string()).collect();
    let edges: Vec<(u32, u32)> = (0..count).map(|item| ((item + 1) % count, item)).collect();
    let network = Network::new(keys, vec![ItemProgress::Open; count as usize], &edges).unwrap();
    let scene = PictureScene::new(&network, &[0, 40_000]);
    let indirect = scene.arrows.iter().filter(|arrow| arrow.is_indirect);
    let ends: Vec<_> = indirect.map(|arrow| (arrow.from, arrow.to)).collect();
    assert_eq!(ends, [(1, 0), (0, 1)]);
    let others = [SceneShape::Earlier(39_999), SceneShape::Earlier(9_999)];
    assert_eq!(scene.shapes[2..], others);
}

#[test]
fn a_list_as_a_table() {
    let row = |key: &str, title: &str, waits_for: &[&str]| ListRow {
        key: key.to_owned(),
        title: title.to_owned(),
        status: "pending".to_owned(),
        waits_for: waits_for.iter().map(|key| (*key).to_owned()).collect(),
    };
    let rows = [
        row("001", "Add <b>login</b> form", &[]),
        row(
            "002",
            "依存関係",
            &["001", "a", "b", "c", "d", "e", "f", "g"],
        ),
    ];
    assert_snapshot!(table::text(&rows, 1252), @"
    Key  Title                  Status   Waits for
    001  Add <b>login</b> form  pending
    002  依存関係               pending  001, a, b, c, d, e and 2 more
    1,250 more
    ");
    assert_snapshot!(table::html(&rows, 1252).replace("<t", "\n<t"), @r#"
    <table>
    <thead>
    <tr>
    <th style="text-align:left">Key</th>
    <th style="text-align:left">Title</th>
    <th style="text-align:left">Status</th>
    <th style="text-align:left">Waits for</th></tr></thead>
    <tbody>
    <tr>
    <td style="text-align:left"><code>001</code></td>
    <td style="text-align:left"><bdi>Add &lt;b&gt;login&lt;/b&gt; form</bdi></td>
    <td style="text-align:left">pending</td>
    <td style="text-align:left"></td></tr>
    <tr>
    <td style="text-align:left"><code>002</code></td>
    <td style="text-align:left"><bdi>依存関係</bdi></td>
    <td style="text-align:left">pending</td>
    <td style="text-align:left">001, a, b, c, d, e and 2 more</td></tr></tbody>
    <tfoot>
    <tr>
    <td colspan="4" style="text-align:left">1,250 more</td></tr></tfoot></table>
    "#);
    let many = vec![row("k", "", &[]); 60];
    assert_eq!(table::html(&many, 60).matches("<tr>").count(), 52);
    assert!(table::text(&many, 60).ends_with("\n10 more\n"));
}
