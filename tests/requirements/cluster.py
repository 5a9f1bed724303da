"""Runs on other machines (issue 25)."""

from requirements import Requirement

ENGINE: dict[str, Requirement] = {
    "cluster:engine:there_and_back": Requirement(
        "A job goes from the placer's socket to a worker; result, log and bundle come back, and the worker "
        "forgets the job once its client has them.",
        "issue 25.1; issue 25.3",
    ),
    "cluster:engine:status": Requirement(
        "The placer's status names workers with slots, busy ones and releases, and each job with its worker "
        "and state; `cluster status` shows slots, and how many runs each account has.",
        "issue 25.7",
    ),
    "cluster:engine:slots": Requirement(
        "A worker never runs more jobs of an agent than it has slots; what waits says for what.",
        "issue 25.1",
    ),
    "cluster:engine:choice": Requirement(
        "A job goes to a worker with a free slot of its agent and its account, first to those that accepted "
        "its configuration and its repository.",
        "issue 25.5; issue 25.8",
    ),
    "cluster:engine:live_log": Requirement("A job's log is read by the page while it works.", "issue 25.3"),
    "cluster:engine:client_gone": Requirement(
        "A job whose client is gone is stopped; its result is kept and listed.", "issue 25.4"
    ),
    "cluster:engine:secret": Requirement(
        "A placer closes connections that do not know its secret, and refuses what is no job.", "issue 25.2"
    ),
    "cluster:engine:lost_worker": Requirement(
        "A job whose worker is gone is lost and never begun elsewhere by the engine.", "issue 25.4"
    ),
    "cluster:engine:lost_scheduler": Requirement(
        "When the scheduler is gone the status says so, running jobs are lost, and workers end them.",
        "issue 25.4",
    ),
    "cluster:engine:frozen_worker": Requirement(
        "A worker that was frozen until its scheduler gave it up ends its jobs as it wakes, and keeps them.",
        "issue 25.4",
    ),
    "cluster:engine:orphan_grace": Requirement(
        "A worker that hears no scheduler for the grace time ends its jobs.", "issue 25.4"
    ),
    "cluster:engine:lifeline": Requirement(
        "A job ends with its worker, however that ends; one that does not end when asked is killed.",
        "issue 25.4",
    ),
    "cluster:engine:no_result": Requirement(
        "A job that ends without a result has failed, with its exit code and last words.", "issue 25.4"
    ),
    "cluster:engine:not_twice": Requirement(
        "A worker runs no job twice, and a later placer still lists what was kept.", "issue 25.4"
    ),
    "cluster:engine:idle": Requirement("A placer without work ends by itself.", "issue 25.2"),
    "cluster:engine:stays": Requirement(
        "A placer that is asked to stay does not end before a run that is about to start has reached it.",
        "issue 25.2",
    ),
    "cluster:engine:given_up_in_time": Requirement(
        "A worker that was not heard for `worker-ttl` is given up within a fifth of that time.", "issue 25.4"
    ),
    "cluster:engine:beats": Requirement(
        "A job hears from its worker every few seconds, and ends when it does not for a minute.", "issue 25.4"
    ),
    "cluster:engine:bounded": Requirement(
        "Frames, jobs, results, the status and what is kept are bounded; what a worker says is read as data.",
        "issue 25.2",
    ),
    "cluster:engine:bounded_log": Requirement(
        "A placer's log keeps its end alone when it is longer than 1 MiB.", "issue 25.2"
    ),
    "cluster:engine:certificates": Requirement(
        "`cluster certs` makes an authority and files for head and workers, for their owner alone, and never "
        "overwrites any.",
        "issue 25.2",
    ),
    "cluster:engine:tls_alone": Requirement(
        "Addresses without TLS are refused, and so are keys that others may read.", "issue 25.2"
    ),
    "cluster:engine:no_certificate": Requirement(
        "No port of scheduler or worker answers without a certificate of the cluster's own authority, and "
        "neither has an HTTP server.",
        "issue 25.2",
    ),
    "cluster:engine:confined_agent": Requirement(
        "A confined run can read no key of a cluster, and gets no answer from its scheduler over loopback.",
        "issue 25.2",
    ),
    "cluster:engine:hostile_worker": Requirement(
        "A program in a worker's result runs in the confined placer alone; that writes its own folders.",
        "issue 25.2",
    ),
    "cluster:engine:hostile_client": Requirement(
        "What a holder of a worker's certificate runs in the scheduler is confined: it writes the "
        "scheduler's own folder only.",
        "issue 25.2",
    ),
    "cluster:engine:no_secret_travels": Requirement(
        "No prompt, no variable and no secret of a worker's environment is in what passes the engine.",
        "issue 25.2",
    ),
    "cluster:engine:local": Requirement(
        "The local cluster is started with new certificates, found again, and ends when it is idle.",
        "issue 25.1",
    ),
    "cluster:engine:worker_command": Requirement(
        "`worker` offers this machine's slots under a name that is used once on it.", "issue 25.1"
    ),
    "cluster:engine:deployers": Requirement(
        "`cluster up`, `status` and `down` start, show and end workers here, over SSH, in Slurm's queue and "
        "by Dask's operator in Kubernetes.",
        "issue 25.1",
    ),
    "cluster:engine:configured": Requirement(
        "Clusters are the user's own configuration: in a project's file they do nothing and are named.",
        "issue 25.8",
    ),
    "cluster:engine:extra": Requirement(
        "Without the extra `cluster` its commands say what to install; without `--on` the engine is never "
        "imported.",
        "issue 25.1",
    ),
}


