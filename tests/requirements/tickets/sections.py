"""tickets: sections (seed tickets 294-383)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:sections:parameters_are_required": Requirement(
        "`manage_cr_sections` requires `key` and `operation`, and what the operation needs.",
        "seed tickets:299; reference tickets 10: `project`",
    ),
    "tickets:sections:operation_is_one_of_three": Requirement(
        "`operation` is `list`, `get` or `update`.", "seed tickets:301"
    ),
    "tickets:sections:section_by_name": Requirement(
        "A section is found by its simple name.", "seed tickets:306"
    ),
    "tickets:sections:section_by_header": Requirement(
        "A section is found by its markdown header.", "seed tickets:307"
    ),
    "tickets:sections:section_by_path": Requirement(
        "A duplicate section is found by its hierarchical path, whole or its end.",
        "seed tickets:308; reference tickets 10: Sections",
    ),
    "tickets:sections:update_mode_is_one_of_three": Requirement(
        "`update` requires `content` and `updateMode`: `replace`, `append` or `prepend`.", "seed tickets:309"
    ),
    "tickets:sections:both_spellings_mean_the_same": Requirement(
        "A mode may be given as the operation itself and means the same.",
        "reference tickets 8.2: B6; reference tickets 10: Section writes",
    ),
    "tickets:sections:list_shows_the_tree": Requirement(
        "`list` shows the tree of sections with their lengths.", "seed tickets:321"
    ),
    "tickets:sections:a_box_is_ticked_by_its_text": Requirement(
        "`check` and `uncheck` change one character: the box that reads so, among the acceptance criteria or "
        "in the section; a text that no box has is refused with those there are.",
        "issue 23: point 3",
    ),
    "tickets:sections:get_shows_the_content": Requirement(
        "`get` shows a section's content and length.", "seed tickets:344"
    ),
    "tickets:sections:update_says_what_it_did": Requirement(
        "`update` says section, operation, length, title, time and file.", "seed tickets:372"
    ),
    "tickets:sections:structured_part_is_complete": Requirement(
        "The structured part of `manage_cr_sections` holds the whole content.", "decisions 3: Tool result"
    ),
    "tickets:sections:in_the_order_of_the_document": Requirement(
        "Sections are listed in the order of the document.",
        "reference tickets 10: Sections; reference tickets 4.4",
    ),
    "tickets:sections:headers_in_code_are_text": Requirement(
        "Lines in code fences and comments are no headers.",
        "reference tickets 8.2: B5; reference tickets 8.3: MDT-081",
    ),
    "tickets:sections:headers_are_those_of_markdown": Requirement(
        "Headers are those of CommonMark: closed, underlined, indented a little, with blanks behind.",
        "reference tickets 4.1; reference tickets 10: Sections",
    ),
    "tickets:sections:exact_names_win": Requirement(
        "A name that is a header's own goes before headers that only contain it; one of several is "
        "ambiguous.",
        "reference tickets 8.2: B11; reference tickets 10: Sections",
    ),
    "tickets:sections:choices_work_everywhere": Requirement(
        "Every name that a list or a refusal prints means one section, word for word, in every operation.",
        "reference tickets 8.2: B11; reference tickets 8.3: MDT-114",
    ),
    "tickets:sections:text_goes_where_it_belongs": Requirement(
        "`replace` takes the place of all below the header, `append` comes behind it, `prepend` directly "
        "below.",
        "seed tickets:309; reference tickets 4.6",
    ),
    "tickets:sections:nothing_outside_changes": Requirement(
        "Nothing outside of the section changes.", "reference tickets 4.6"
    ),
    "tickets:sections:blank_lines_and_final_newline": Requirement(
        "One blank line stands around headers, and the end of the file stays as it was.",
        "reference tickets 8.2: B12; reference tickets 10: Section writes",
    ),
    "tickets:sections:leading_header_names_the_section": Requirement(
        "A header that content begins with is left out when it is the section's own, and else renames it "
        "when replacing.",
        "reference tickets 10: Section writes; reference tickets 8.3: MDT-066",
    ),
    "tickets:sections:later_headers_are_content": Requirement(
        "Headers further on in content are content, and cost no character of it.", "reference tickets 8.2: B4"
    ),
    "tickets:sections:content_is_kept": Requirement(
        "Content is stored as given, backslashes and `$&` included.",
        "reference tickets 3.7; reference tickets 4.6",
    ),
    "tickets:sections:replace_tells_what_went": Requirement(
        "`replace` names the sub-sections that it removed.", "reference tickets 10: Section writes"
    ),
    "tickets:sections:open_fences_are_refused": Requirement(
        "Content that leaves a fence or comment open before another section is refused.",
        "reference tickets 8.3: MDT-075",
    ),
    "tickets:sections:pieces_make_up_the_whole": Requirement(
        "Long sections and long lists come in pieces that make up the whole.", "decisions 3: Size of a result"
    ),
}
