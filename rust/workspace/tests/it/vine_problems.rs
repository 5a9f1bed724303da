//! What is wrong with a text, each thing with the place that it is about.

use chant_base::error::CoreError;
use chant_vine::document::VineDocument;

/// Every problem of a text as `line:column+length constraint`, the piece it is about behind it.
fn problems(text: &str) -> Vec<String> {
    let error = VineDocument::read(text.to_owned()).unwrap_err();
    let details = error.details();
    let problems = details["problems"].as_array().unwrap();
    let told = problems.iter().map(|problem| {
        let number = |key: &str| problem[key].as_u64().unwrap();
        let source = problem["source"].as_str().unwrap().chars();
        let piece = source.skip(usize::try_from(number("column")).unwrap() - 1);
        let piece: String = piece
            .take(usize::try_from(number("length")).unwrap())
            .collect();
        format!(
            "{}:{}+{} {} {piece}",
            number("line"),
            number("column"),
            number("length"),
            problem["constraint"].as_str().unwrap()
        )
    });
    told.collect()
}

#[test]
fn every_violation_is_told_with_its_place() {
    let text = "vine 1.2.0\n---\n[a] A (complete)\n-> zz\n->   b \n-> zz\n---\n\n  [b] B (complete)\n\
                -> c\n---\n[c] C (complete)\n-> b\n---\nref [d/e] D (./d.vine)\n-> d/e\n";
    assert_eq!(
        problems(text),
        [
            "4:4+2 valid-dependency-refs zz",
            "6:4+2 valid-dependency-refs zz",
            "10:4+1 no-cycles c",
            "16:4+3 no-cycles d/e",
            "15:6+3 no-islands d/e",
        ]
    );
    let details = VineDocument::read(text.to_owned()).unwrap_err().details();
    assert_eq!(
        details["missingDep"], "zz",
        "the first one's values stay where they were"
    );
    let told = &details["problems"][2]["message"];
    assert_eq!(told, "Cycle detected: b → c → b.");
}

#[test]
fn places_are_counted_in_characters_whatever_the_line_ends_are() {
    let text = "\u{FEFF}vine 1.2.0\r\n---\r\n[a] Ä (complete)\r\n-> \u{3000}nö\u{3000}\r\n-> \r\n";
    assert_eq!(
        problems(text),
        [
            "4:5+2 valid-dependency-refs nö",
            "5:4+1 valid-dependency-refs "
        ]
    );
}

#[test]
fn a_parse_error_is_the_one_problem_of_its_text() {
    let header = "vine 1.2.0\n---\n";
    for (text, expected) in [
        (String::new(), "1:1+1 parse "),
        ("vine 2\n".into(), "1:1+6 parse vine 2"),
        (header.into(), "3:1+1 parse "),
        (format!("{header}---\n"), "3:1+1 parse -"),
        (
            format!("{header}  [a] A (done) \n"),
            "3:3+12 parse [a] A (done)",
        ),
        (
            format!("{header}[ä] Ä (complete)\n"),
            "3:1+16 parse [ä] Ä (complete)",
        ),
        (
            format!("{header}ref [a] A (u)\n@file a/b c\n"),
            "4:1+11 parse @file a/b c",
        ),
        (
            "vine 1.2.0\ndelimiter: \n---\n[a] A (complete)\n".into(),
            "2:11+1 parse  ",
        ),
    ] {
        assert_eq!(problems(&text), [expected], "{text:?}");
    }
}

#[test]
fn a_loop_is_told_for_each_knot() {
    let text = "vine 1.2.0\n---\n[r] R (complete)\n-> z\n-> a\n---\n[z] Z (complete)\n-> y\n---\n\
                [y] Y (complete)\n-> z\n---\n[a] A (complete)\n-> b\n---\n[b] B (complete)\n-> a\n";
    let error = VineDocument::read(text.to_owned()).unwrap_err().to_string();
    assert_eq!(
        error,
        "Validation error [no-cycles]: Cycle detected: z → y → z.\n\
         Details: {\"constraint\":\"no-cycles\",\"cycle\":[\"z\",\"y\"]}\n\
         At line 8.\n\
         Also [no-cycles]: Cycle detected: a → b → a. (line 14)"
    );
}

#[test]
fn thousands_of_problems_of_one_task_are_placed_in_one_pass() {
    let mut text = String::from("vine 1.2.0\n---\n[a] A (complete)\n");
    for number in 0..20_000 {
        text.push_str(&format!("-> missing-{number}\n"));
    }
    let problems = problems(&text);
    assert_eq!(problems.len(), 20_000);
    assert!(
        problems[19_999].starts_with("20003:4+13 "),
        "{}",
        problems[19_999]
    );
}
