"""What agents tell of themselves: causes of failures, costs, and limits of both."""

from requirements import Requirement

_CAUSES = "issue: The first run of a real agent succeeds, point 2; reference agents 10"
_COSTS = "issue: The first run of a real agent succeeds, point 3"

REQUIREMENTS: dict[str, Requirement] = {
    "chant:events:hostile_output_is_bounded": Requirement(
        "Events are read however an agent's lines are cut; lines that are too long, no JSON, or nested"
        " without end are left out, cost no memory, and hide no later event.",
        "issue: The first run of a real agent succeeds, point 1; reference agents 0",
    ),
    "chant:events:usage_is_read_from_each_format": Requirement(
        "Session, turns, tokens and money are read from the events of Claude Code, Codex, Copilot, Cursor,"
        " OpenCode, Gemini, Cline, Goose and pi; no token counts twice.",
        "reference agents 1 to 8",
    ),
    "chant:events:money_is_none_where_it_is_not_reported": Requirement(
        "An agent that does not report money has no cost, rather than a cost of 0.", _COSTS
    ),
    "chant:events:causes_are_read_from_events": Requirement(
        "Events name the cause of a failure, whatever exit code or `success` stands beside them.", _CAUSES
    ),
    "chant:events:causes_are_read_from_exit_and_stderr": Requirement(
        "Where events do not, the exit code, the signal and the last lines of standard error name the cause.",
        _CAUSES,
    ),
    "chant:events:each_cause_has_a_next_step": Requirement(
        "Each cause has a sentence and one next step, which the list of runs and the diagnosis tell in place"
        " of starting the same again.",
        _CAUSES,
    ),
    "chant:events:wrong_key_ends_the_run_at_once": Requirement(
        "A key that is refused ends the run at the first event that says so, and is named.", _CAUSES
    ),
    "chant:events:passing_trouble_is_waited_for": Requirement(
        "After a rate limit or an overload the agent is started again in the same run, as often and as late"
        " as the configured retries say; the record names the limit and the time of the next try meanwhile.",
        _CAUSES,
    ),
    "chant:events:waits_are_shown": Requirement(
        "An agent that waits by itself for its provider is shown as waiting, with the time and the cause, and"
        " silence during that time does not count as idle.",
        "issue: Ordinary repositories, 10",
    ),
    "chant:events:repeating_causes_are_not_retried": Requirement(
        "A cause that the same start meets again is not tried again, whatever the log says.", _CAUSES
    ),
    "chant:events:denials_are_named": Requirement(
        "A tool that was refused to an agent is named in the record, and in the reason where no work came of"
        " it.",
        _CAUSES,
    ),
    "chant:costs:usage_is_recorded_and_listed": Requirement(
        "Turns, tokens and money of a run, all tries together, stand in its record, in `chant_work_list`, and"
        " in `runs` with and without `--json`.",
        _COSTS,
    ),
    "chant:costs:limits_end_a_run": Requirement(
        "A run that reaches `limits.tokens` or `limits.cost_usd` is ended; its reason tells what was used.",
        _COSTS,
    ),
    "chant:costs:limits_per_day_count_24_hours": Requirement(
        "No run is started when those of the last 24 hours used what the limits of a day allow.", _COSTS
    ),
    "chant:costs:smaller_limit_counts": Requirement(
        "Of what the user's and the project's configuration allow to be used, the smaller counts.", _COSTS
    ),
    "chant:costs:money_limit_needs_money": Requirement(
        "A limit of money, or of tokens, is refused before the start of an agent that does not report that.",
        _COSTS,
    ),
    "chant:costs:forecast_learns_from_receipts": Requirement(
        "A forecast knows the runs of which receipts are left, also when their records are gone.",
        "issue 43: point 5",
    ),
    "chant:costs:forecast_has_p50_and_p90": Requirement(
        "`work --dry-run` starts nothing and tells which specs would be worked on, and the expected time,"
        " tokens and money with P50 and P90 from completed runs; where these are too few, it says so.",
        _COSTS,
    ),
}
