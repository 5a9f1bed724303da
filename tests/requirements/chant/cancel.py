"""`chant_cancel` (seed chant 119 and 1384)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:cancel:sets_cancelled": Requirement(
        "`chant_cancel` sets a spec's status to cancelled.", "seed chant:1385"
    ),
    "chant:cancel:answers_with_the_id": Requirement(
        "The answer is `Cancelled spec: <id>`, first line.", "reference chant 5.14"
    ),
    "chant:cancel:already_cancelled_is_refused": Requirement(
        "Cancelling twice gives `Spec '<id>' is already cancelled`.", "reference chant 5.14"
    ),
    "chant:cancel:illegal_source_is_refused": Requirement(
        "From another status: `Failed to transition spec to Cancelled: Invalid transition from <S> to "
        "Cancelled`.",
        "reference chant 5.14",
    ),
    "chant:cancel:never_leaves_an_agent_running": Requirement(
        "A spec with a living process is not cancelled behind its back: the call stops it or refuses.",
        "reference chant 5.14 R",
    ),
    "chant:cancel:dependents_are_named": Requirement(
        "The answer names the specs that depend on the cancelled one, and its open members.",
        "reference chant 5.14 R",
    ),
}
