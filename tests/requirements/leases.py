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
    "leases:model:lands_once_and_never_late": Requirement(
        "In every order of events a spec lands once at most, and what lands has the newest token; two pushes "
        "instead of one, or a rule less, break that.",
        "issue 24: 8",
    ),
    "leases:receipts:travel_with_the_landing": Requirement(
        "The receipt of a run reaches the remote in the push that lands its work; another clone fetches it "
        "and finds it consistent.",
        "issue 24: 7",
    ),
    "leases:receipts:never_stop_a_landing": Requirement(
        "A receipt that the remote has already or forbids stays away, and the work lands.",
        "issue 24: 7",
    ),
    "leases:numbers:given_once": Requirement(
        "Where `leases` is on, clones that make tickets at the same time never give one number; the numbers "
        "of a project are one ref on the remote.",
        "issue 24: 7",
    ),
    "leases:numbers:few_pushes": Requirement(
        "A clone that makes tickets one after the other claims several numbers in one push.",
        "issue 24: 7",
    ),
    "leases:numbers:lost_answer": Requirement(
        "A claim whose answer was lost is looked up on the remote and not repeated.",
        "issue 24: 7",
    ),
    "leases:numbers:offline": Requirement(
        "Without the remote, and in a folder that is not trusted, a ticket gets a number all the same; the "
        "answer says that it is not claimed and why.",
        "issue 24: 7",
    ),
    "leases:numbers:renumbered": Requirement(
        "An offline number that another clone has is replaced at the next claim: in the ticket, its file's "
        "name, and the tickets and specs that name it.",
        "issue 24: 7",
    ),
    "leases:numbers:not_renumbered": Requirement(
        "A ticket that git knows keeps its number; the answer says which number is claimed for it and what "
        "to change.",
        "issue 24: 7",
    ),
    "leases:numbers:transactions": Requirement(
        "Tickets that a transaction made are claimed once they are written.",
        "issue 24: 7",
    ),
    "leases:numbers:off": Requirement(
        "Without `leases` making a ticket speaks to no remote, and no state is kept of it.",
        "issue 24: 7",
    ),
    "leases:model:nothing_gets_stuck": Requirement(
        "Wherever a claim is left, the spec can still be done, also after a server did half a push.",
        "issue 24: 8",
    ),
}
