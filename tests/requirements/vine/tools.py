"""vine: server, resources, tools, format (seed vine 9-39; reference vine 9)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "vine:server:speaks_json_rpc_on_stdio": Requirement(
        "The vine tools are served as JSON-RPC over standard input and output.", "seed vine:9"
    ),
    "vine:server:cwd_flag_sets_folder_and_root": Requirement(
        "`--cwd DIR` sets the folder for relative paths and counts as a root.", "seed vine:19"
    ),
    "vine:resources:brief_spec": Requirement(
        "`vine://spec/brief` is the short format description with execution guide and tool reference.",
        "seed vine:27",
    ),
    "vine:resources:full_spec": Requirement(
        "`vine://spec/full` is the complete VINE v1.2.0 specification with grammar, expansion and examples.",
        "seed vine:31",
    ),
    "vine:resources:are_named_and_typed": Requirement(
        "Both texts are listed with name, title, description and MIME type, and read with their MIME type.",
        "reference vine 9.3",
    ),
    "vine:resources:brief_is_short": Requirement(
        "The brief takes about 3,000 tokens and 200 lines.",
        "seed vine:27; reference vine 9.3",
    ),
    "vine:resources:samples_hold": Requirement(
        "Every sample in both texts is read, refused, changed or answered as they say.",
        "reference vine 9.3, D10",
    ),
    "vine:tools:four_take_a_file": Requirement(
        "Four tools exist, and each takes `file`, absolute or relative to the working folder and the roots.",
        "seed vine:39",
    ),
    "vine:tools:extension_is_appended": Requirement(
        "A relative path without extension is tried with `.vine` appended.", "seed vine:39"
    ),
    "vine:tools:state_what_they_change": Requirement(
        "Reading tools are marked read-only, `vine_write` alone as destructive.",
        "reference vine 9.2",
    ),
    "vine:tools:schema_of_write_stays_small": Requirement(
        "`vine_write` is published with one flat kind of operation, in at most 3 KB.",
        "decisions 3: Default tools",
    ),
    "vine:tools:chains_of_100000_tasks_are_no_trouble": Requirement(
        "A chain of 100,000 tasks is read, asked about and changed like any other plan.",
        "reference vine W5, W10",
    ),
    "vine:format:is_read_as_the_vectors_say": Requirement(
        "Files are read or refused as the vectors say, with line and message.",
        "reference vine 1.10, 12.3",
    ),
    "vine:format:blank_segments_are_skipped": Requirement(
        "Blank lines around delimiters and trailing delimiters are harmless.",
        "reference vine W15",
    ),
    "vine:format:newer_files_are_read_not_written": Requirement(
        "A newer minor version is read and not written, another major version is refused.",
        "reference vine 1.3 R, D14",
    ),
}
