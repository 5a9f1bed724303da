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
        "and state.",
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
    "cluster:engine:bounded": Requirement(
        "Frames, jobs, results, the status and what is kept are bounded; what a worker says is read as data.",
        "issue 25.2",
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

REQUIREMENTS: dict[str, Requirement] = {**ENGINE}
