"""Runs on other machines (issue 25)."""

from requirements import Requirement

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

REQUIREMENTS: dict[str, Requirement] = {**JOBS}