JOBS: dict[str, Requirement] = {
    "cluster:job:runs_the_agent": Requirement(
        "A job runs its agent on a worker machine in a checkout of its own, confined as any run; the "
        "runtime's own changes to the spec stay away.",
        "issue 25.3",
    ),
    "cluster:job:own_tools": Requirement(
        "The agent of a job has the tools of its run, which act in the run's own folder.",
        "issue 25.3",
    ),
    "cluster:job:hands_back": Requirement(
        "A job leaves its result, its log with the times and streams of the agent's lines, and one bundle "
        "with the commits since its start.",
        "issue 25.3",
    ),
    "cluster:job:thin_bundles": Requirement(
        "A thin bundle fits where the mirror has its base; else the job is refused as `base_missing`, and a "
        "whole bundle fills the mirror.",
        "issue 25.3",
    ),
    "cluster:job:mirrors_are_pruned": Requirement(
        "A mirror that no job used for 30 days goes when its worker starts, unless a job's folder borrows "
        "from it or a job fills it.",
        "issue 25.3",
    ),
    "cluster:job:killed": Requirement(
        "The agent of a job whose process is killed ends at once, and its commits come back.", "issue 25.4"
    ),
    "cluster:job:accepted_remotes": Requirement(
        "The base is fetched, as a partial clone, from the very remote that the machine's owner accepted, "
        "and from no other.",
        "issue 25.3; issue 25.8",
    ),
    "cluster:job:trusted_by_its_owner": Requirement(
        "A job whose project acts is refused until the machine's owner accepts the hash of what acts in its "
        "commits.",
        "issue 25.8",
    ),
    "cluster:job:own_agents_and_accounts": Requirement(
        "Agents and accounts are those of the machine's own configuration; an account's keys reach the "
        "agent, and neither the log nor a job may hold them.",
        "issue 25.8; issue 25.2",
    ),
    "cluster:job:offer": Requirement(
        "A machine offers the agents that are there with their releases, the accounts whose variables are "
        "set, and the room on its disk.",
        "issue 25.1",
    ),
    "cluster:job:lifeline": Requirement(
        "A job ends its agent and keeps the commits when its lifeline asks for it or ends.",
        "issue 25.4",
    ),
    "cluster:job:long_logs": Requirement(
        "A log of more than 16 MiB comes back without its middle, and says how much is left out.",
        "issue 25.3",
    ),
    "cluster:job:live_log": Requirement(
        "The log of a job can be read in its folder while the agent works.",
        "issue 25.3",
    ),
    "cluster:job:kept_work": Requirement(
        "Work of a job that nobody answers for is kept on its machine, and listed with spec, token, newest "
        "commit and place.",
        "issue 25.4",
    ),
    "cluster:job:swept": Requirement(
        "What a killed job left is found and ended, and its commits are kept.",
        "issue 25.4",
    ),
    "cluster:job:names_choose_nothing": Requirement(
        "Names and ids of a job choose no path, ref, option or program: what is none of the kind is refused.",
        "issue 25.2",
    ),
    "cluster:job:bundles_are_checked": Requirement(
        "A bundle with several refs, broken or forbidden objects, or objects that are too large is refused, "
        "and nothing of it is taken in.",
        "issue 25.2",
    ),
    "cluster:job:checkout_runs_nothing": Requirement(
        "A checkout of a job runs no hook and no filter, and follows no link out of it.",
        "issue 25.2",
    ),
    "cluster:job:agents_stay_in": Requirement(
        "An agent of a job writes neither the mirror nor the folders of other jobs, and reads none of them.",
        "issue 25.2",
    ),
}

HEAD: dict[str, Requirement] = {
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
        "issue 25.3",
    ),
    "cluster:head:no_local_agent": Requirement(
        "An agent that works on a cluster need not be installed on the machine that answers for it.",
        "issue 25.1",
    ),
    "cluster:head:one_placer": Requirement(
        "All runs of a project on a cluster go through one placer, which is started when one is needed.",
        "issue 25.2",
    ),
    "cluster:head:placer_that_leaves": Requirement(
        "A start that meets a placer which is about to end waits for that, and starts another.", "issue 25.2"
    ),
    "cluster:head:placer_is_confined": Requirement(
        "A placer reads programs and the cluster's certificates, writes its own folders, and gets no "
        "variable that is a credential; its secret and its socket are the user's alone.",
        "issue 25.2",
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
        "`runs`, the boards and `chant_work_list` name the machine of each agent; they, `status` and "
        "`chant_status` say how busy the machines of the cluster are.",
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
        "issue 25.2",
    ),
    "cluster:head:only_what_is_missing": Requirement(
        "A machine that lacks the base names commits that it has; what came after the newest that the "
        "work continues is sent, and the whole history only where there is none.",
        "issue 25.3",
    ),
    "cluster:head:frames_are_bounded": Requirement(
        "A placer that sends what is no frame, or more than agreed, is taken for lost.", "issue 25.2"
    ),
}

