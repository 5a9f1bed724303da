//! Prompts: chosen, extended, filled in once.

use chant_specs::project::prompts::is_name;
use std::collections::BTreeMap;
use std::sync::Arc;

use chant_spec_runs::prompt::{
    PromptError, PromptParts, PromptWorktree, assemble_prompt, choose_prompt,
};
use chant_specs::model::Spec;
use chant_specs::parse;
use chant_store::index::FileSource;

fn spec(text: &str) -> Arc<Spec> {
    parse::document(".chant/specs/s-1.md", FileSource::Text(text.into())).unwrap()
}

const SPEC: &str = "---\ntarget_files: [a.rs, b.rs]\ncontext: [notes.md, gone.md]\n---\n# Title {{spec.id}}\n\nBody with {{project.name}}.\n";

/// Puts a prompt together from texts by name; files of the project stand beside them.
fn with(
    texts: &[(&str, &str)],
    spec: &Spec,
    extensions: &[&str],
    worktree: Option<PromptWorktree<'_>>,
) -> Result<String, PromptError> {
    let texts: BTreeMap<&str, &str> = texts.iter().copied().collect();
    let extensions: Vec<String> = extensions.iter().map(|name| (*name).to_owned()).collect();
    assemble_prompt(&PromptParts {
        name: "main",
        spec,
        project: "demo",
        worktree,
        extensions: &extensions,
        prompt: &|name| Ok(texts.get(name).map(|text| (*text).to_owned())),
        file: &|path| {
            let text = texts.get(path).map(|text| (*text).to_owned());
            text.ok_or_else(|| "no such file".to_owned())
        },
    })
}

/// A prompt that says itself that work is committed, so that nothing is put behind it.
fn filled(template: &str, spec_text: &str) -> String {
    let template = format!("{template}\n\nCommit your work.\n");
    let text = with(
        &[("main", &template), ("notes.md", "{{spec.id}}\n")],
        &spec(spec_text),
        &[],
        None,
    );
    let text = text.unwrap();
    let (text, _) = text.split_once("\n\nCommit your work.\n").unwrap();
    text.to_owned()
}

/// Reference chant 6.4.
#[test]
fn every_placeholder_has_its_value() {
    let check = |template: &str, expected: &str| assert_eq!(filled(template, SPEC), expected);
    check("{{project.name}} {{ spec.id }}", "demo s-1");
    check("{{spec.path}}", ".chant/specs/s-1.md");
    check("{{spec.title}}", "Title {{spec.id}}");
    check(
        "{{spec.description}}",
        "~~~~\n# Title {{spec.id}}\n\nBody with {{project.name}}.\n~~~~",
    );
    check("{{spec.target_files}}", "a.rs\nb.rs");
    check(
        "{{worktree.isolated}}|{{worktree.path}}|{{worktree.branch}}",
        "false||",
    );
    let whole = "~~~~\nSpec ID: s-1\n\n# Title {{spec.id}}\n\nBody with {{project.name}}.\n\n## Target Files\n\n- a.rs\n- b.rs\n~~~~";
    check("{{spec}}", whole);
    assert_eq!(
        filled("{{spec.title}}{{spec.target_files}}{{spec}}", "text\n"),
        "(untitled)\n~~~~\nSpec ID: s-1\n\ntext\n~~~~"
    );
}

#[test]
fn what_is_put_in_is_never_looked_at_again_and_unknown_ones_stay() {
    let expected =
        "--- notes.md ---\n~~~~\n{{spec.id}}\n~~~~\n\n--- gone.md (not shown: no such file) ---";
    assert_eq!(filled("{{spec.context}}", SPEC), expected);
    let unknown = "{{spec.unknown}} {{> parent}} {{ }} {spec.id} {{spec.id";
    assert_eq!(filled(unknown, SPEC), unknown);
}

#[test]
fn a_prompt_extends_another_at_the_place_it_says() {
    let texts = [
        (
            "main",
            "---\nname: main\nextends: middle\n---\nbefore\n{{> parent}}\nafter {{spec.id}}\n",
        ),
        ("middle", "---\nextends: base\n---\n\n[{{> parent}}]\n"),
        (
            "base",
            "---\npurpose: all\n---\nbase {{spec.id}} $1, commit your work\n",
        ),
    ];
    let text = with(&texts, &spec("x\n"), &[], None);
    assert_eq!(
        text,
        Ok("before\n[base s-1 $1, commit your work]\nafter s-1\n".into())
    );
    let texts = [
        ("main", "---\nextends: base\n---\nalone, commit your work\n"),
        texts[2],
    ];
    let text = with(&texts, &spec("x\n"), &[], None);
    assert_eq!(text, Ok("alone, commit your work\n".into()));
}

