"""Print how many promises are built and proven, and those that are not."""

import sys
from pathlib import Path


def _print_query() -> None:
    from proofs import python_tests, rust_tests

    from requirements import REQUIREMENTS

    proven = {id for test in (*python_tests(), *rust_tests()) for id in test.ids}
    built = [id for id, requirement in REQUIREMENTS.items() if requirement.built]
    unproven = [id for id in built if id not in proven]
    groups: dict[str, list[int]] = {}
    for id, requirement in REQUIREMENTS.items():
        counts = groups.setdefault(id.split(":")[0], [0, 0, 0])
        counts[0] += 1
        counts[1] += requirement.built
        counts[2] += requirement.built and id in proven
    for group, (all_of_it, of_them_built, of_them_proven) in groups.items():
        line = f"{group}: {all_of_it} promises, {of_them_built} built, {of_them_proven} proven\n"
        sys.stdout.write(line)
    proven_count = len(built) - len(unproven)
    sys.stdout.write(f"all: {len(REQUIREMENTS)} promises, {len(built)} built, {proven_count} proven\n")
    for id in unproven:
        sys.stdout.write(f"not proven: {id} ({REQUIREMENTS[id].source})\n  {REQUIREMENTS[id].sentence}\n")


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])  # where this package and `proofs` are found
    _print_query()
