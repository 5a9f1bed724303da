"""chant: status machine (reference chant 3)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:status_machine:nine_values": Requirement(
        "The statuses are pending, in_progress, paused, completed, failed, needs_attention, ready, blocked "
        "and cancelled.",
        "reference chant 3",
    ),
    "chant:status_machine:values_are_exact": Requirement(
        "A status in a file is lower case and exact; other spellings are problems.", "reference chant 3"
    ),
    "chant:status_machine:paused_is_read_and_kept": Requirement(
        "A stored `paused` is read and survives edits of other keys.", "decisions 3: `chant_pause`"
    ),
    "chant:status_machine:legal_pairs": Requirement(
        "Unforced, each of the 81 pairs of statuses is legal or illegal as documented.",
        "reference chant 3.1, 10.8",
    ),
    "chant:status_machine:self_transition_is_legal": Requirement(
        "A transition to the same status is legal.", "reference chant 3.1"
    ),
    "chant:status_machine:mended_pairs_are_legal_too": Requirement(
        "Legal too: failed and needs_attention to cancelled, in_progress and paused to pending, completed to "
        "needs_attention.",
        "reference chant 3.1 R, 8.2 W18",
    ),
    "chant:status_machine:illegal_pair_is_worded": Requirement(
        "An illegal pair reads `Invalid transition from <From> to <To>`, with names such as `InProgress`.",
        "reference chant 3.1",
    ),
}
