"""`chant_verify` (seed chant 579-631)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:verify:answer_has_the_documented_keys": Requirement(
        "The answer has `spec_id`, `verified`, `criteria` (`total`, `checked`, `unchecked`), "
        "`unchecked_items` and `verification_notes`.",
        "seed chant:609",
    ),
    "chant:verify:all_met_is_verified": Requirement(
        "With every criterion ticked `verified` is true and the note `All acceptance criteria met`.",
        "seed chant:609",
    ),
    "chant:verify:open_items_are_listed": Requirement(
        "`unchecked_items` lists each open item as `- [ ] text`.", "seed chant:625"
    ),
    "chant:verify:open_items_are_counted_in_the_note": Requirement(
        "With open criteria `verified` is false and the note `2 criteria not yet checked`, with their "
        "number.",
        "seed chant:625",
    ),
    "chant:verify:no_criteria_is_not_verified": Requirement(
        "A spec without criteria is not verified; the note is `No acceptance criteria found`.",
        "reference chant 5.16",
    ),
    "chant:verify:executes_nothing": Requirement(
        "`chant_verify` counts only; it executes nothing and changes nothing.", "reference chant 5.16"
    ),
    "chant:verify:counts_agree": Requirement(
        "`total` is always `checked` plus `unchecked`.", "reference chant 5.16, 8.2 W15"
    ),
}
