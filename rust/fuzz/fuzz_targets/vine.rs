//! Any text is read or refused; one that is read is written back byte for byte, its canonical form says
//! the same, and a text that became another is read as if it were new.

#![no_main]

use chant_vine::document::VineDocument;
use chant_vine::parse;
use chant_vine::write::render_canonical;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|texts: (String, String)| {
    let (before, after) = texts;
    let read = |text: &str| VineDocument::read(text.to_owned());
    for text in [&before, &after] {
        let Ok(document) = read(text) else {
            continue;
        };
        if document.plan.graph.version.is_writable() {
            let unchanged = document.changed(document.plan.clone());
            assert_eq!(unchanged.map(|document| document.text).as_ref(), Ok(text));
        }
        // A text that the canonical form cannot carry is refused, never altered.
        if let Ok(once) = render_canonical(&document.plan.graph) {
            let again = parse::graph(&once).and_then(|graph| render_canonical(&graph));
            assert_eq!(again, Ok(once));
        }
    }
    if let Ok(document) = read(&before) {
        let graph = |document: VineDocument| document.plan.graph;
        assert_eq!(
            document.renewed(after.clone()).map(graph),
            read(&after).map(graph)
        );
    }
});
