//! Laws of writing VINE graphs: what is not changed stays, what is changed says what was meant, and a
//! text is read in parts as it is read whole.

use chant_base::external_items::ExternalStatus;
use chant_vine::apply::apply;
use chant_vine::document::VineDocument;
use chant_vine::error::VineError;
use chant_vine::model::TaskStatus;
use chant_vine::operation::operations;
use chant_vine::parse;
use chant_vine::write::render_canonical;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::vine_write::edited;

/// A valid text of random blocks, all of which the root depends on.
fn texts() -> impl Strategy<Value = String> {
    let lines = prop::sample::select(vec![
        "", " ", "> decided", "> other", "words", "  more", "-> z", "->b", "### no heading", "@x y",
    ]);
    let blocks = prop::collection::vec(
        (
            prop::sample::select(vec![
                "complete", "started", "planning", "notstarted", "reviewing", "blocked", "ref",
            ]),
            prop::collection::vec(lines, 0..5),
            prop::sample::select(vec![
                "", " @k(v, w)", " @flag()", " @needs(chant:done)", " @needs(chant:open)",
            ]),
        ),
        0..8,
    );
    let eol = prop::sample::select(vec!["\n", "\r\n"]);
    let more = prop::sample::select(vec!["", "delimiter: ***\n", "owner: me\n"]);
    (blocks, eol, any::<bool>(), more).prop_map(|(blocks, eol, is_ended, more)| {
        let delimiter = if more.starts_with('d') { "***" } else { "---" };
        let mut text = format!("vine 1.2.0\nTITLE:  T\n{more}---\n[r] R (planning)\n-> z\n");
        for at in 0..blocks.len() {
            text.push_str(&format!("-> t{at}\n"));
        }
        for (at, (status, lines, annotations)) in blocks.iter().enumerate() {
            let header = match *status {
                "ref" => format!("ref [t{at}] Ref (./t.vine){annotations}"),
                status => format!("[t{at}] Task  ({status}){annotations}"),
            };
            text.push_str(&format!("{delimiter}\n{header}\n"));
            for line in lines {
                text.push_str(&format!("{line}\n"));
            }
        }
        text.push_str(&format!("{delimiter}\n[z] Z (complete)"));
        let end = if is_ended { "\n" } else { "" };
        format!("{text}{end}").replace('\n', eol)
    })
}

/// Operations of which some fit and some do not.
fn batches() -> impl Strategy<Value = Vec<Value>> {
    let id = || prop::sample::select(vec!["r", "t0", "t1", "t2", "z", "n", "x y"]);
    let words = prop::sample::select(vec!["New", "two\nlines", "-> z", "***", "", "é ( x"]);
    let status = prop::sample::select(vec!["complete", "started", "reviewing", "blocked", "done"]);
    let operation = (id(), id(), words, status, 0..13_usize).prop_map(|(id, other, text, status, op)| match op {
        0 => json!({"op": "set_status", "id": id, "status": status}),
        1 => json!({"op": "update", "id": id, "name": text, "decisions": [text]}),
        2 => json!({"op": "update", "id": id, "description": text, "addDecisions": [text]}),
        3 => json!({"op": "add_task", "id": id, "name": text, "description": text, "dependsOn": [other]}),
        4 => json!({"op": "add_dep", "taskId": id, "depId": other}),
        5 => json!({"op": "remove_dep", "taskId": id, "depId": other}),
        6 => json!({"op": "remove_task", "id": id}),
        7 => json!({"op": "claim", "id": id, "owner": text}),
        8 => json!({"op": "rename_task", "id": id, "newId": other}),
        9 => json!({"op": "move_task", "id": id, "before": other}),
        10 => json!({"op": "set_meta", "title": text, "delimiter": text}),
        11 => json!({"op": "add_ref", "id": id, "name": text, "vine": "./x.vine", "annotations": {"k": [text]}}),
        _ => json!({"op": "update", "id": id, "annotations": {"a": ["b"]},
                    "attachments": [{"class": "file", "mime": "a/b", "uri": text}]}),
    });
    prop::collection::vec(operation, 1..4)
}

/// A document for which the spec `done` is done and all others are not.
fn aware(document: VineDocument) -> VineDocument {
    let standing = |key: String| ExternalStatus::Found {
        is_done: key == "chant:done",
        status: String::new(),
        place: String::new(),
    };
    let standings: Vec<ExternalStatus> = document.plan.needs().into_iter().map(standing).collect();
    document.with_statuses(&standings).unwrap_or(document)
}

