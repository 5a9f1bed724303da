"""What hosts of agents are given: what a session is told, the plugin, skills, issues of a forge, CI."""

from requirements import Requirement

_SOURCE = "issue: At home in every host and editor"

REQUIREMENTS: dict[str, Requirement] = {
    "hosts:prime:says_what_can_be_worked_on": Requirement(
        "`prime` says in at most 1,500 characters what this session works on, what runs, what waits for a "
        "person, the five best ready items and why, and the tools.",
        _SOURCE,
    ),
    "hosts:prime:in_a_run_names_its_spec": Requirement(
        "In a run `prime` names the spec that the runner says; no file of the project makes it name another.",
        _SOURCE,
    ),
    "hosts:prime:untrusted_is_counted": Requirement(
        "In a folder that is not trusted `prime` counts, and shows no text of others.", _SOURCE
    ),
    "hosts:prime:titles_steer_nothing": Requirement(
        "Titles in `prime` are one line of at most 80 characters, without control, bidi or markup signs.",
        _SOURCE,
    ),
    "hosts:prime:fits_each_hook": Requirement(
        "Under `--hook` `prime` has the form that hosts take from a hook of that event.", _SOURCE
    ),
    "hosts:prime:never_fails": Requirement(
        "The exit code of `prime` is 0 and it says nothing on standard error, whatever is broken.", _SOURCE
    ),
    "hosts:prime:changes_nothing": Requirement("`prime` changes no file and starts nothing.", _SOURCE),
    "hosts:prime:costs_little": Requirement("`prime` takes at most 0.3 seconds of the processor.", _SOURCE),
    "hosts:prime:is_a_prompt_and_a_resource": Requirement(
        "What `prime` prints is also the prompt `prime` and the resource `chant://prime`.", _SOURCE
    ),
    "hosts:plugin:is_made_from_one_source": Requirement(
        "`host export` writes the plugin folder from the texts of the package; made again it is the same.",
        _SOURCE,
    ),
    "hosts:plugin:manifests_agree": Requirement(
        "The manifests of all hosts agree in name, version, description and licence.", _SOURCE
    ),
    "hosts:plugin:hooks_print_prime": Requirement(
        "Hooks at session start and before compaction print `prime`.", _SOURCE
    ),
    "hosts:plugin:is_refused_in_checkouts": Requirement(
        "`host export` writes into no checkout and no folder of others.", _SOURCE
    ),
    "hosts:skills:examples_work": Requirement(
        "The four skills have at most 500 lines together, and each has three example calls that work.",
        _SOURCE,
    ),
    "server:skills:listed_with_digests": Requirement(
        "`skills/list`, `skills/get` and reads of folders give the skills with the hash and size of what "
        "is read.",
        _SOURCE,
    ),
    "server:skills:what_is_none_is_refused": Requirement(
        "What is no skill, folder or cursor is refused as invalid parameters.", _SOURCE
    ),
    "server:skills:old_hosts_read_the_resource": Requirement(
        "Hosts that do not know the extension read `skill://chant/SKILL.md` as before.", _SOURCE
    ),
    "hosts:issues:import_is_once": Requirement(
        "`issue import` makes a spec of each issue, a hundred in at most three calls; a second time "
        "changes nothing.",
        _SOURCE,
    ),
    "hosts:issues:text_waits_for_a_person": Requirement(
        "An imported spec waits for approval, and does so again when a pull changes it; comments and "
        "headings of others steer nothing.",
        _SOURCE,
    ),
    "hosts:issues:asked_by_variables_alone": Requirement(
        "`gh` is started by its absolute path outside of the project, in an empty folder, with host and "
        "repository; texts are variables on standard input.",
        _SOURCE,
    ),
    "hosts:issues:pull_compares_three_ways": Requirement(
        "`issue pull` takes over what changed there; what changed on both sides is named and stays.", _SOURCE
    ),
    "hosts:issues:push_is_one_comment": Requirement(
        "`issue push` writes one comment of the user's and edits it from then on; where the mark is not "
        "ours alone nothing is written; an issue is closed with `--close` and a completed spec only.",
        _SOURCE,
    ),
    "hosts:issues:no_file_chooses_the_repository": Requirement(
        "Only a remote of the clone that the user's own git configuration names is read or written.", _SOURCE
    ),
    "hosts:issues:for_a_person": Requirement(
        "`issue` is refused below a run and in an agent's shell.", _SOURCE
    ),
    "hosts:issues:a_failure_leaves_nothing_half": Requirement(
        "A failure at any call leaves nothing half written, here or there.", _SOURCE
    ),
    "hosts:issues:links_and_states": Requirement(
        "`issue link` writes the key alone, `unlink` takes it out, `status` says where the two differ.",
        _SOURCE,
    ),
    "hosts:ci:annotations_name_file_and_line": Requirement(
        "`ci` annotates each finding of fence, receipts and lint with file and line.", _SOURCE
    ),
    "hosts:ci:policy_of_the_target": Requirement(
        "`ci` judges by the configuration of the target branch, never by that of the request.", _SOURCE
    ),
    "hosts:ci:texts_are_no_commands": Requirement(
        "Texts of a request are escaped in annotations, and other output stands between marks with a "
        "random token.",
        _SOURCE,
    ),
    "hosts:ci:exit_codes_and_events": Requirement(
        "`ci` ends with 1 where a check finds something, writes a table, and refuses pull_request_target.",
        _SOURCE,
    ),
    "hosts:ci:action_takes_inputs_by_variables": Requirement(
        "The action installs by hash, takes inputs by variables and runs checks of a closed list.", _SOURCE
    ),
}
