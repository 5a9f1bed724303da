"""Leases on a git remote: claims and landings of many clones (issue 24)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "leases:tests:remotes_are_real": Requirement(
        "The remotes of the tests are real git, by path, `git://`, smart HTTP and a stand-in for ssh; they "
        "count, hold, refuse and halve pushes.",
        "issue 24: proof",
    ),
    "leases:tests:proxy_breaks_connections": Requirement(
        "The proxy of the tests delays, cuts, silences and refuses connections and swallows answers to "
        "pushes that were done.",
        "issue 24: 5",
    ),
}
