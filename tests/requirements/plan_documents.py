"""Documents of plans in other formats, read and edited in place (issue 47)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "plans:edits:change_what_is_meant_alone": Requirement(
        "An edit of a plan changes the bytes of what is meant; all other items, sections and bytes stay, or "
        "nothing is written.",
        "issue 47: After each edit",
    ),
}
