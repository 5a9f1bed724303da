"""Models over HTTP (reference chant 6.5, issue 7)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:http:a_split_is_a_question": Requirement(
        "A model over HTTP that is asked to split a spec looks at files and answers with text.", "issue 7"
    ),
    "chant:http:tool_loop": Requirement(
        "The providers `ollama` and `openai` have a model work by `read_file`, `write_file`, `run_command`, "
        "`list_files` and `task_complete`.",
        "reference chant 6.5",
    ),
    "chant:http:paths_are_confined": Requirement(
        "Tools of a model over HTTP touch nothing outside the worktree and nothing that is git's own.",
        "reference chant 6.5; decisions 4",
    ),
    "chant:http:results_are_cut": Requirement(
        "Long files come in pages, long outputs are cut, and the model learns it.", "issue 7"
    ),
    "chant:http:bad_calls_are_told_to_the_model": Requirement(
        "A call with bad arguments, of an unknown tool, or for a file that is no text is an error for the "
        "model, which goes on.",
        "issue 7",
    ),
    "chant:http:trouble_that_may_pass_is_tried_again": Requirement(
        "429, 500, 502, 503, 504, refused connections and answers that break off are tried again "
        "`max_retries` times, after `retry_delay_ms` doubled each time, or when the server says.",
        "reference chant 6.5",
    ),
    "chant:http:refusals_are_told_at_once": Requirement(
        "Any other refusal of a server ends the run at once, with the server's words.", "issue 7"
    ),
    "chant:http:rounds_are_bounded": Requirement("A model over HTTP has 50 rounds.", "reference chant 6.5"),
    "chant:http:text_alone_is_answered_once": Requirement(
        "A model that calls no tool is reminded once; text alone after that ends the run, nothing fails it.",
        "issue 7",
    ),
    "chant:http:endpoints_are_checked": Requirement(
        "An endpoint that is no address, or that holds a password, is refused.", "issue 7"
    ),
    "chant:http:talk_is_logged": Requirement(
        "What a model over HTTP says, the tools that it calls and the beginnings of their results are lines "
        "of the log.",
        "reference chant 6.5",
    ),
    "chant:http:key_stays_with_the_agent": Requirement(
        "`OPENAI_API_KEY` reaches neither the commands of a model nor the log nor the record.",
        "decisions 3: Secrets",
    ),
    "chant:http:is_stopped_like_any_agent": Requirement(
        "Pausing ends a model's answer in the middle and the command that it runs, and keeps the worktree.",
        "issue 7",
    ),
    "chant:http:what_is_missing_is_told": Requirement(
        "A start and `chant_diagnose` name the endpoint, model or key that a provider over HTTP lacks.",
        "issue 7",
    ),
    "chant:http:providers_block": Requirement(
        "`providers.ollama` and `providers.openai` are read from the user's and the project's configuration, "
        "key by key, and used.",
        "reference chant 7",
    ),
    "chant:http:certificates": Requirement(
        "An `https` endpoint has to prove who it is; `SSL_CERT_FILE` names further authorities.", "issue 7"
    ),
    "chant:http:proxies": Requirement(
        "The proxy that the environment names is used, but never for this machine.", "house: networks"
    ),
    "chant:rotation:weight_and_capacity": Requirement(
        "`rotation_strategy` `random` and `round_robin` choose among `parallel.agents` by weight; none of "
        "them works on more specs than its `max_concurrent`, however the runs were started.",
        "reference chant 7",
    ),
    "chant:rotation:single_starts_take_turns": Requirement(
        "With a rotation strategy, starts that name no agent take the agents of `parallel.agents` in turn.",
        "reference chant 6.5",
    ),
    "chant:parallel:starts_are_staggered": Requirement(
        "Between starts of work in parallel passes `stagger_delay_ms`, more or less by `stagger_jitter_ms`; "
        "who stops the work does not wait for that.",
        "reference chant 7",
    ),
    "init:provider:can_be_started": Requirement(
        "Every provider that `init` takes can be started.", "issue 7"
    ),
}
