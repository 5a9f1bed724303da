//! What comes into the log, however it is cut on its way.

use chant_work::run_log::{LogHeader, LogLimits, LogStream, RunLog, SecretMask};
use chant_work::run_record::UNCERTAIN_END;
use proptest::prelude::*;

use super::{Project, SPEC};

const ROOMY: LogLimits = LogLimits {
    line: 100,
    log: 1 << 20,
};

fn open(project: &Project, secrets: &[&str], room: LogLimits) -> RunLog {
    let secrets: Vec<String> = secrets.iter().map(|&secret| secret.to_owned()).collect();
    let header = LogHeader {
        spec_id: SPEC,
        prompt: "standard",
        withheld: &[],
    };
    RunLog::open(
        &project.runs,
        &header,
        SecretMask::new(&secrets).unwrap(),
        room,
    )
    .unwrap()
}

/// The lines behind the header, without their stamps, and without the note that an end is uncertain where nothing
/// confines an agent: tests are no runners, which take in orphans.
pub(super) fn lines(project: &Project) -> Vec<String> {
    let log = project.log();
    let body = log.rsplit_once("\n\n").unwrap().1;
    let text = |line: &str| {
        let (stamp, text) = line.split_once(' ').unwrap();
        stamp.parse::<jiff::Timestamp>().unwrap();
        assert_eq!(stamp.len(), "2026-02-02T10:00:00.000Z".len());
        text.to_owned()
    };
    let lines = body.lines().map(text);
    lines.filter(|line| !line.contains(UNCERTAIN_END)).collect()
}

/// What the log holds of a text that comes in parts.
fn heard(parts: &[&[u8]], secrets: &[&str], room: LogLimits) -> Vec<String> {
    let project = Project::new();
    let mut output = open(&project, secrets, room);
    for part in parts {
        output.take(LogStream::Out, part);
    }
    output.close();
    lines(&project)
}

#[test]
fn a_log_begins_with_its_header_and_goes_on_with_another() {
    let project = Project::new();
    open(&project, &[], ROOMY).note("first");
    open(&project, &[], ROOMY).note("second");
    let log = project.log();
    let rule = "=".repeat(80);
    let mut shape: Vec<&str> = log
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    shape.retain(|line| !line.contains(" run "));
    assert_eq!(
        shape,
        [
            "# Agent Log", "# Started", "# Prompt", "", "", &rule, "# New Run", "# Prompt", &rule,
            ""
        ]
    );
    assert!(log.starts_with(&format!("# Agent Log: {SPEC}\n# Started: 2")));
    assert!(log.contains("\n# Prompt: standard\n\n"));
}

#[test]
fn a_line_that_a_crash_tore_is_ended_first() {
    let project = Project::new();
    let copy = project.path(&format!(".chant/logs/{SPEC}.log"));
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    for path in [copy, project.runs.ensure_log(SPEC).unwrap()] {
        std::fs::write(path, "torn").unwrap();
    }
    open(&project, &[], ROOMY).close();
    assert!(project.log().starts_with("torn\n\n===="));
}

#[test]
fn bytes_that_are_no_text_and_ends_that_are_missing_are_survived() {
    let parts: [&[u8]; 3] = [b"one\r\ntw\xff", b"o\n\n", b"three"];
    assert_eq!(
        heard(&parts, &[], ROOMY),
        ["out one", "out tw\u{fffd}o", "out ", "out three"]
    );
}

#[test]
fn long_lines_are_cut_between_characters() {
    let text = "é".repeat(75) + "\n";
    let room = LogLimits { line: 51, ..ROOMY };
    let lines = heard(&[text.as_bytes()], &[], room);
    assert_eq!(
        lines,
        ["é".repeat(25), "é".repeat(25), "é".repeat(25)].map(|part| format!("out {part}"))
    );
    assert_eq!(
        heard(&[&[b'x'; 100], b"\n"], &[], ROOMY),
        [format!("out {}", "x".repeat(100))]
    );
}

