"""tickets: files (reference tickets 2)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
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
        "Front matter that cannot be edited without risk is left alone, and that is told.",
        "decisions 1; issue",
    ),
}
