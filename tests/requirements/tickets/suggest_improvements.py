"""`suggest_cr_improvements` (seed tickets 387-425)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:suggest:parameters_are_required": Requirement(
        "`suggest_cr_improvements` requires `key`, and `project` where nothing else says which is meant.",
        "seed tickets:393; reference tickets 10: `project`",
    ),
    "tickets:suggest:suggestion_has_four_keys": Requirement(
        "A suggestion has `category`, `priority`, `suggestion` and `reason`.", "seed tickets:401"
    ),
    "tickets:suggest:answer_has_score_strengths_weaknesses": Requirement(
        "The answer has `suggestions`, `overallScore`, `strengths` and `weaknesses`.", "seed tickets:413"
    ),
    "tickets:suggest:is_deterministic": Requirement(
        "The same ticket gets the same advice each time.", "reference tickets 10: Advisor"
    ),
    "tickets:suggest:score_is_explained": Requirement(
        "The score is the sum of parts that say what each loss comes from.", "reference tickets 10: Advisor"
    ),
    "tickets:suggest:a_good_ticket_has_ten": Requirement(
        "A ticket without a flaw has 10 and no suggestion; each flaw costs something.",
        "reference tickets 10: Advisor; reference tickets 8.2: B22",
    ),
    "tickets:suggest:any_case_of_letters": Requirement(
        "Sections are known by their headers in any case of letters, not by words in text or code.",
        "reference tickets 8.2: B22",
    ),
    "tickets:suggest:relations_are_looked_up": Requirement(
        "Relations are looked up, also in other projects.", "reference tickets 10: Advisor"
    ),
    "tickets:suggest:names_tools_and_tickets_that_are_there": Requirement(
        "Advice names only tools and sections that there are.", "reference tickets 8.2: B22"
    ),
}
