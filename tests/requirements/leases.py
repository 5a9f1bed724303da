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
    "leases:model:nothing_gets_stuck": Requirement(
        "Wherever a claim is left, the spec can still be done, also after a server did half a push.",
        "issue 24: 8",
    ),
    "leases:pr:one_push_and_a_request": Requirement(
        "With `landing: pr` proven work moves its branch and its lease in one push, and nothing else; "
        "then the configured command opens a request whose text has the spec, the token and the lease, "
        "and the run waits with the address.",
        "issue 24: 3",
    ),
    "leases:pr:command_is_held": Requirement(
        "The command that opens a request runs in the checkout, without a shell, with the credentials of"
        " hosts and no others.",
        "issue 24: 3",
    ),
    "leases:pr:commands_of_hosts": Requirement(
        "The guide's commands for `gh` and `glab` get branch, target, title and text as arguments.",
        "issue 24: 3",
    ),
    "leases:pr:target_tree_says_landed": Requirement(
        "A request that was squashed, rebased or merged has landed: the tree of the target says so; the "
        "holder's run is completed, and its checkout follows.",
        "issue 24: 3; design of several machines: acceptance 7",
    ),
    "leases:pr:any_clone_notes_the_landing": Requirement(
        "Whichever clone looks first moves the lease of merged work to `landed`.",
        "issue 24: 3",
    ),
    "leases:pr:second_request_conflicts": Requirement(
        "Two requests for one spec write different tokens in one line, so that the second conflicts.",
        "issue 24: 3; design of several machines: acceptance 7",
    ),
    "leases:pr:unjudged_work_is_not_pushed": Requirement(
        "Work that changes what runs by itself is not pushed to a branch before a person has agreed.",
        "issue 24: rule D4",
    ),
    "leases:pr:failing_command": Requirement(
        "Where the command fails the run needs attention with its output, secrets masked, and the lease "
        "stays proposed; a merge by hand opens the request.",
        "issue 24: 3",
    ),
    "leases:pr:work_goes_on": Requirement(
        "Work on proposed work goes on in the same branch, under the same lease, with a greater token.",
        "issue 24: 3",
    ),
    "leases:pr:closed_request": Requirement(
        "A request whose branch is gone while the target has not the work comes back as "
        "`needs_attention` with its address.",
        "issue 24: 3",
    ),
    "leases:fence:stale_token": Requirement(
        "`fence` fails for work of another token than the newest lease's, and says both.",
        "issue 24: 3; design of several machines: acceptance 7",
    ),
    "leases:fence:from_the_target": Requirement(
        "`fence` takes remote, target and leases from the protected branch of the remote; what the "
        "commit under test configures changes nothing.",
        "issue 24: rule D5",
    ),
    "leases:fence:shallow": Requirement(
        "`fence` works in a clone with one commit, in a folder that was never trusted.",
        "issue 24: 3",
    ),
    "leases:fence:merge_group": Requirement(
        "In a merge group `fence` compares the spec's file with that of the proposed commit; elsewhere "
        "the commit itself has to be the proposed one.",
        "issue 24: rule D5",
    ),
}
