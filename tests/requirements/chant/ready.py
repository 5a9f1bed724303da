"""`chant_ready` (seed chant 213-239)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:ready:lists_specs_without_unmet_dependencies": Requirement(
        "`chant_ready` lists the specs that can be worked now, those with unmet dependencies left out.",
        "seed chant:215",
    ),
    "chant:ready:default_limit_is_50": Requirement(
        "At most 50 ready specs are listed when no `limit` is given.", "seed chant:218"
    ),
    "chant:ready:answer_has_the_keys_of_spec_list": Requirement(
        "The answer has `specs`, `total` (before the limit), `limit` and `returned`.",
        "seed chant:221; seed chant:222",
    ),
    "chant:ready:is_in_ascending_id_order": Requirement(
        "Ready specs stand in ascending order of their IDs.", "reference chant 5.3"
    ),
    "chant:ready:failed_specs_are_flagged": Requirement(
        "A failed spec that could be retried is listed and recognisable by its status.",
        "reference chant 4.2, 8.1 D33",
    ),
    "chant:ready:containers_are_not_listed": Requirement(
        "Specs of type `group` or `driver` are not listed as ready.", "reference chant 4.2"
    ),
}
