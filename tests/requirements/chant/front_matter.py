"""chant: front matter and its edits (reference chant 2.1, 2.2)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:front_matter:leading_blank_lines_are_allowed": Requirement(
        "Blank lines before the opening fence are allowed and kept by edits.", "reference chant 2.1"
    ),
    "chant:front_matter:fence_is_a_line_of_its_own": Requirement(
        "Only a line that is exactly `---` is a fence, so `labels: [a---b]` is read whole.",
        "issue: Documents; reference chant 2.1 R",
    ),
    "chant:front_matter:unclosed_fence_is_a_problem": Requirement(
        "Front matter without a closing fence is reported as a problem.", "reference chant 2.1 R"
    ),
    "chant:front_matter:lone_returns_are_a_problem": Requirement(
        "Front matter whose lines end in carriage returns alone is reported as a problem.",
        "house: true answers",
    ),
    "chant:body:conflict_markers_are_a_problem": Requirement(
        "A spec in whose body a merge left conflict markers is reported as a problem, not worked on.",
        "house: true answers",
    ),
    "chant:front_matter:may_be_absent": Requirement(
        "A spec without front matter has the defaults: type `code`, status `pending`.",
        "reference chant 2.1, 2.2",
    ),
    "chant:front_matter:bom_is_ignored": Requirement(
        "A byte order mark does not hide the front matter.", "issue: Documents; reference chant 2.1 R"
    ),
    "chant:front_matter:crlf_is_kept": Requirement(
        "A file with CRLF line ends keeps them through every edit.", "issue: Documents; reference chant 2.1 R"
    ),
    "chant:front_matter:body_bytes_are_kept": Requirement(
        "An edit of the front matter leaves every byte of the body as it was, the final newline or its "
        "absence included.",
        "reference chant 2.1 R, 8.2 W7",
    ),
    "chant:front_matter:unknown_keys_are_kept": Requirement(
        "Keys we do not know survive every edit.", "issue: Documents; reference chant 2.1 R"
    ),
    "chant:front_matter:comments_order_and_quotes_are_kept": Requirement(
        "Comments, key order, quoting and flow lists survive every edit.",
        "issue: Documents; reference chant 2.1 R",
    ),
    "chant:front_matter:duplicate_key_is_a_problem": Requirement(
        "A duplicate key makes a problem record that names it.", "issue: Documents; reference chant 2.1 R"
    ),
    "chant:front_matter:unknown_enum_value_is_a_problem": Requirement(
        "An unknown status or other enum value makes a problem record that names it.",
        "issue: Documents; reference chant 2.1 R",
    ),
    "chant:front_matter:wrong_type_is_a_problem": Requirement(
        "A value of the wrong type makes a problem record that names its key; the spec is still served "
        "unless the key is `status`, `depends_on` or `approval`.",
        "reference chant 2.1 R",
    ),
    "chant:front_matter:bad_file_hides_no_other": Requirement(
        "A malformed file never hides another spec.", "decisions 3: Unreadable files; reference chant 10.9.12"
    ),
    "chant:front_matter:depends_on_may_be_one_string": Requirement(
        "`depends_on` may be a list of IDs or one string.", "reference chant 2.2"
    ),
    "chant:front_matter:labels_must_be_a_list": Requirement(
        "A bare string as `labels` is a type error.", "reference chant 2.2"
    ),
    "chant:front_matter:model_is_read_by_family": Requirement(
        "A `model` containing opus, sonnet or haiku in any case reads as that word, while the file keeps its "
        "text.",
        "reference chant 2.2, 8.2 W7",
    ),
    "chant:front_matter:approval_defaults_to_pending": Requirement(
        "`approval` without `status` is pending and without `required` not required.", "reference chant 2.2"
    ),
    "chant:front_matter:title_key_is_not_the_title": Requirement(
        "A `title:` or `id:` key is an unknown key and changes neither title nor ID.", "reference chant 2.2"
    ),
    "chant:edit:status_changes_one_line": Requirement(
        "Changing a status changes that line only.", "issue: Documents; reference chant 10.9.11"
    ),
    "chant:edit:list_keeps_its_style": Requirement(
        "Setting a list key keeps the block or flow style it had.", "issue: Documents"
    ),
    "chant:edit:absent_key_goes_to_its_place": Requirement(
        "A key that was absent is inserted in the documented order.", "issue: Documents; reference chant 2.2"
    ),
    "chant:edit:new_list_is_block_style": Requirement(
        "A list key that was absent is written in block style.", "reference chant 2.1"
    ),
    "chant:edit:result_is_read_back_first": Requirement(
        "An edit that would not read back as intended is refused, and the file stays as it was.",
        "issue: Documents",
    ),
    "chant:edit:odd_front_matter_is_edited_where_it_is_safe": Requirement(
        "Only front matter that cannot be edited without risk is refused; odd block mappings are edited.",
        "house: documents",
    ),
    "chant:edit:derived_blocked_is_never_stored": Requirement(
        "A status that blocking derived is never written into the file.", "reference chant 3, 8.2 W7"
    ),
    "chant:edit:text_of_a_branch_is_never_written_back": Requirement(
        "The text of a spec on its branch is never the base of a write in the main tree.",
        "reference chant 2.8 R, 8.2 W7",
    ),
}
