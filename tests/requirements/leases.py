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
    "leases:reads:work_list_elsewhere": Requirement(
        "With leases `chant_work_list` has `elsewhere`: the specs that other clones hold, with their holder, "
        "token and state, by the last look; its age stands there when it is older than a sign of life.",
        "issue 24: 1",
    ),
    "leases:reads:no_network": Requirement(
        "Tools that read answer from the last look, and never ask the remote.", "issue 24: 1"
    ),
    "leases:reads:ready_leaves_out": Requirement(
        "What another clone holds is not ready, is counted in `held_elsewhere`, and stands among what is "
        "being worked on; `include_held` and `--held` show it.",
        "issue 24: 1",
    ),
    "leases:reads:silent_holder": Requirement(
        "A holder that gave no sign of life for the time to live is `silent`, and keeps no spec from being "
        "ready.",
        "issue 24: 4",
    ),
    "leases:reads:others_texts": Requirement(
        "Texts of other clones are shown without control characters and cut; a lease under another spec's "
        "name counts for none.",
        "issue 24: D6",
    ),
    "leases:reads:nothing_without_leases": Requirement(
        "Without `leases` no answer differs, and nothing is asked of a remote.", "issue 24: 11"
    ),
    "leases:reads:background_look": Requirement(
        "A server or board in use looks at the remote aside, at most every 30 seconds, in folders that a "
        "person trusts; no answer waits for it.",
        "issue 24: 1",
    ),
    "leases:commands:list": Requirement(
        "`leases` lists which clone works on what, `--look` looks at the remote first.", "issue 24: 4"
    ),
    "leases:commands:pause_by_request": Requirement(
        "`pause` of a spec that another clone works on asks that clone, and says so.", "issue 24: 4"
    ),
    "leases:commands:takeover_by_request": Requirement(
        "`takeover` of a spec that another clone works on asks that clone; a tool never takes it at once.",
        "issue 24: 4",
    ),
    "leases:commands:cancel_by_request": Requirement(
        "`cancel` of a spec that another clone works on asks that clone, and changes nothing here.",
        "issue 24: 4",
    ),
    "leases:commands:takeover_at_once": Requirement(
        "`takeover --force` claims at once; the run of the other clone ends, and lands nothing.",
        "issue 24: 4",
    ),
    "leases:commands:free": Requirement(
        "`leases --free` gives back what a person knows to be dead, not what a run of this clone works on.",
        "issue 24: 4",
    ),
    "leases:commands:offline": Requirement(
        "`work --offline` claims nothing and lands here; the refusal without a remote names it.",
        "issue 24: 4",
    ),
    "leases:commands:log_of_others": Requirement(
        "`log -f` of a spec that another clone works on shows its state and last line until it ends.",
        "issue 24: 4",
    ),
    "leases:commands:settled_aside": Requirement(
        "Whatever ends a run has the remote learn it, by a process that nothing waits for.", "issue 24: 4"
    ),
}
