"""`chant_search` (seed chant 105 and 1265)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:search:looks_in_title_and_body": Requirement(
        "`chant_search` finds specs by their title and body.", "seed chant:105"
    ),
    "chant:search:ignores_case": Requirement(
        "The query matches as a substring, whatever its case.", "seed chant:1272"
    ),
    "chant:search:status_filters": Requirement(
        "`status` limits the matches to that status.", "seed chant:1276"
    ),
    "chant:search:answers_like_spec_list": Requirement(
        "The answer is the object of `chant_spec_list`.", "decisions 3: Tool result"
    ),
    "chant:search:empty_query_matches_all": Requirement(
        "An empty query matches every spec.", "reference chant 5.6"
    ),
    "chant:search:cancelled_are_found": Requirement("Cancelled specs are found too.", "reference chant 5.6"),
    "chant:search:archive_is_not_searched": Requirement(
        "Archived specs are not found.", "reference chant 5.6"
    ),
    "chant:search:unknown_status_is_refused": Requirement(
        "An unknown `status` is refused.", "reference chant 5.6, 8.2 W23"
    ),
    "chant:search:results_are_limited": Requirement(
        "The number of matches shown is limited.", "reference chant 5.6 R, 8.2 W23"
    ),
}
