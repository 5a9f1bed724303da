//! What a board asks of a workspace: columns, their cards, what stands around an item, and whether
//! anything changed.

use chant_base::answer::{Answer, PageRequest};
use chant_workspace::board::{ItemSearch, board, show_neighbors, version};
use chant_workspace::board_view::{BoardFilter, list_column};
use serde_json::{Value, json};

use crate::workspace::{Place, SPEC};

const ALL: ItemSearch<'_> = ItemSearch {
    text: "",
    bodies: false,
};

fn data(answer: &Answer) -> Value {
    serde_json::from_str(&answer.text).unwrap()
}

fn page(limit: usize, offset: usize) -> PageRequest {
    PageRequest { limit, offset }
}

/// Columns of the first dialect, each as state and count.
fn columns(place: &Place, search: ItemSearch<'_>) -> Vec<String> {
    let board = data(&board(&place.workspace, search).unwrap());
    let columns = board["dialects"][0]["columns"].as_array().unwrap();
    let told = |one: &Value| format!("{} {}", one["status"].as_str().unwrap(), one["count"]);
    columns.iter().map(told).collect()
}

fn keys(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["key"].as_str().unwrap()).collect()
}

fn filled() -> Place {
    let place = Place::new();
    place.spec(SPEC, "status: completed\n");
    place.spec(
        "2026-01-22-002-aaa",
        &format!("status: pending\ndepends_on: [{SPEC}]\nlabels: [Über]\n"),
    );
    place.spec(
        "2026-01-22-003-bbb",
        "status: pending\ndepends_on: [2026-01-22-002-aaa]\n",
    );
    place.spec("2026-01-22-004-ccc", "status: cancelled\n");
    place
}

#[test]
fn columns_stand_in_the_order_of_states_with_those_done_last() {
    let place = filled();
    assert_eq!(
        columns(&place, ALL),
        ["pending 1", "blocked 1", "completed 1"]
    );
    let all = data(&board(&place.workspace, ALL).unwrap());
    assert_eq!(all["dialects"][0]["total"], json!(3), "without cancelled");
    assert_eq!(all["dialects"][0]["done"], json!(1));
}

#[test]
fn every_word_has_to_be_found_somewhere_in_any_case() {
    let place = filled();
    let search = |text, bodies| columns(&place, ItemSearch { text, bodies });
    assert_eq!(
        search("üBER 002", false),
        ["pending 1", "blocked 0", "completed 0"]
    );
    assert_eq!(
        search("über 003", false),
        ["pending 0", "blocked 0", "completed 0"]
    );
    place.write(
        ".chant/specs/2026-01-22-003-bbb.md",
        "---\nstatus: pending\n---\n\n# Third\n\nSomewhere DEEP.\n",
    );
    assert_eq!(search("deep", false), ["pending 0", "completed 0"]);
    assert_eq!(search("deep", true), ["pending 1", "completed 0"]);
}

#[test]
fn cards_come_in_pages() {
    let place = Place::new();
    for number in 0..5 {
        place.spec(&format!("2026-01-22-00{number}-aaa"), "status: pending\n");
    }
    let ask = |limit, offset| {
        let page = page(limit, offset);
        data(&list_column(&place.workspace, "can_begin", page, &BoardFilter::default()).unwrap())
    };
    let first = ask(3, 0);
    assert_eq!(
        (&first["total"], &first["next_offset"]),
        (&json!(5), &json!(3))
    );
    let last = ask(3, 3);
    assert_eq!(
        keys(&last["items"]),
        ["chant:2026-01-22-003-aaa", "chant:2026-01-22-004-aaa"]
    );
    assert_eq!(last.get("next_offset"), None);
}

#[test]
fn around_an_item_stands_what_it_waits_for_and_what_waits_for_it() {
    let place = filled();
    let middle = data(&show_neighbors(&place.workspace, "002").unwrap());
    assert_eq!(keys(&middle["waits_for"]), [format!("chant:{SPEC}")]);
    assert_eq!(keys(&middle["needed_by"]), ["chant:2026-01-22-003-bbb"]);
    let first = data(&show_neighbors(&place.workspace, SPEC).unwrap());
    assert_eq!(
        keys(&first["needed_by"]),
        ["chant:2026-01-22-002-aaa", "chant:2026-01-22-003-bbb"]
    );
    assert_eq!(first["needed_by"][1]["depth"], json!(2));
}

#[test]
fn a_loop_ends_and_what_is_far_is_left_out_and_told() {
    let place = Place::new();
    place.spec("2026-01-22-001-aaa", "depends_on: [2026-01-22-002-bbb]\n");
    place.spec("2026-01-22-002-bbb", "depends_on: [2026-01-22-001-aaa]\n");
    for number in 3..300 {
        let id = format!("2026-01-22-{number:03}-ccc");
        place.spec(&id, "depends_on: [2026-01-22-001-aaa]\n");
    }
    let answer = data(&show_neighbors(&place.workspace, "2026-01-22-001-aaa").unwrap());
    assert_eq!(answer["waits_for_more"], json!(false));
    assert_eq!(answer["needed_by_more"], json!(true));
    assert!(answer["needed_by"].as_array().unwrap().len() <= 202);
}

#[test]
fn the_version_is_another_after_a_change_and_the_same_without_one() {
    let place = filled();
    let before = version(&place.workspace).unwrap();
    assert_eq!(version(&place.workspace).unwrap(), before);
    place.spec("2026-01-22-003-bbb", "status: in_progress\n");
    assert_ne!(version(&place.workspace).unwrap(), before);
}