proptest! {
    #[test]
    fn what_is_read_and_not_changed_is_written_as_it_was(text in texts()) {
        prop_assert_eq!(edited(&text, |plan| Ok(plan.graph.clone())).unwrap(), text.clone());
        let graph = parse::graph(&text).unwrap();
        let once = render_canonical(&graph).unwrap();
        let again = render_canonical(&parse::graph(&once).unwrap()).unwrap();
        prop_assert_eq!(once, again);
    }

    /// Whatever a batch does, the text says it, and is read in parts as it is read whole (`edited`
    /// compares); a batch that cannot be carried out gives no text.
    #[test]
    fn a_batch_is_written_as_it_was_meant_or_refused(text in texts(), batch in batches()) {
        if let Ok(operations) = operations(&batch) {
            let written = edited(&text, |plan| apply(plan, &operations).map(|(graph, _)| graph));
            if let Err(error) = written {
                let is_refusal = matches!(
                    error,
                    VineError::Refused { .. } | VineError::Invalid { .. }
                );
                prop_assert!(is_refusal, "{error}");
            }
        }
    }

    /// Change by change, what can be acted on is what the text says.
    #[test]
    fn whose_turn_it_is_does_not_depend_on_what_came_before(
        text in texts(),
        changes in prop::collection::vec(
            (prop::sample::select(vec!["r", "t0", "t1", "t2", "z"]), prop::sample::select(TaskStatus::ALL.to_vec())),
            1..8,
        ),
    ) {
        let mut document = aware(VineDocument::read(text).unwrap());
        for (id, status) in changes {
            let change = json!({"op": "set_status", "id": id, "status": status.as_str()});
            if let Ok((graph, _)) = apply(&document.plan, &operations(&[change]).unwrap()) {
                document = document.changed(document.plan.renewed(graph).unwrap()).unwrap();
                let read = VineDocument::read(document.text.clone()).unwrap();
                prop_assert_eq!(&document.plan.frontier, &read.plan.frontier);
                prop_assert_eq!(document.plan.progress, read.plan.progress);
                document = aware(document);
                prop_assert_eq!(&document.plan.frontier, &aware(read).plan.frontier);
            }
        }
    }

    /// A text that somebody else changed is read in parts as it is read whole.
    #[test]
    fn a_changed_text_is_read_as_if_it_were_new(
        old in texts(), new in texts(), at in any::<prop::sample::Index>(),
        piece in prop::sample::select(vec!["", "\n---\n", "\n[q] Q (planning)\n", "-> z\n", "***", "\r\n", "x"]),
        long in 0..12_usize,
    ) {
        let document = VineDocument::read(old.clone()).unwrap();
        let mut cut = at.index(old.len() + 1);
        while !old.is_char_boundary(cut) { cut -= 1; }
        let end = (cut + long).min(old.len());
        let near = format!("{}{piece}{}", &old[..cut], &old[end..]);
        for text in [new, near] {
            let read = VineDocument::read(text.clone());
            let renewed = document.renewed(text);
            match (read, renewed) {
                (Ok(read), Ok(renewed)) => {
                    prop_assert_eq!(&read.plan.graph, &renewed.plan.graph);
                    prop_assert_eq!(&read.plan.frontier, &renewed.plan.frontier);
                    // Where the blocks stand shows a change of each.
                    let ids: Vec<String> = read.plan.graph.nodes.iter().map(|n| n.id.to_string()).collect();
                    let touch = |of: &VineDocument| {
                        let change = |id| json!({"op": "update", "id": id, "name": "Touched"});
                        let changes: Vec<Value> = ids.iter().map(change).collect();
                        let (graph, _) = apply(&of.plan, &operations(&changes).unwrap()).unwrap();
                        of.changed(of.plan.renewed(graph).unwrap()).map(|d| d.text)
                    };
                    prop_assert_eq!(touch(&read).unwrap(), touch(&renewed).unwrap());
                }
                (Err(read), Err(renewed)) => prop_assert_eq!(read, renewed),
                (read, renewed) => prop_assert!(false, "{:?} / {:?}", read.is_ok(), renewed.is_ok()),
            }
        }
    }
}
