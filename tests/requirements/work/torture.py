"""Deaths, failing writes and a jumping calendar (issue: Watch, recovery and torture)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:torture:nothing_is_lost": Requirement(
        "Whatever dies at whatever moment, one look by `watch --once` later no commit is lost, nothing is "
        "completed without evidence, every commit seen in a run's folder is in the project or there, and no "
        "process, lock, folder or ref of what a run began with is left; with runs that are confined, "
        "two servers among the victims, writes that fail and a calendar that jumps.",
        "issue: Watch, recovery and torture",
    ),
    "chant:work:failing_writes_lose_nothing": Requirement(
        "Whichever write of a run fails, its start, its end or the landing of its merge: the checkout is "
        "whole, no commit is lost, and when the disk is well again the work is completed.",
        "issue: Watch, recovery and torture",
    ),
    "chant:clock:jumps_change_nothing": Requirement(
        "A calendar that is set hours or days ahead or back prunes no record, stops no run, hastens or "
        "delays no retry, sweeps nothing that is in use, and keeps the lines of a log in order.",
        "issue: Watch, recovery and torture",
    ),
    "chant:recovery:others_recovery_is_waited_for": Requirement(
        "A start while another process looks after the spec's dead run waits for that, five seconds at most.",
        "issue: Watch, recovery and torture",
    ),
}
