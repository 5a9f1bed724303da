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
    "leases:claims:one_run_of_a_spec": Requirement(
        "Of clones that start a spec at the same time, one starts an agent and the others start none.",
        "issue 24: acceptance 1",
    ),
    "leases:claims:refusal_names_holder": Requirement(
        "A start is refused with the orchestrator, machine, token and time of the holder, and the command "
        "that takes the spec over.",
        "issue 24: acceptance 1",
    ),
    "leases:landing:target_and_lease_together": Requirement(
        "A landing moves target and lease in one push, by every transport and ref format.", "issue 24: 2.2"
    ),
    "leases:landing:checkout_follows": Requirement(
        "After a landing on the remote the checkout stands on what landed.", "issue 24: 2.2"
    ),
    "leases:landing:what_did_not_follow": Requirement(
        "Changes and commits in the checkout do not stop a landing on the remote; the record says what did "
        "not follow, and no branch of landed work stays.",
        "issue 24: 2.2",
    ),
    "leases:landing:lost_answer_is_asked_for": Requirement(
        "When answers to pushes are lost, a spec lands once, and no run fails that landed.",
        "issue 24: acceptance 3",
    ),
    "leases:landing:one_follows_for_all": Requirement(
        "A run that landed on the remote brings the checkout up to its landing with all that landed before "
        "it; copies of specs that hold nothing which the landing lacks are not in the way, others are.",
        "issue 24",
    ),
    "leases:landing:queue_is_not_the_remote": Requirement(
        "Work has landed when the remote's own target has it: a landing of this clone in the queue, "
        "which stands on a refused try, says nothing.",
        "issue 24: 2",
    ),
    "leases:landing:half_is_completed_by_its_holder": Requirement(
        "A landing that the server did by half is completed by the clone that holds the lease.",
        "issue 24: 2.2 (8)",
    ),
    "leases:landing:half_of_another_is_claimed_anew": Requirement(
        "Half a landing of a silent holder is not completed by others: they claim the next token and do the "
        "work.",
        "issue 24: D1",
    ),
    "leases:landing:forged_lease_lands_nothing": Requirement(
        "A commit that only a lease on the remote names gets onto no target and into no checkout.",
        "issue 24: D1",
    ),
    "leases:landing:killed_runner_is_settled_once": Requirement(
        "A runner killed between its push and its record is settled by the next look, and by that once.",
        "issue 24: acceptance 2",
    ),
    "leases:takeover:holder_ends": Requirement(
        "A run whose lease moved is stopped at the next look, without a landing.", "issue 24: I9"
    ),
    "leases:takeover:late_push_is_refused": Requirement(
        "A landing that reaches the remote after the lease moved changes nothing there.", "issue 24: I2"
    ),
    "leases:takeover:commits_are_kept": Requirement(
        "The commits of a run that was overtaken stay on its branch and get a ref of their own on the "
        "remote.",
        "issue 24: I7",
    ),
    "leases:remote:start_is_refused_soon": Requirement(
        "While the remote is gone, silent or refuses, a start is refused with the reason within ten seconds; "
        "reads answer at once.",
        "issue 24: acceptance 10",
    ),
    "leases:remote:landing_waits_for_it": Requirement(
        "A run that ends while the remote is gone waits, and lands when the remote is back.", "issue 24: 9"
    ),
    "leases:off:nothing_happens": Requirement(
        "Without `leases` no git speaks to a remote, and no state of leases is written.",
        "issue 24: I12, acceptance 11",
    ),
    "leases:pace:pushes_are_counted": Requirement(
        "Pushes grow with time and not with runs: at most three in two intervals.",
        "issue 24: I11, acceptance 6",
    ),
    "leases:machines:all_land_once": Requirement(
        "Orchestrators of several clones that are killed and frozen complete each spec once, with growing "
        "tokens.",
        "issue 24: acceptance 2",
    ),
    "leases:doctor:probe": Requirement(
        "`doctor` creates, changes and removes refs of its own on the remote, names what is missing and what "
        "to set, and old locks of a path; it removes no lock.",
        "issue 24: 6",
    ),
    "leases:lint:doubtful": Requirement(
        "`lint` names leases whose landed commit is not on the target any more, and tokens that fell.",
        "issue 24: 9",
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
        "issue 24: 3, acceptance 7",
    ),
    "leases:pr:any_clone_notes_the_landing": Requirement(
        "Whichever clone looks first moves the lease of merged work to `landed`.",
        "issue 24: 3",
    ),
    "leases:pr:second_request_conflicts": Requirement(
        "Two requests for one spec write different tokens in one line, so that the second conflicts.",
        "issue 24: 3, acceptance 7",
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
    "leases:landing:edits_on_the_remote_stay": Requirement(
        "What others changed in a spec on the remote while it was worked on is in what lands.",
        "issue 24: 2",
    ),
    "leases:fence:stale_token": Requirement(
        "`fence` fails for work of another token than the newest lease's, and says both.",
        "issue 24: 3, acceptance 7",
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
    "leases:failures:woken_holder_looks_first": Requirement(
        "A holder that slept for longer than its lease, as a suspended laptop does, looks at the remote "
        "when it wakes, and pushes neither target nor lease.",
        "issue 24: 9",
    ),
    "leases:failures:damaged_copies": Requirement(
        "Copies of the remote's refs that a crash left empty, without their objects or as folders are "
        "removed and fetched again; runs land.",
        "issue 24: 9",
    ),
    "leases:failures:throttled": Requirement(
        "While the remote throttles a clone, its looks and pushes come less and less often, up to a "
        "minute apart; its runs go on, starts are refused with the remote's words.",
        "issue 24: 9",
    ),
    "leases:failures:deleted_lease": Requirement(
        "Where somebody deletes leases on the remote, runs land all the same, tokens go on from the "
        "highest that was seen, and a spec that the target has completed is not claimed.",
        "issue 24: 9",
    ),
    "leases:failures:copied_disk": Requirement(
        "Of two clones with one name the one that finds another's sign of life under it takes a new name.",
        "issue 24: 9",
    ),
    "leases:failures:rewritten_target": Requirement(
        "Work does not land on a target that lost the commits on which the work began: the run needs "
        "attention.",
        "issue 24: 9",
    ),
    "leases:model:two_pushes_land_stale": Requirement(
        "A git that pushes the target first and the lease second lands stale work, and the checker of the "
        "tests finds that on the remote.",
        "issue 24: 8",
    ),
    "leases:landing:archived_leases_go": Requirement(
        "A push that is due takes the leases of specs along that landed and are archived on the target.",
        "issue 24: 2.2",
    ),
    "leases:claims:held_specs_are_left_out": Requirement(
        "Work on several specs leaves those that another clone holds to it, and goes on with the next ones.",
        "issue 24: 1",
    ),
    "leases:pr:host_is_asked": Requirement(
        "Where `leases.look` is set, a request that the host calls closed, or for which changes are "
        "asked, comes back as `needs_attention` with its address; the host is asked once between two "
        "signs of life, and with every merge by hand.",
        "issue 24: 3",
    ),
    "leases:pr:takeover_moves_the_branch": Requirement(
        "A takeover of proposed work moves its branch to the target in the push that claims it, and "
        "keeps its commits.",
        "issue 24: rule D5",
    ),
    "leases:pr:foreign_push_stays": Requirement(
        "What others push to the branch of a request is not overwritten: the run needs attention.",
        "issue 24: 3",
    ),
    "leases:fence:text": Requirement(
        "`fence` says in words which specs pass, and why one does not.", "issue 24: 3"
    ),
    "leases:commands:offline_work_is_claimed": Requirement(
        "`merge` claims the spec of work that was done offline, and lands it on the remote; if another "
        "clone landed the spec meanwhile, the work stays on its branch, and the answer says so.",
        "issue 24: 7",
    ),
    "leases:numbers:bounded": Requirement(
        "A push that gets no answer holds no ticket up for longer than ten seconds beside this clone's "
        "own push interval; the number is not claimed, and the answer says so.",
        "issue 24: 7",
    ),
    "leases:train:checked_once": Requirement(
        "With `leases.checks: merged` the configured checks run once on what the landings of a push "
        "come to, and the records and receipts of all of them name the tree on which they passed.",
        "issue 25.6",
    ),
    "leases:train:gathers": Requirement(
        "Checks wait some seconds for the runs of the clone that are about to merge: what these land is "
        "checked along.",
        "issue 25.6",
    ),
    "leases:train:not_on_branch": Requirement(
        "With `leases.checks: merged` no check is run on the branch of a run: what criteria name has "
        "to pass on what lands.",
        "issue 25.6",
    ),
    "leases:train:one_push": Requirement(
        "Landings that pass their checks together land in one push.",
        "issue 25.6",
    ),
    "leases:train:halved": Requirement(
        "When checks fail on several landings these are halved until the one is found on which they "
        "fail; those before it and behind it land.",
        "issue 25.6",
    ),
    "leases:train:blamed_alone": Requirement(
        "A run needs attention because of checks only if they failed twice on its work merged, and "
        "passed without it; the reason names the check, its branch stays, and its log has what the "
        "check said.",
        "issue 25.6",
    ),
    "leases:train:flaky": Requirement(
        "Work whose check fails once and passes the second time lands.",
        "issue 25.6",
    ),
    "leases:train:target_fails": Requirement(
        "A check that fails on the target itself blames no run: the work waits, and the reason says so.",
        "issue 25.6",
    ),
    "leases:train:moved_target": Requirement(
        "What was checked is what lands: if the target moved meanwhile the work is merged and checked again.",
        "issue 25.6",
    ),
    "leases:train:conflict_leaves": Requirement(
        "Work that conflicts leaves the others alone, which land.",
        "issue 25.6",
    ),
    "leases:train:order": Requirement(
        "Of the runs that are ready the one merges first for which most specs wait in a row.",
        "issue 25.6",
    ),
    "leases:train:killed_checker": Requirement(
        "When the process that checks is killed, another one that waits goes on, and the landing of "
        "the killed one is taken along.",
        "issue 25.6",
    ),
    "leases:train:dead_alone_waits": Requirement(
        "Work of a dead run that was not checked waits until a person merges it, which runs the "
        "checks; a look at the project lands nothing unchecked.",
        "issue 25.6",
    ),
}
