//! Graphs as pictures: texts that no name can break, and trees that show every way once.

use chant_graph::picture::{GraphPicture, LeadDirection, PictureArrow, PictureFigure, StatusColor};
use chant_vine::document::VineDocument;
use chant_vine::picture::picture;
use insta::assert_snapshot;
use proptest::prelude::*;

/// A picture of words like `a>b,c` (a leads to b and c); names are the keys in capitals.
fn drawn(words: &str) -> (Vec<String>, Vec<(usize, usize)>) {
    let heads: Vec<(&str, &str)> = words
        .split_whitespace()
        .map(|word| word.split_once('>').unwrap_or((word, "")))
        .collect();
    let place = |key: &str| heads.iter().position(|(head, _)| *head == key).unwrap();
    let arrows = heads.iter().enumerate().flat_map(|(from, (_, targets))| {
        let targets = targets.split(',').filter(|key| !key.is_empty());
        targets.map(|key| (from, place(key))).collect::<Vec<_>>()
    });
    let arrows = arrows.collect();
    (
        heads.iter().map(|(key, _)| (*key).to_owned()).collect(),
        arrows,
    )
}

fn of<'a>(keys: &'a [String], arrows: &[(usize, usize)]) -> GraphPicture<'a> {
    let figure = |key: &'a String| PictureFigure {
        key,
        name: key,
        state: "open",
        tone: StatusColor::Open,
    };
    let arrow = |(from, to): &(usize, usize)| PictureArrow {
        from: *from,
        to: *to,
        is_indirect: false,
    };
    GraphPicture {
        figures: keys.iter().map(figure).collect(),
        arrows: arrows.iter().map(arrow).collect(),
    }
}

/// The rows of a picture, indented; `^` marks one shown above, `v` one that has a tree of its own below.
fn tree(picture: &GraphPicture<'_>) -> String {
    let rows = picture.rows().into_iter().map(|row| {
        let mark = match row.leads {
            LeadDirection::Here => "",
            LeadDirection::Above => " ^",
            LeadDirection::Below => " v",
        };
        let key = picture.figures[row.figure].key;
        format!("{}{key}{mark}\n", "  ".repeat(row.depth))
    });
    rows.collect()
}

const PLAN: &str = "\
vine 1.2.0
---
[ship] Ship \"the\" release (planning)
-> log
-> docs
-> log
---
[log] Write the changelog (started)
-> freeze
-> tag/v1
---
ref [docs] R&D <manual> (./docs.vine)
-> freeze
---
[freeze] Freeze features, C:\\new (complete)
---
[tag/v1] 1. Tag [it]: #35; (blocked)
-> look
---
[look] Look at it (reviewing)
-> think
---
[think] Think (notstarted)
";

