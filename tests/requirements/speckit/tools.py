"""speckit: the four tools, discovery, errors (seed speckit 7-436)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "speckit:tools:four_exist": Requirement(
        "The tools `rstn_report_status`, `rstn_read_spec`, `rstn_get_context` and `rstn_complete_task` "
        "exist.",
        "seed speckit:7",
    ),
    "speckit:report_status:reports_to_the_control_plane": Requirement(
        "`rstn_report_status` reports the task's status to the control plane.", "seed speckit:21"
    ),
    "speckit:report_status:status_is_one_of_three": Requirement(
        "`status` is required and one of `needs_input`, `completed`, `error`.", "seed speckit:36"
    ),
    "speckit:report_status:prompt_is_for_needs_input": Requirement(
        "`prompt` is the optional question for `needs_input`.", "seed speckit:39"
    ),
    "speckit:report_status:message_is_for_error": Requirement(
        "`message` is the optional text for `error`.", "seed speckit:43"
    ),
    "speckit:report_status:answers_with_the_status": Requirement(
        "The answer is `Status '<status>' reported successfully`.", "seed speckit:92"
    ),
    "speckit:report_status:needs_input_asks_the_user": Requirement(
        "`needs_input` asks the user and keeps the work going.", "seed speckit:101"
    ),
    "speckit:report_status:needs_input_is_durable": Requirement(
        "The question is a durable record; the call waits a bounded time and then returns the question's id.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:report_status:answer_is_returned": Requirement(
        "An answered question gives `User response: …`.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:report_status:question_re_attaches": Requirement(
        "`question`, or the same prompt in the same session, re-attaches to an open question.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:report_status:completed_marks_done": Requirement(
        "`completed` marks the work as done and updates the shown status.", "seed speckit:102"
    ),
    "speckit:report_status:error_is_shown": Requirement(
        "`error` marks the work as done and shows the error.", "seed speckit:103"
    ),
    "speckit:report_status:never_completes_a_run": Requirement(
        "A status is linked to the run of `CHANT_SPEC_ID` and never completes it.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:read_spec:reads_an_artifact": Requirement(
        "`rstn_read_spec` reads a document of the current feature.", "seed speckit:110"
    ),
    "speckit:read_spec:artifact_is_one_of_five": Requirement(
        "`artifact` is required and one of `spec`, `plan`, `tasks`, `checklist`, `analysis`.",
        "seed speckit:122",
    ),
    "speckit:read_spec:spec_is_spec_md": Requirement("`spec` reads `spec.md`.", "seed speckit:140"),
    "speckit:read_spec:plan_is_plan_md": Requirement("`plan` reads `plan.md`.", "seed speckit:141"),
    "speckit:read_spec:tasks_is_tasks_md": Requirement("`tasks` reads `tasks.md`.", "seed speckit:142"),
    "speckit:read_spec:checklist_is_checklist_md": Requirement(
        "`checklist` reads `checklist.md`.", "seed speckit:143"
    ),
    "speckit:read_spec:analysis_is_analysis_md": Requirement(
        "`analysis` reads `analysis.md`.", "seed speckit:144"
    ),
    "speckit:read_spec:answers_with_the_text": Requirement(
        "The answer is the text of the document.", "seed speckit:169"
    ),
    "speckit:read_spec:not_found_is_an_error": Requirement(
        "A missing document gives `Artifact '<a>' not found. Feature context: <c>` with `isError`.",
        "seed speckit:183",
    ),
    "speckit:read_spec:no_feature_is_an_error": Requirement(
        "Outside a feature the call is an error.", "seed speckit:192"
    ),
    "speckit:read_spec:unknown_artifact_is_refused": Requirement(
        "An unknown artifact name is a validation error.", "seed speckit:194"
    ),
    "speckit:read_spec:changes_nothing": Requirement("`rstn_read_spec` only reads.", "seed speckit:436"),
    "speckit:get_context:takes_no_parameters": Requirement(
        "`rstn_get_context` takes no parameters.", "seed speckit:215"
    ),
    "speckit:get_context:answer_has_five_keys": Requirement(
        "The answer has `feature_number`, `feature_name`, `branch`, `phase` and `spec_dir`, as compact JSON.",
        "seed speckit:221; decisions 3: Tool result",
    ),
    "speckit:get_context:phase_is_one_of_four": Requirement(
        "`phase` is `specify`, `plan`, `tasks` or `implement`.", "seed speckit:236"
    ),
    "speckit:get_context:all_null_outside_a_feature": Requirement(
        "Outside a feature every field is null and the call is no error.", "seed speckit:262"
    ),
    "speckit:get_context:feature_order": Requirement(
        "The feature comes from `SPECIFY_FEATURE_DIRECTORY`, `.specify/feature.json`, the branch, then the "
        "folder.",
        "decisions 3: speckit feature",
    ),
    "speckit:get_context:conflict_warns": Requirement(
        "Disagreeing sources of the feature give a warning in the answer.",
        "decisions 3: speckit feature",
    ),
    "speckit:complete_task:task_id_is_required": Requirement(
        "`rstn_complete_task` requires `task_id`, such as `T001`.", "seed speckit:308"
    ),
    "speckit:complete_task:skip_validation_is_false": Requirement(
        "`skip_validation` is optional and false unless given.", "seed speckit:309"
    ),
    "speckit:complete_task:answers_with_the_id": Requirement(
        "The answer is `Task <id> marked for completion. Processing...` and the progress, such as `3/10 "
        "tasks complete`.",
        "seed speckit:335; decisions 3: `rstn_complete_task`",
    ),
    "speckit:complete_task:finds_the_task_by_id": Requirement(
        "The task is found by its ID in the feature's `tasks.md`.", "seed speckit:344"
    ),
    "speckit:complete_task:ticks_one_box": Requirement(
        "`- [ ] T001` becomes `- [x] T001`: one character changes.",
        "seed speckit:345; decisions 3: `rstn_complete_task`",
    ),
    "speckit:complete_task:is_saved_when_it_answers": Requirement(
        "`tasks.md` is saved when the answer is sent.",
        "seed speckit:346; decisions 3: `rstn_complete_task`",
    ),
    "speckit:complete_task:unknown_task": Requirement(
        "An unknown task gives `Task T999 not found`, with its ID.", "seed speckit:354"
    ),
    "speckit:complete_task:no_task_list": Requirement(
        "Without a task list the error is `No task list loaded`.", "seed speckit:355"
    ),
    "speckit:complete_task:no_feature": Requirement(
        "Outside a feature the error is `No feature context`.", "seed speckit:356"
    ),
    "speckit:complete_task:open_subtasks_refuse": Requirement(
        "Open subtasks and open `(depends on …)` tasks refuse unless validation is skipped.",
        "decisions 3: `rstn_complete_task` validation",
    ),
    "speckit:complete_task:phase_order_warns": Requirement(
        "Phase order and missing files only warn, unless configured strict.",
        "decisions 3: `rstn_complete_task` validation",
    ),
    "speckit:discovery:http_endpoint": Requirement(
        "A client can reach the server over HTTP with server-sent events, by default at port 19560.",
        "seed speckit:368",
    ),
    "speckit:discovery:client_file_is_written": Requirement(
        "The client's server list gets an entry for the server.",
        "seed speckit:373",
    ),
    "speckit:errors:missing_field": Requirement(
        "A missing field gives `Error: Missing 'status' field`, with its name.",
        "seed speckit:386",
    ),
    "speckit:errors:internal": Requirement(
        "An internal failure gives `Error: …` with `isError: true`.", "seed speckit:402"
    ),
    "speckit:tools:are_those_of_the_seed": Requirement(
        "Descriptions, parameters and their descriptions are those of the seed; ours come behind them.",
        "seed speckit:19",
    ),
    "speckit:tools:are_found_by_their_files": Requirement(
        "`.specify`, or a numbered directory in `specs`, makes a folder a spec-kit project.",
        "decisions 3: Default tools",
    ),
    "speckit:tools:read_only_drops_what_writes": Requirement(
        "A read-only server offers `rstn_read_spec` and `rstn_get_context` only.",
        "decisions 3: Default tools",
    ),
    "speckit:tools:instructions_mention_them": Requirement(
        "A model learns at the start what the tools are for, where there are features.",
        "house: instructions",
    ),
    "speckit:python:is_the_same_core": Requirement(
        "`SpeckitFeatures` gives scripts the answers of the tools.", "house: scripts"
    ),
}
