"""Agents on machines of a cluster (issue 25)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "cluster:head:work_comes_back": Requirement(
        "Work that an agent does on a machine of a cluster comes back into the run's folder here, is judged "
        "here and lands; what the folder holds beyond its commits goes along.",
        "issue 25.3",
    ),
    "cluster:head:results_come_into_the_record": Requirement(
        "The record of such a run has usage, cause, denials, model, session and exit code as the worker "
        "reported them, and names the worker.",
        "issue 25.3; issue 25.7",
    ),
    "cluster:head:stamps_of_the_worker_stay": Requirement(
        "The log of such a run lies where it always lies, and its lines keep the worker's stamps.",
        "issue 25.3",
    ),
    "cluster:head:log_only_while_read": Requirement(
        "The log comes while somebody reads it and within two seconds, and as a whole at the end; while "
        "nobody reads it no page is asked for.",
        "issue 25.3; design-distributed 10.9",
    ),
    "cluster:head:no_local_agent": Requirement(
        "An agent that works on a cluster need not be installed on the machine that answers for it.",
        "issue 25.1",
    ),
    "cluster:head:one_placer": Requirement(
        "All runs of a project on a cluster go through one placer, which is started when one is needed.",
        "issue 25.2",
    ),
    "cluster:head:placer_is_confined": Requirement(
        "A placer reads programs and the cluster's certificates, writes its own folders, and gets no variable "
        "that is a credential; its secret and its socket are the user's alone.",
        "issue 25.2; design-distributed 12 D2",
    ),
    "cluster:head:bad_targets": Requirement(
        "A target is a name of the user's own configuration; only a person gives an address, and a scheduler "
        "without TLS is refused. Nothing begins then.",
        "issue 25.1; issue 25.2",
    ),
    "cluster:head:scheduler_silent": Requirement(
        "A scheduler that does not answer is named with the reason, as are the last words of a placer that "
        "ended; when it answers, the same start works.",
        "issue 25.4",
    ),
    "cluster:head:no_worker_offers": Requirement(
        "A start with an agent that no worker offers is refused with what the workers offer.",
        "issue 25.1",
    ),
    "cluster:head:untracked": Requirement(
        "A spec that git does not track is refused on a cluster, with what to do.", "issue 25.3"
    ),
    "cluster:head:no_secret_leaves": Requirement(
        "A job holds no environment and no prompt, and is not sent while one of its values is a secret of "
        "this machine.",
        "issue 25.2",
    ),
    "cluster:head:lost_workers_have_a_cause": Requirement(
        "A run whose worker is lost has failed with the cause `worker_lost`.", "issue 25.4"
    ),
    "cluster:head:tried_elsewhere_once": Requirement(
        "Work in parallel tries a spec whose worker was lost once more, with the next token and not on that "
        "worker.",
        "issue 25.4",
    ),
    "cluster:head:foreign_results": Requirement(
        "A result that belongs to another job is refused, and nothing of it is taken over.", "issue 25.4"
    ),
    "cluster:head:stop_is_answered": Requirement(
        "A pause reaches the worker, whose commits come back before the run ends; a job client does not "
        "outlive its runner.",
        "issue 25.4",
    ),
    "cluster:head:machines_are_shown": Requirement(
        "`runs` and `chant_work_list` name the machine of each agent and how busy the machines of the cluster "
        "are.",
        "issue 25.7",
    ),
    "cluster:head:slots_of_the_cluster": Requirement(
        "On a cluster `--parallel` and the slots of its workers bound the agents at work, and not the limit "
        "of this machine.",
        "issue 25.5",
    ),
    "cluster:head:nothing_without_on": Requirement(
        "Without a target no placer is started and nothing is recorded of one.", "issue 25.1"
    ),
    "cluster:head:bundles_are_checked": Requirement(
        "What comes back is taken over only as one ref that continues the work that was sent, sound by git's "
        "checks and within limits of size, unpacked too; no hook of the folder runs.",
        "issue 25.2; design-distributed 12 D3",
    ),
    "cluster:head:frames_are_bounded": Requirement(
        "A placer that sends what is no frame, or more than agreed, is taken for lost.", "issue 25.2"
    ),
}
