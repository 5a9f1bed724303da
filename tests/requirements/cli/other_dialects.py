"""The command line for tickets, vine and speckit (reference tickets 9; reference vine 11; house)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "cli:graph:draws_the_workspace": Requirement(
        "Top-level `graph` shows the dependency graph of the whole workspace.",
        "decisions 3: CLI",
    ),
    "cli:dialect:commands_exist_for_the_others": Requirement(
        "`chant-mcp vine`, `speckit` and `tickets` run the commands on that dialect alone.",
        "decisions 3: CLI",
    ),
    "cli:tickets:list_prints_tickets": Requirement(
        "`tickets list` prints code, status, priority, title and type of the tickets in columns, the highest "
        "number first, and below them which files cannot be read.",
        "reference tickets 9; seed tickets:75",
    ),
    "cli:tickets:list_filters": Requirement(
        "`tickets list` takes `--status`, `--type`, `--priority`, `--assignee` and `--phase-epic`, each more "
        "than once, and refuses a word that nothing knows with the words there are.",
        "reference tickets 9; seed tickets:81",
    ),
    "cli:tickets:list_says_what_it_leaves_out": Requirement(
        "`tickets list` shows 20 tickets unless `--limit` or `--all` says otherwise, and how many there are.",
        "reference tickets 9; decisions 3: Size of a result",
    ),
    "cli:tickets:ready_prints_what_can_be_begun": Requirement(
        "`tickets ready` prints the tickets that are approved and wait for nothing.",
        "reference tickets 9: Dependency graph",
    ),
    "cli:tickets:show_prints_a_ticket": Requirement(
        "`tickets show KEY` prints every attribute, what the ticket waits for, who waits for it, its file "
        "and its whole body rendered, `--raw` the body as it is written.",
        "reference tickets 9; seed tickets:118",
    ),
    "cli:tickets:sections_are_listed_and_shown": Requirement(
        "`tickets sections KEY` lists the sections with their sizes; with a name, as `tickets show KEY "
        "--section NAME`, it prints that one.",
        "seed tickets:295",
    ),
    "cli:tickets:graph_draws_what_waits": Requirement(
        "`tickets graph` draws what waits for what as a tree, says how many tickets it leaves out, and with "
        "`--all` draws all of them.",
        "reference tickets 9: Dependency graph",
    ),
    "cli:tickets:graph_tells_loops": Requirement(
        "`tickets graph` names the tickets that wait for one another in a circle.",
        "reference tickets 9: Dependency graph",
    ),
    "cli:tickets:graph_prints_mermaid_and_dot": Requirement(
        "`tickets graph --format mermaid|dot` prints the same for Mermaid and Graphviz.",
        "reference tickets 9: Dependency graph",
    ),
    "cli:tickets:advice_prints_the_score": Requirement(
        "`tickets advice KEY` prints the score, its parts, what to do and why, and what is good.",
        "seed tickets:389",
    ),
    "cli:tickets:projects_are_listed": Requirement(
        "`tickets projects` lists the projects and what was passed over; with a code it prints one with its "
        "counts by status.",
        "reference tickets 9; seed tickets:17",
    ),
    "cli:tickets:project_is_named_by_code_or_folder": Requirement(
        "The commands of tickets take `--project` with a project's code or a folder; without it the key or "
        "the place says which is meant.",
        "reference tickets 9: Single-project mode; decisions 3: Which project",
    ),
    "cli:tickets:add_creates_a_ticket": Requirement(
        "`tickets add TITLE` creates a ticket with the attributes given, its body from `--content` or the "
        "template of its type, and prints its code and file.",
        "reference tickets 9; seed tickets:182",
    ),
    "cli:tickets:set_changes_attributes": Requirement(
        "`tickets set KEY NAME=VALUE...` changes all attributes named or none, and prints what each was and "
        "is.",
        "reference tickets 9; seed tickets:231",
    ),
    "cli:tickets:status_moves_a_ticket": Requirement(
        "`tickets status KEY STATUS` moves a ticket along the workflow and prints from where to where.",
        "seed tickets:259",
    ),
    "cli:tickets:delete_asks": Requirement(
        "`tickets delete KEY` names the ticket and who needs it and deletes it only after a yes; `--yes` "
        "asks nothing.",
        "reference tickets 9; seed tickets:276",
    ),
    "cli:vine:show_prints_the_plan": Requirement(
        "`vine show FILE` prints title, root, totals, a progress bar, the statuses that occur and a table of "
        "all tasks and references.",
        "reference vine 11; reference vine 5.1",
    ),
    "cli:vine:show_prints_one_task": Requirement(
        "`vine show FILE --task ID` prints all of one task: rendered description, decisions, attachments, "
        "what it depends on with statuses, and who needs it.",
        "reference vine 5.1",
    ),
    "cli:vine:list_filters": Requirement(
        "`vine list FILE` prints a table of the tasks of a `--status` that hold a `--query`, or "
        "`No tasks found.`",
        "reference vine 11",
    ),
    "cli:vine:next_says_what_to_do": Requirement(
        "`vine next FILE` prints what can be acted on in sections with what to do, and how far the plan is.",
        "reference vine 5.2; reference vine 11",
    ),
    "cli:vine:next_says_what_is_waited_for": Requirement(
        "When nothing can be done, `vine next` says so and what is waited for.", "reference vine W6"
    ),
    "cli:vine:validate_says_valid": Requirement(
        "`vine validate FILE` prints `✓ Valid — <n> task(s).` for a valid file, with a warning where a "
        "complete root stands over unfinished tasks.",
        "reference vine 11; reference vine W17",
    ),
    "cli:vine:validate_points_at_each_problem": Requirement(
        "For each violation and parse error `vine validate` prints file, line, column, rule and message, "
        "with the line and the piece meant marked, and exits with 1.",
        "reference vine 11; reference vine W13",
    ),
    "cli:vine:validate_takes_files_and_folders": Requirement(
        "`vine validate` checks several files to the end, and all `.vine` files below a folder.",
        "reference vine 11",
    ),
    "cli:vine:validate_prints_json": Requirement(
        "`vine validate --json` prints the files and all their problems with their places.",
        "reference vine 11",
    ),
    "cli:vine:problems_have_places": Requirement(
        "The error of an invalid file lists under `problems` everything that is wrong, each thing with "
        "constraint, message, line and column.",
        "reference vine 3",
    ),
    "cli:vine:graph_draws_a_tree": Requirement(
        "`vine graph FILE` draws a tree from the root; a task met again stands there as `↑`.",
        "reference vine 11",
    ),
    "cli:vine:graph_prints_mermaid_and_dot": Requirement(
        "`vine graph --format mermaid|dot` prints the graph for Mermaid and Graphviz.", "reference vine 11"
    ),
    "cli:vine:graph_leaves_out_other_statuses": Requirement(
        "`vine graph --status` draws tasks of these statuses alone; dashed arrows lead over the others.",
        "reference vine 11",
    ),
    "cli:vine:names_break_no_picture": Requirement(
        "No name breaks the syntax of a Mermaid or DOT text, or shows as something else.", "reference vine 11"
    ),
    "cli:vine:set_prints_old_and_new": Requirement(
        "`vine set FILE ID STATUS …` sets all statuses or none and prints `✓ <id>: <old> → <new>` for each.",
        "reference vine 11",
    ),
    "cli:vine:set_dry_run_shows_the_diff": Requirement(
        "`vine set --dry-run` shows what would change in the file, and writes nothing.", "reference vine W12"
    ),
    "cli:vine:claim_shows_what_it_builds_on": Requirement(
        "`vine claim FILE ID` takes a task, for `--owner` where given, and prints it with what it builds on.",
        "reference vine 11; reference vine W4",
    ),
    "cli:vine:expand_replaces_a_reference": Requirement(
        "`vine expand FILE REF_ID [CHILD]` puts the tasks of the other file in the place of a reference.",
        "reference vine 11; reference vine 7",
    ),
    "cli:vine:changes_obey_read_only": Requirement(
        "With `--read-only` `vine set`, `claim` and `expand` are refused.", "house: command line"
    ),
    "cli:vine:spec_prints_the_texts": Requirement(
        "`vine spec` prints the brief text of the format, `--full` the full one.", "reference vine 9.3"
    ),
    "cli:vine:json_is_the_answer": Requirement(
        "`--json` of the vine commands prints what the core or the tool answers.", "house: command line"
    ),
    "cli:vine:files_resolve_as_in_the_tools": Requirement(
        "The vine commands find files as the tools do: from the working folder, then the project, with "
        "`.vine` left out or not.",
        "reference vine 8.1",
    ),
    "cli:speckit:context_says_why": Requirement(
        "`speckit context` shows the current feature and what decided.", "house: command line"
    ),
    "cli:speckit:features_are_listed": Requirement(
        "`speckit features` lists all; `--feature` means another than the current one.", "house: command line"
    ),
    "cli:speckit:next_lists_what_can_be_done_at_once": Requirement(
        "`speckit next` lists the tasks that can be done now, all at once.", "issue 8"
    ),
    "cli:speckit:complete_ticks": Requirement(
        "`speckit complete` ticks a task and says what is next.", "house: command line"
    ),
    "cli:speckit:read_prints_a_document": Requirement(
        "`speckit read` prints a document whole.", "house: command line"
    ),
    "cli:answer:replies_to_a_question": Requirement(
        "`chant-mcp answer` answers a question that an agent left, `--cancel` gives none.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
}
