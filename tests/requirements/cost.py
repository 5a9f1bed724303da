"""Cost: what an operation does is what its change is (issue 21)."""

from requirements import Requirement

_SOURCE = "issue: Cost follows the change, in every operation"

REQUIREMENTS: dict[str, Requirement] = {
    "cost:operations:follow_the_change": Requirement(
        "An operation that touches one item opens as many files and visits as many items in a project of "
        "four times as many, within 30 %; one that reads all there is by its nature grows no more than that.",
        _SOURCE,
    ),
    "cost:operations:all_are_counted": Requirement(
        "Every tool and every method of a handle is counted, or left out with a reason.", _SOURCE
    ),
    "cost:plans:batch_is_one_pass": Requirement(
        "What an operation of a batch on a plan visits does not grow with the operations beside it.", _SOURCE
    ),
    "cost:batches:folders_are_resolved_once": Requirement(
        "An import, and the archiving of a driver with its members, resolve each folder once, not each file.",
        "issue 44: point 2",
    ),
    "cost:lint:nothing_changed": Requirement(
        "Lint of all specs looks at no spec again while nothing changed, and at those that changed alone.",
        _SOURCE,
    ),
    "cost:completion:of_kept_names": Requirement(
        "A completion of IDs and titles reads no file, and looks at the name of each item once.",
        "issue 23: point 8",
    ),
}
