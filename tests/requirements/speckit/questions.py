"""speckit: questions to people, their answers and events (issue 8; house)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "speckit:report_status:answers_stay_out_of_logs": Requirement(
        "An answer is in the question's record and in no log.", "issue 8"
    ),
    "speckit:refusals:say_what_to_do": Requirement(
        "A question that is closed, cancelled or unknown and a configuration that cannot be read are refused "
        "with one safe next step.",
        "issue: Spec-kit features: Questions",
    ),
    "speckit:report_status:a_written_record_is_no_failure": Requirement(
        "A question or an answer that was written counts; an event that could not be recorded is a warning.",
        "decisions 3: `rstn_report_status`",
    ),
    "speckit:report_status:cancelled_is_an_error": Requirement(
        "A cancelled question gives `Input request was cancelled` with `isError`.", "reference rstn 2.1"
    ),
    "speckit:report_status:a_form_without_text_is_no_answer": Requirement(
        "A form that comes back without a text, or ill-formed, leaves the question open.", "house: consent"
    ),
    "speckit:report_status:questions_expire": Requirement(
        "A question that no one answers expires, after a week unless configured.", "issue 8"
    ),
    "speckit:report_status:an_answer_wakes_the_call": Requirement(
        "An answer wakes the call that waits for it.", "issue 8"
    ),
    "speckit:report_status:a_call_that_ends_leaves_the_question": Requirement(
        "A call that the client cancels leaves its question open, and the answer unheard.", "issue 8"
    ),
    "speckit:report_status:questions_are_bounded": Requirement(
        "No more than a hundred questions wait at once.", "house: bounds"
    ),
    "speckit:report_status:client_asks_its_user": Requirement(
        "A client that can ask its user does, in both eras of the protocol.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:report_status:first_answer_counts": Requirement(
        "The first answer counts; the client's form is given up then.", "issue 8"
    ),
    "speckit:report_status:several_wait_at_once": Requirement(
        "Several questions wait at once, listed the oldest first.", "issue 8"
    ),
    "speckit:report_status:a_restart_loses_none": Requirement(
        "Questions survive the end of the server.", "issue 8"
    ),
    "speckit:report_status:others_need_not_wait": Requirement(
        "A call that waits for a person holds up no other.", "house: order of calls"
    ),
    "speckit:events:survive_torn_lines": Requirement(
        "An event after a line that a crash tore stands on its own.", "house: durability"
    ),
}