PUSH: dict[str, Requirement] = {
    "cluster:push:too_large_is_pushed": Requirement(
        "Commits of a job that need more bytes than are sent back are pushed to the run's own ref on the "
        "remote that the machine's owner accepted, come back from there, and land.",
        "issue 25.3",
    ),
    "cluster:push:only_new_refs": Requirement(
        "Such a ref is pushed only where the remote has none of that name, or the same commit, and removed "
        "only with the value that is expected.",
        "issue 25.3",
    ),
    "cluster:push:kept_where_not_pushed": Requirement(
        "Where a worker has no such remote or may not push, its commits are kept there and listed; the run "
        "has failed with the cause `work_kept`, and says what to do.",
        "issue 25.3",
    ),
    "cluster:push:answers_are_data": Requirement(
        "What a worker says of a push is the id of its newest commit and nothing else: remote and ref are "
        "those of the head's own run.",
        "issue 25.2; issue 25.3",
    ),
    "cluster:push:fetched_into_quarantine": Requirement(
        "A pushed commit is taken over if the remote has that very commit under the run's ref, and it "
        "continues the work that was sent, sound by git's checks and within limits of size; else nothing of "
        "it is taken in, and the reason is named.",
        "issue 25.2; issue 25.3",
    ),
    "cluster:push:refs_go_with_the_landing": Requirement(
        "The ref of a run is removed from the remote when its commits landed; that of a run that did not "
        "land stays, and the run is listed with its commit.",
        "issue 25.3",
    ),
}

DISPATCH: dict[str, Requirement] = {
    "cluster:dispatch:shares_least_comes_next": Requirement(
        "Of equally urgent specs the one is started next that is expected to share least files with what is "
        "at work; no agent is idle for it.",
        "issue 25: 5",
    ),
    "cluster:dispatch:spare_holds_back": Requirement(
        "With `dispatch: spare` a spec that shares more than 2 expected files with what is at work waits "
        "while anything else runs.",
        "issue 25: 5",
    ),
    "cluster:dispatch:report_says_foreseen": Requirement(
        "The report of work in parallel, the boards and `chant_work_list` say how many conflicts were "
        "foreseen.",
        "issue 25: 7",
    ),
}

ACCOUNTS: dict[str, Requirement] = {
    "cluster:accounts:most_room_is_taken": Requirement(
        "A run takes the account with most room among those of its agent whose variables are set; `max` "
        "counts over all runs of the clone, a start beyond it is refused, and the record names the account.",
        "issue 25: 5",
    ),
    "cluster:accounts:variables_come_from_ours": Requirement(
        "The agent gets the account's variables with the values of ours that it names, masked in the log.",
        "issue 25: 8",
    ),
    "cluster:accounts:use_is_shown": Requirement(
        "`runs`, `status`, the boards, `chant_work_list`, `chant_status` and `doctor` say how many runs use "
        "each account, and how many may.",
        "issue 25: 7",
    ),
    "cluster:accounts:rate_limit_halves": Requirement(
        "A rate limit halves the number of its account, or of the agent without one; it grows by one a "
        "minute, and the run waits inside and does not fail.",
        "issue 25: 5",
    ),
    "cluster:accounts:projects_name_none": Requirement(
        "Only the user's own configuration names accounts; in a project's the key does nothing.",
        "issue 25: 8",
    ),
}

WHOLE: dict[str, Requirement] = {
    "cluster:whole:spread_and_landed": Requirement(
        "Ready specs are spread over the machines of a cluster and each lands once; its record names its "
        "machine, and at the end no process and no job's folder is left.",
        "issue 25.1; issue 25.3; issue 25.7",
    ),
    "cluster:whole:lost_worker": Requirement(
        "A spec whose worker is killed is tried on another machine with the next token and lands once; the "
        "first agent ends with its worker.",
        "issue 25.4",
    ),
    "cluster:whole:lost_scheduler": Requirement(
        "A run whose scheduler is killed ends with a cause and the scheduler's address; its agent ends and "
        "nothing lands.",
        "issue 25.4",
    ),
    "cluster:whole:log_while_it_works": Requirement(
        "A line of an agent on another machine is in the log here within two seconds of a reader's asking.",
        "issue 25.3",
    ),
    "cluster:whole:no_key_leaves": Requirement(
        "No value of a key in the environment here is in a placer's environment and files, or in a job and "
        "the environment of its agent on a machine.",
        "issue 25.2",
    ),
}

REQUIREMENTS: dict[str, Requirement] = {**ENGINE, **JOBS, **HEAD, **PUSH, **DISPATCH, **ACCOUNTS, **WHOLE}