#[test]
fn circles_and_missing_texts_are_told() {
    let check = |texts: &[(&str, &str)], extensions: &[&str], expected: &str| {
        let error = with(texts, &spec("x\n"), extensions, None).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(error.details().is_object());
    };
    let circle = [
        ("main", "---\nextends: a\n---\n"),
        ("a", "---\nextends: b\n---\n"),
        ("b", "---\nextends: a\n---\n"),
    ];
    check(
        &circle,
        &[],
        "Circular prompt inheritance detected: a -> b -> a",
    );
    check(
        &circle[..1],
        &[],
        "Prompt not found: a\nExpected .chant/prompts/a.md, wanted by prompt 'main'",
    );
    check(
        &[],
        &[],
        "Prompt not found: main\nExpected .chant/prompts/main.md",
    );
    let missing = "Prompt not found: extensions/rust\nExpected .chant/prompts/extensions/rust.md";
    check(&[("main", "")], &["rust"], missing);
    let outside =
        "Prompt not found: ../x\nExpected .chant/prompts/../x.md, wanted by prompt 'main'";
    check(
        &[("main", "---\nextends: ../x\n---\n"), ("../x", "secret")],
        &[],
        outside,
    );
    let unclosed = with(&[("main", "---\nextends: a\n")], &spec("x\n"), &[], None).unwrap_err();
    assert!(
        matches!(unclosed, PromptError::Unreadable { .. }),
        "{unclosed}"
    );
}

#[test]
fn names_never_lead_out_of_the_folder() {
    assert!(is_name("standard") && is_name("extensions/rust"));
    for name in [
        "", "/etc/x", "../x", "a/../b", "a\\b", ".hidden", "a//b", "a\0",
    ] {
        assert!(!is_name(name), "{name:?}");
    }
}

#[test]
fn what_every_run_has_to_say_comes_behind_in_order() {
    let place = PromptWorktree {
        path: "/trees/s-1",
        branch: "chant/s-1",
    };
    let spec_text = "---\noutput_schema: s.json\n---\nx\n";
    let texts = [
        ("main", "Do {{spec.id}}.\n"),
        (
            "extensions/rust",
            "---\nname: rust\n---\nRust for {{spec.id}}.\n",
        ),
        ("s.json", "{\"type\": \"object\"}"),
    ];
    let text = with(&texts, &spec(spec_text), &["rust"], Some(place)).unwrap();
    let at = |piece: &str| {
        text.find(piece)
            .unwrap_or_else(|| panic!("{piece} in {text}"))
    };
    let order = [
        "Do s-1.\n\n## Execution Environment",
        "`/trees/s-1`",
        "`chant/s-1`",
        "## Output Format",
        "## Commit",
        "chant(s-1): ",
        "\n\nRust for s-1.\n",
    ];
    assert!(order.map(at).is_sorted(), "{text}");
    let quiet = with(
        &[
            ("main", "x"),
            ("extensions/rust", "You\nCommit  your work."),
        ],
        &spec("x\n"),
        &["rust"],
        None,
    );
    assert_eq!(quiet, Ok("x\n\nYou\nCommit  your work.\n".into()));
    // A spec's words do not stand for the prompt's.
    let spoken = with(
        &[("main", "{{spec}}")],
        &spec("commit your work\n"),
        &[],
        None,
    )
    .unwrap();
    assert!(spoken.contains("## Commit"));
}

#[test]
fn the_schema_of_the_output_is_shown_with_what_it_requires_and_an_example() {
    let schema = r##"{"type": "object", "required": ["name", "parts"], "properties": {
        "name": {"type": "string"}, "kind": {"enum": ["one", "two"]}, "count": {"type": "integer", "minimum": 3},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}}}, "$defs": {"part": {"type": "boolean"}}}"##;
    let text = |schema: &str| {
        let texts = [("main", "commit your work"), ("s.json", schema)];
        with(
            &texts,
            &spec("---\noutput_schema: s.json\n---\nx\n"),
            &[],
            None,
        )
    };
    let found = text(schema).unwrap();
    assert!(found.contains(schema) && found.contains("Required fields: `name`, `parts`."));
    let example = found
        .rsplit("```json\n")
        .next()
        .unwrap()
        .strip_suffix("\n```\n")
        .unwrap();
    let example: serde_json::Value = serde_json::from_str(example).unwrap();
    let expected = serde_json::json!({"name": "...", "kind": "one", "count": 3, "parts": [true]});
    assert_eq!(example, expected);
    // An example that would not fit is left out.
    let strict = r#"{"type": "object", "required": ["x"], "properties": {"x": {"type": "string", "pattern": "^a```b$"}}}"#;
    let found = text(strict).unwrap();
    assert!(
        !found.contains("example") && found.contains("````json\n"),
        "{found}"
    );
    let recursive = r##"{"$ref": "#"}"##;
    assert!(text(recursive).is_ok());
    let error = text("{").unwrap_err().to_string();
    assert!(
        error.starts_with("Output schema 's.json' cannot be used: it is no JSON"),
        "{error}"
    );
    assert!(text("{\"type\": 7}").is_err());
}

#[test]
fn prompts_are_chosen_by_request_spec_type_and_default() {
    let documentation = spec("---\ntype: documentation\n---\n");
    let named = spec("---\ntype: documentation\nprompt: own\n---\n");
    let (all, none) = (|_: &str| true, |_: &str| false);
    assert_eq!(
        choose_prompt(Some("asked"), &named, "standard", &all),
        "asked"
    );
    assert_eq!(choose_prompt(None, &named, "standard", &all), "own");
    assert_eq!(
        choose_prompt(None, &documentation, "standard", &all),
        "documentation"
    );
    assert_eq!(
        choose_prompt(None, &documentation, "standard", &none),
        "standard"
    );
    assert_eq!(
        choose_prompt(None, &spec("x\n"), "careful", &all),
        "careful"
    );
}