#[test]
fn a_plan_is_drawn_as_a_mermaid_flowchart() {
    let document = VineDocument::read(PLAN.to_owned()).unwrap();
    assert_snapshot!(picture(&document.plan).mermaid(), @r#"
    flowchart TD
      n0["◔ ship<br/>Ship #34;the#34; release"]:::planned
      n1["◑ log<br/>Write the changelog"]:::active
      n2[["↗ docs<br/>R#38;D #60;manual#62;"]]:::elsewhere
      n3["● freeze<br/>Freeze features, C#58;#92;new"]:::done
      n4["⊘ tag/v1<br/>1#46; Tag #91;it#93;#58; #35;35#59;"]:::blocked
      n5["◕ look<br/>Look at it"]:::reviewed
      n6["○ think<br/>Think"]:::open
      n0 --> n1
      n0 --> n2
      n1 --> n3
      n1 --> n4
      n2 --> n3
      n4 --> n5
      n5 --> n6
      classDef done fill:#b7e4c7,stroke:#555,color:#000
      classDef reviewed fill:#d8f3dc,stroke:#555,color:#000
      classDef active fill:#ffe08a,stroke:#555,color:#000
      classDef planned fill:#cfe2ff,stroke:#555,color:#000
      classDef open fill:#f8f9fa,stroke:#555,color:#000
      classDef blocked fill:#f5b5b5,stroke:#555,color:#000
      classDef elsewhere fill:#e2d9f3,stroke:#555,color:#000
    "#);
}

#[test]
fn a_plan_is_drawn_in_the_dot_language() {
    let document = VineDocument::read(PLAN.to_owned()).unwrap();
    assert_snapshot!(picture(&document.plan).dot(), @r##"
    digraph {
      node [shape=box, style="rounded,filled", fontname="sans-serif"]
      "ship" [label="◔ ship\nShip \"the\" release", tooltip="planning", fillcolor="#cfe2ff"]
      "log" [label="◑ log\nWrite the changelog", tooltip="started", fillcolor="#ffe08a"]
      "docs" [label="↗ docs\nR&amp;D <manual>", tooltip="ref", fillcolor="#e2d9f3", shape=folder, style=filled]
      "freeze" [label="● freeze\nFreeze features, C:\\new", tooltip="complete", fillcolor="#b7e4c7"]
      "tag/v1" [label="⊘ tag/v1\n1. Tag [it]: #35;", tooltip="blocked", fillcolor="#f5b5b5"]
      "look" [label="◕ look\nLook at it", tooltip="reviewing", fillcolor="#d8f3dc"]
      "think" [label="○ think\nThink", tooltip="notstarted", fillcolor="#f8f9fa"]
      "ship" -> "log"
      "ship" -> "docs"
      "log" -> "freeze"
      "log" -> "tag/v1"
      "docs" -> "freeze"
      "tag/v1" -> "look"
      "look" -> "think"
    }
    "##);
}

#[test]
fn a_tree_shows_what_a_figure_leads_to_once() {
    let check = |words: &str| {
        let (keys, arrows) = drawn(words);
        tree(&of(&keys, &arrows))
    };
    assert_snapshot!(check("r>a,b a>c b>c,d c>d d"), @"
    r
      a
        c
          d
      b
        c ^
        d ^
    ");
    assert_snapshot!(check("x y>x z>x"), @"
    y
      x
    z
      x ^
    ");
    assert_snapshot!(check("r a>b b>c c>a"), @"
    r
    a
      b
        c
          a ^
    ");
}

#[test]
fn a_deep_tree_goes_on_in_another_one() {
    let words: Vec<String> = (0..25).map(|n| format!("t{n}>t{}", n + 1)).collect();
    let (keys, arrows) = drawn(&format!("{} t25 s>t12", words.join(" ")));
    let picture = of(&keys, &arrows);
    assert_snapshot!(tree(&picture), @"
    t0
      t1
        t2
          t3
            t4
              t5
                t6
                  t7
                    t8
                      t9 v
    t9
      t10
        t11
          t12
            t13
              t14
                t15
                  t16
                    t17
                      t18 v
    t18
      t19
        t20
          t21
            t22
              t23
                t24
                  t25
    s
      t12 ^
    ");
    let deepest = picture.rows().iter().map(|row| row.depth).max();
    assert_eq!(deepest, Some(9));
}

#[test]
fn where_a_way_leads_over_what_is_left_out_an_indirect_arrow_stands() {
    let (keys, arrows) = drawn("r>h,b h>a,i i>b,c a>c b c>h");
    let picture = of(&keys, &arrows);
    let shown: Vec<bool> = keys
        .iter()
        .map(|key| !matches!(&**key, "h" | "i"))
        .collect();
    let some = picture.only(&shown);
    let told = some.arrows.iter().map(|arrow| {
        let line = if arrow.is_indirect { "-.->" } else { "-->" };
        let key = |at: usize| some.figures[at].key;
        format!("{} {line} {}\n", key(arrow.from), key(arrow.to))
    });
    assert_snapshot!(told.collect::<String>(), @"
    r --> b
    r -.-> a
    r -.-> c
    a --> c
    c -.-> a
    c -.-> b
    c -.-> c
    ");
    assert!(some.mermaid().contains("  n0 -.-> n1\n"));
    assert!(some.dot().contains("  \"r\" -> \"a\" [style=dashed]\n"));
    assert_eq!(picture.only(&[true; 6]), picture);
    assert_eq!(picture.only(&[]).mermaid(), "flowchart TD\n");
}

#[test]
fn a_chain_of_a_hundred_thousand_is_drawn() {
    let keys: Vec<String> = (0..100_000).map(|n| n.to_string()).collect();
    let arrows: Vec<(usize, usize)> = (1..100_000).map(|n| (n - 1, n)).collect();
    let picture = of(&keys, &arrows);
    // Each of the trees but the last shows the top of the next one, too.
    assert_eq!(picture.rows().len(), 100_000 + 99_998 / 9);
    let odd: Vec<bool> = (0..100_000).map(|n| n % 2 == 1).collect();
    assert_eq!(picture.only(&odd).arrows.len(), 49_999);
    assert_eq!(picture.dot().lines().count(), 200_002);
}

/// What a text shows of a name.
fn seen(name: &str) -> String {
    let steers =
        |c: char| c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    name.chars()
        .map(|c| if steers(c) { '\u{FFFD}' } else { c })
        .collect()
}

/// A Mermaid label with its numbered entities read.
fn read_entities(label: &str) -> String {
    let mut read = String::new();
    let mut rest = label;
    while let Some((before, after)) = rest.split_once('#') {
        let (number, after) = after.split_once(';').unwrap();
        read.push_str(before);
        read.push(char::from_u32(number.parse().unwrap()).unwrap());
        rest = after;
    }
    read + rest
}

/// The quoted strings of a DOT line with their escapes read, and the line without them.
fn read_strings(line: &str) -> (Vec<String>, String) {
    let (mut strings, mut rest) = (Vec::new(), String::new());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '"' {
            rest.push(c);
            continue;
        }
        let mut string = String::new();
        loop {
            match chars.next().unwrap() {
                '"' => break,
                '\\' => match chars.next().unwrap() {
                    'n' => string.push('\n'),
                    c @ ('"' | '\\') => string.push(c),
                    other => string.extend(['\\', other]),
                },
                c => string.push(c),
            }
        }
        rest.push('_');
        strings.push(string);
    }
    (strings, rest)
}

/// Texts made of what means something in one of the languages, and of any characters.
fn names() -> impl Strategy<Value = String> {
    let fragments = proptest::sample::select(vec![
        "\"", "\\", "\\n", "]", "[[", "%%", "%%{init: {}}%%", "style x:", "classDef", "#35;",
        "#quot;", "&amp;", "&", "<b>", "</script>", "`", "--> n0", "-.->", ";", ":::", "fa:fa-bug",
        "1. ", "1) ", "- ", "* ", "www.a.b", "http://a.b", "$$x$$", "@{ shape: x }", "end", "\r",
        "\t", "\u{0}", "\u{1b}[31m", "\u{202e}", "\u{2028}", "ﬂ°°34¶ß", "é", "名", "😀", " ", "a",
        "digraph {", "\\G",
    ]);
    let piece = prop_oneof![
        fragments.prop_map(str::to_owned),
        any::<char>().prop_map(String::from)
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_name_breaks_a_mermaid_text(key in names(), name in names()) {
        let figure = PictureFigure { key: &key, name: &name, state: "open", tone: StatusColor::Open };
        let picture = GraphPicture { figures: vec![figure], arrows: Vec::new() };
        let text = picture.mermaid();
        let lines: Vec<&str> = text.split('\n').collect();
        prop_assert_eq!(lines.len(), 4, "{}", text);
        let label = lines[1].strip_prefix("  n0[\"○ ").unwrap().strip_suffix("\"]:::open").unwrap();
        prop_assert_eq!(label.contains("<br/>"), !name.is_empty());
        let (shown_key, shown_name) = label.split_once("<br/>").unwrap_or((label, ""));
        prop_assert_eq!(read_entities(shown_key), seen(&key));
        prop_assert_eq!(read_entities(shown_name), seen(&name));
        let harmless = |c: char| c.is_alphanumeric() || " ,'/!?()-#;".contains(c);
        prop_assert!(shown_key.chars().chain(shown_name.chars()).all(harmless), "{}", label);
        let is_mark = |c: char| "-)#".contains(c);
        prop_assert!(!shown_name.starts_with(is_mark) || shown_name.starts_with('#'), "{}", label);
        prop_assert!(!shown_name.contains("1)") && !shown_name.contains(" - "), "{}", label);
    }

    #[test]
    fn no_name_breaks_a_dot_text(key in names(), name in names()) {
        let figure = PictureFigure { key: &key, name: &name, state: &name, tone: StatusColor::Open };
        let arrow = PictureArrow { from: 0, to: 0, is_indirect: false };
        let picture = GraphPicture { figures: vec![figure], arrows: vec![arrow] };
        let text = picture.dot();
        let lines: Vec<&str> = text.split('\n').collect();
        prop_assert_eq!(lines.len(), 6, "{}", text);
        let (strings, rest) = read_strings(lines[2]);
        prop_assert_eq!(rest, "  _ [label=_, tooltip=_, fillcolor=_]");
        let with_entities = |text: &str| seen(text).replace('&', "&amp;");
        prop_assert_eq!(&strings[0], &seen(&key));
        let line = if name.is_empty() { "" } else { "\n" };
        prop_assert_eq!(&strings[1], &format!("○ {}{line}{}", with_entities(&key), with_entities(&name)));
        prop_assert_eq!(&strings[2], &with_entities(&name));
        let (strings, rest) = read_strings(lines[3]);
        prop_assert_eq!(rest, "  _ -> _");
        prop_assert_eq!(strings, [seen(&key), seen(&key)]);
    }
}
