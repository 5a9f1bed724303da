"""`chant_split` (seed chant 668-692; reference chant 6.11)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:split:makes_member_specs": Requirement(
        "`chant_split` splits a spec into smaller member specs with AI analysis.", "seed chant:670"
    ),
    "chant:split:force_skips_questions": Requirement(
        "`force` skips the confirmation: the proposal is written, by the run itself where none waits.",
        "seed chant:674; decisions 3: `chant_split`",
    ),
    "chant:split:recursive_goes_deeper": Requirement(
        "`recursive` splits members that are still too complex; one that cannot be split stays whole.",
        "seed chant:675",
    ),
    "chant:split:max_depth_is_3": Requirement(
        "`max_depth` limits the recursion and is 3 unless given.", "seed chant:676"
    ),
    "chant:split:returns_its_record": Requirement(
        'The record with `mode: "split"` is returned at once and keeps the proposal until it is accepted.',
        "decisions 3: `chant_split`",
    ),
    "chant:split:nothing_before_consent": Requirement(
        "Nothing is written into specs before `force` or an accepted question; a call without them tells the "
        "proposal that waits.",
        "decisions 3: `chant_split`; issue: Providers, split, approval, conflicts",
    ),
    "chant:split:person_is_asked": Requirement(
        "A client that can ask a person does so when a proposal waits, in both eras of the protocol; only "
        "who agrees has it written.",
        "decisions 3: `chant_split`",
    ),
    "chant:split:consent_is_to_one_proposal": Requirement(
        "Who agrees agrees to the proposal they saw: when another one waits by then, or none, nothing is "
        "written and no agent is asked.",
        "house: consent",
    ),
    "chant:split:asking_holds_nothing_up": Requirement(
        "While a person is asked about a proposal no other call of their client waits.",
        "house: order of calls",
    ),
    "chant:split:stored_proposal_is_written": Requirement(
        "`force` writes the proposal that waits without asking an agent again, unless it is passed over.",
        "decisions 3: `chant_split`",
    ),
    "chant:split:changed_spec_is_split_anew": Requirement(
        "A proposal for a spec that changed since is not written; without `force` an agent is asked again.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:split:runs_like_work": Requirement(
        "A split is a run with record, log and limits: `chant_work_list` shows it, and it counts as an agent "
        "at work.",
        "decisions 3: `chant_split`; reference chant 8.2 W2",
    ),
    "chant:split:can_be_stopped": Requirement(
        "Pause and cancel stop a split; one that dies is found, and leaves nothing behind.",
        "reference chant 8.2 W2",
    ),
    "chant:split:has_the_spec_to_itself": Requirement(
        "Work on a spec and a split of it exclude each other.", "reference chant 8.2 W13"
    ),
    "chant:split:refusals_leave_nothing": Requirement(
        "What forbids a split (state, group, approval, coupling, agent, depth) is said at once, and nothing "
        "is started.",
        "reference chant 5.24, 6.11, 8.2 W2",
    ),
    "chant:split:harms_no_checkout": Requirement(
        "The agent looks at a copy of the committed files that git knows nothing of, and that goes with the "
        "run.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:split:asks_with_its_prompt": Requirement(
        "The agent gets the prompt `split`, the project's own first.", "reference chant 6.11"
    ),
    "chant:split:model_is_chosen_in_order": Requirement(
        "The model is that of CHANT_SPLIT_MODEL, of `defaults.split_model`, that of a run, or `sonnet`.",
        "reference chant 6.11, 7",
    ),
    "chant:split:understands_markdown": Requirement(
        "An answer is JSON in a fenced block, or the markdown of the reference, read without loss.",
        "reference chant 6.11, 8.2 W12",
    ),
    "chant:split:bad_answers_are_refused": Requirement(
        "An answer without members, of another form, with stubs or without criteria fails the run, which "
        "says why.",
        "reference chant 6.11",
    ),
    "chant:split:loops_are_broken": Requirement(
        "Dependencies on the member itself, on none, or that close a cycle are left out and reported.",
        "reference chant 6.11",
    ),
    "chant:split:members_are_canonical": Requirement(
        "Members have their criteria as boxes under `## Acceptance Criteria` and explicit dependencies.",
        "reference chant 6.11, 8.2 W12",
    ),
    "chant:split:members_of_members": Requirement(
        "A member that is split itself is written as a group of members `<id>.1.1` and holds no boxes.",
        "reference chant 6.11",
    ),
    "chant:split:ids_are_free": Requirement(
        "Members get numbers that no member has or had, archived ones included.", "reference chant 2.5, 6.11"
    ),
    "chant:split:all_or_none": Requirement(
        "Members and their group are written all or none, also after a crash.", "reference chant 6.11"
    ),
    "cli:split:shows_and_asks": Requirement(
        "`split` shows the proposal and asks at a terminal whether to write it; elsewhere `--force` does.",
        "house: command line",
    ),
    "cli:split:waits": Requirement(
        "`split --wait` watches the run, shows its proposal, and fails when there is none.",
        "house: command line",
    ),
}