#[test]
fn secrets_are_masked_where_parts_and_lines_are_cut() {
    let secret = "s3cret-of-the-agent";
    for at in 0..secret.len() {
        let (one, other) = secret.split_at(at);
        let parts = [format!("{}{one}", "-".repeat(95)), format!("{other}--\n")];
        let lines = heard(
            &[parts[0].as_bytes(), parts[1].as_bytes()],
            &[secret],
            ROOMY,
        );
        assert_eq!(lines.concat().matches("***").count(), 1, "{lines:?}");
        assert!(!lines.concat().contains("cret"), "{lines:?}");
    }
}

#[test]
fn secrets_are_masked_in_json_by_lines_and_where_they_overlap() {
    let secrets = [
        "a\"quote",
        "-----BEGIN\nkey-of-many-bytes\n-\n",
        "abcd",
        "cdef",
    ];
    let text = "{\"k\":\"a\\\"quote\"}\nkey-of-many-bytes\n-\nabcdef!\n";
    let lines = heard(&[text.as_bytes()], &secrets, ROOMY);
    assert_eq!(
        lines,
        ["out {\"k\":\"***\"}", "out ***", "out -", "out ***!"]
    );
}

#[test]
fn a_full_log_says_so_once_and_still_takes_notes() {
    let project = Project::new();
    let mut output = open(&project, &[], LogLimits { log: 200, ..ROOMY });
    for _ in 0..100 {
        output.take(LogStream::Err, b"a line\n");
    }
    output.note("the end");
    let (tail, failure) = output.close();
    let lines = lines(&project);
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.contains("is left out"))
            .count(),
        1
    );
    assert_eq!(lines.last().unwrap(), "run the end");
    assert!(lines.len() < 10);
    assert_eq!((tail.len(), failure.is_none()), (20, true));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn however_a_text_comes_its_lines_are_the_same(
        text in "[ab\n\ré-]{0,300}",
        sizes in prop::collection::vec(1..40_usize, 0..40),
        most in 4..60_usize,
    ) {
        let secrets = ["abba", "b-é"];
        let room = LogLimits { line: most, ..ROOMY };
        let mut parts = Vec::new();
        let mut rest = text.as_bytes();
        for size in sizes {
            let (part, more) = rest.split_at(size.min(rest.len()));
            parts.push(part);
            rest = more;
        }
        parts.push(rest);
        let lines = heard(&parts, &secrets, room);
        prop_assert_eq!(&lines, &heard(&[text.as_bytes()], &secrets, room));
        prop_assert!(!lines.iter().any(|line| secrets.iter().any(|secret| line.contains(secret))));
        if !text.contains(['\n', '\r']) && !text.is_empty() {
            let said: String = lines.iter().map(|line| line.strip_prefix("out ").unwrap()).collect();
            prop_assert!(secrets.iter().all(|secret| !said.contains(secret)), "{said}");
            let masked = SecretMask::new(&secrets.map(str::to_owned)).unwrap().apply(&text);
            prop_assert_eq!(said.replace("***", ""), masked.replace("***", ""));
        }
    }
}

#[test]
fn messages_are_read_whole_and_told_as_lines_without_secrets() {
    fn reads(line: &str) -> Option<Vec<String>> {
        let rest = line.trim_end().strip_prefix("message ")?;
        Some(
            rest.split(' ')
                .map(|word| word.chars().take(5).collect())
                .collect(),
        )
    }
    let project = Project::new();
    let room = LogLimits {
        line: 8,
        log: 10_000,
    };
    let mut output = open(&project, &["secret"], room).read_by(Some(reads));
    output.take(LogStream::Out, b"message one wo");
    output.take(LogStream::Out, b"rds secret\nplain\nmessage\n");
    output.take(LogStream::Err, b"message x\n");
    output.take(LogStream::Out, b"message last");
    output.close();
    let log = project.log();
    let told: Vec<&str> = log
        .lines()
        .filter_map(|line| line.split_once(" out "))
        .map(|(_, text)| text)
        .collect();
    assert_eq!(told, ["one", "words", "***", "plain", "message", "last"]);
    assert!(log.contains(" err message"));
}
