"""tickets: files (reference tickets 2)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:loading:older_header_is_read": Requirement(
        "The older header of a ticket, a list of attributes in place of front matter, is read and edited "
        "where it stands.",
        "issue: The daily hour 3",
    ),
    "tickets:loading:unknown_statuses_are_problems": Requirement(
        "A status that is none of the documented ones is a problem that says what a dependent waits for.",
        "issue: The daily hour 3",
    ),
    "tickets:worktrees:reads_where_it_is_worked_on": Requirement(
        "A ticket whose code the branch of a linked worktree carries is read and listed as it is there.",
        "issue 21; reference tickets 9",
    ),
    "tickets:worktrees:writes_where_it_is_worked_on": Requirement(
        "Such a ticket is changed and deleted there, and decided on all tickets of the project; the copy "
        "of the checkout keeps every byte.",
        "issue 21; reference tickets 9",
    ),
    "tickets:worktrees:says_where": Requirement(
        "Answers about such a ticket have `inWorktree: true` and the `filePath` of its file.", "issue 21"
    ),
    "tickets:worktrees:follow_branches": Requirement(
        "Which copy counts follows the branches as they are at the call; the own checkout comes first, "
        "and with several worktrees for a ticket none counts, which is a problem.",
        "issue 21",
    ),
    "tickets:worktrees:can_be_turned_off": Requirement(
        "`enabled = false` in `[worktree]` of `.mdt-config.toml` turns it off.",
        "issue 21; reference tickets 1.2",
    ),
    "tickets:worktrees:only_those_of_the_repository": Requirement(
        "A worktree counts only where git lists it, its folder says the same of itself, and the tickets "
        "lie in it; another one, or one that is gone, is a problem and left alone.",
        "issue 21",
    ),
    "tickets:criteria:what_looks_like_one_is_a_problem": Requirement(
        "A line of a ticket's acceptance criteria that looks like an item with a box and is none is a "
        "problem of the ticket with its line; the others count.",
        "reference tickets 2.2 to 2.9",
    ),
    "tickets:fences:are_problems": Requirement(
        "A fence that is never closed, or that another one inside it closes, is a problem of the ticket "
        "where headings or boxes stand in it.",
        "issue 21",
    ),
    "tickets:files:only_what_is_meant_changes": Requirement(
        "An edit changes the lines it means and no other byte.",
        "reference tickets 10: Frontmatter; reference tickets 2.10; decisions 1",
    ),
    "tickets:files:bom_crlf_and_blanks": Requirement(
        "Files with a byte order mark, CRLF or blanks behind `---` are read and edited like others.",
        "reference tickets 8.2: B13; reference tickets 2.9",
    ),
    "tickets:files:keep_their_rights": Requirement(
        "An edited file keeps its rights and its name.", "decisions 1"
    ),
    "tickets:links:stay_links": Requirement(
        "A link inside the project is followed, its target edited, and stays a link.", "decisions 2"
    ),
    "tickets:front_matter:is_yaml": Requirement(
        "Quotes, comments, lists and block scalars are read as YAML and survive edits.",
        "reference tickets 8.2: B14; reference tickets 8.3: MDT-192",
    ),
    "tickets:front_matter:as_people_write_it": Requirement(
        "Front matter is read in all the ways in which people write it.", "reference tickets 2.9"
    ),
    "tickets:front_matter:absent_is_made": Requirement(
        "A file without front matter is a ticket by its name and gets some when it is changed.",
        "reference tickets 2.9; issue",
    ),
    "tickets:front_matter:other_keys_are_shown": Requirement(
        "Other keys of the file are shown with their values.", "reference tickets 3.6"
    ),
    "tickets:front_matter:unknown_words_are_kept": Requirement(
        "Words that are not documented are shown as the file has them.", "reference tickets 2.6"
    ),
    "tickets:front_matter:values_are_quoted_where_needed": Requirement(
        "What YAML would read otherwise is quoted when it is written.", "reference tickets 10: Frontmatter"
    ),
    "tickets:front_matter:unclear_ones_are_not_edited": Requirement(
        "Front matter that cannot be edited without risk is left alone, and that is reported.",
        "decisions 1; issue",
    ),
}
