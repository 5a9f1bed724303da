"""Protocol (seed chant 1550-1699)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "server:tasks:a_start_is_one": Requirement(
        "A start is a task for clients that declare tasks: created, polled while it works, ended with it.",
        "issue 23: Starts and splits as tasks",
    ),
    "server:tasks:a_split_is_one": Requirement(
        "A split is a task for clients that declare tasks, which ends with its proposal; what is refused, or "
        "proposed already, is none.",
        "issue 23: Starts and splits as tasks",
    ),
    "server:tasks:cancelling_pauses": Requirement(
        "Cancelling a task pauses its run and discards nothing; a task of another server is not acted on.",
        "issue 23: Starts and splits as tasks",
    ),
    "server:tasks:only_where_declared": Requirement(
        "A request that does not declare tasks gets the ordinary answer; what is refused is no task.",
        "issue 23: Starts and splits as tasks",
    ),
    "protocol:stdio:json_rpc_one_object_per_line": Requirement(
        "Requests and answers are JSON-RPC 2.0 objects, one a line, on standard input and output.",
        "seed chant:1552; reference chant 5.0",
    ),
    "protocol:stdio:blank_lines_are_skipped": Requirement(
        "Blank lines on standard input are skipped without an answer.", "reference chant 5.0"
    ),
    "protocol:bare_requests:tools_list_without_handshake": Requirement(
        "A single piped `tools/list` without a handshake is answered with the tools.",
        "seed chant:46; decisions 3: Bare requests on stdio",
    ),
    "protocol:bare_requests:initialize_without_params": Requirement(
        "A single piped `initialize` without params is answered.",
        "seed chant:49; decisions 3: Bare requests on stdio",
    ),
    "protocol:bare_requests:tools_call_without_handshake": Requirement(
        "A single piped `tools/call` without a handshake is answered with the tool's result.",
        "seed chant:52; decisions 3: Bare requests on stdio",
    ),
    "protocol:bare_requests:later_initialize_still_works": Requirement(
        "After a bare first request or `ping`, a real `initialize` on the same connection still works.",
        "reference mcp 9",
    ),
    "protocol:one_shot:all_requests_are_answered_before_the_end": Requirement(
        "When the input ends at once, every request read so far is answered before the process ends.",
        "issue: Protocol; reference mcp 9",
    ),
    "protocol:one_shot:waiting_is_bounded": Requirement(
        "After the end of input the server waits at most a bounded time for unanswered requests.",
        "reference mcp 9",
    ),
    "protocol:one_shot:cancelled_requests_do_not_delay_the_end": Requirement(
        "Cancelled requests do not delay the end of the process.", "reference mcp 9"
    ),
    "protocol:initialize:version_2024_11_05_without_params": Requirement(
        "`initialize` without params agrees on protocol version `2024-11-05`.",
        "seed chant:1573; reference mcp 9",
    ),
    "protocol:initialize:advertises_tools": Requirement(
        "The `initialize` answer advertises the `tools` capability.", "seed chant:1574"
    ),
    "protocol:initialize:server_is_named_chant": Requirement(
        "`serverInfo.name` is `chant`.", "seed chant:1578"
    ),
    "protocol:initialize:reports_the_package_version": Requirement(
        "`serverInfo.version` is the version of our package.", "seed chant:1579; reference chant 8.1 D31"
    ),
    "protocol:budgets:who_does_not_read_is_not_read": Requirement(
        "A client that asks and does not read is not read either, so that its answers do not fill the memory;"
        " once it reads, all of them come.",
        "issue 43: Durable landings 5",
    ),
    "protocol:budgets:slope": Requirement(
        "Many calls and sessions take no more memory, descriptors or threads than a few.",
        "issue 43: Durable landings 5",
    ),
    "protocol:refusals:what_cannot_be_kept": Requirement(
        "A progress token that is no text or integer, and a subscription to what can never be there, are"
        " refused.",
        "issue 43: Durable landings 7",
    ),
    "protocol:revisions:four_by_handshake": Requirement(
        "A client can agree on 2024-11-05, 2025-03-26, 2025-06-18 or 2025-11-25 by handshake.",
        "issue: Protocol; decisions 3: Protocol revisions",
    ),
    "protocol:revisions:2026_07_28_by_envelope": Requirement(
        "A client can speak revision 2026-07-28 by the envelope of each request.",
        "issue: Protocol; decisions 3: Protocol revisions",
    ),
    "protocol:tools:list_advertises_them": Requirement(
        "`tools/list` describes every tool with name, description and input schema of type `object`.",
        "seed chant:1554",
    ),
    "protocol:tools:call_runs_one": Requirement(
        "`tools/call` with a name and arguments runs that tool.", "seed chant:1555"
    ),
    "protocol:errors:invalid_json_is_32700": Requirement(
        "A line that is not JSON is answered with code -32700.", "seed chant:1594; issue: Protocol"
    ),
    "protocol:errors:invalid_json_has_null_id": Requirement(
        "The answer to a line that is not JSON has `id: null`.",
        "seed chant:1727; decisions 3: Bare requests on stdio",
    ),
    "protocol:errors:invalid_json_names_the_place": Requirement(
        "For `invalid json` the message is `Parse error: expected value at line 1 column 1`.",
        "seed chant:1725",
    ),
    "protocol:errors:wrong_version_is_32600": Requirement(
        'A `jsonrpc` other than `"2.0"` is answered with -32600 `Invalid JSON-RPC version`.',
        "seed chant:1595; issue: Protocol",
    ),
    "protocol:errors:wrong_version_echoes_the_id": Requirement(
        "The answer to a wrong `jsonrpc` echoes the request's id.", "reference mcp 9; reference chant 5.0"
    ),
    "protocol:errors:batch_is_32600": Requirement(
        "A batch (a JSON array) is answered with -32600.", "reference mcp 9"
    ),
    "protocol:errors:unknown_method_is_32601": Requirement(
        "An unknown method is answered with -32601 and `Method not found`.",
        "seed chant:1650; issue: Protocol; reference chant 5.0 R",
    ),
    "protocol:errors:object_has_code_and_message": Requirement(
        'A protocol error has `jsonrpc: "2.0"`, an integer `error.code`, a readable `error.message` and '
        "the request's id.",
        "seed chant:1605",
    ),
    "protocol:errors:tool_errors_are_results": Requirement(
        "An error of a tool is a result with `isError: true` and its text as content, without an `error` "
        "member.",
        "seed chant:1623",
    ),
    "protocol:results:content_is_a_list_of_text": Requirement(
        "A successful result has `content`, a list whose entries have type `text`.", "seed chant:1676"
    ),
    "protocol:results:id_is_echoed": Requirement(
        'Every answer carries `jsonrpc: "2.0"` and the id of its request.', "seed chant:1679"
    ),
    "protocol:notifications:are_not_answered": Requirement(
        "A message without an `id` is never answered.", "seed chant:1683"
    ),
    "protocol:notifications:initialized_is_accepted": Requirement(
        "`notifications/initialized` is accepted silently.", "seed chant:1693"
    ),
    "protocol:envelope:each_request_has_one_answer_under_its_id": Requirement(
        "Each request that can be read gets exactly one answer, under its own id: also one that is nested"
        " deeply, has half of a surrogate pair in a method or a parameter, or texts that are too long.",
        "issue: Refused means nothing happened, points 11 to 13",
    ),
    "protocol:envelope:ids_are_texts_or_integers": Requirement(
        "An id is a text or an integer, `1.0` being one; with any other the request is refused, with a"
        " fraction under its own id, else with `id: null`.",
        "issue: Refused means nothing happened, point 12",
    ),
    "protocol:envelope:messages_have_a_largest_size": Requirement(
        "A message above 16 MiB on stdio, 4 MiB over HTTP, is refused, on stdio under its id; the next is"
        " served.",
        "issue: Refused means nothing happened, point 13",
    ),
    "protocol:envelope:answers_have_a_largest_size": Requirement(
        "Whatever is sent, an answer is JSON of bounded size and the process lives.",
        "issue: Refused means nothing happened, points 11 and 13",
    ),
    "protocol:capabilities:nothing_is_announced_that_is_not_there": Requirement(
        "`listChanged` and `subscribe` are announced for exactly what is sent, in both eras and over both"
        " transports: for prompts never, for tools where their list goes by what is there, and by the"
        " server of"
        " a run not at all.",
        "issue: Refused means nothing happened, point 15; decisions 6: Capabilities",
    ),
    "protocol:changes:lists_are_announced": Requirement(
        "A client hears within a second that the listed tools or the items are others, on its connection"
        " after"
        " `initialized` or on a stream of `subscriptions/listen`, over pipes and over HTTP.",
        "issue: A board in the browser, point 8",
    ),
    "protocol:changes:resources_are_announced": Requirement(
        "A client that subscribed to the document of an item hears of its changes, and of no other document.",
        "issue: A board in the browser, point 8",
    ),
    "protocol:changes:gathered": Requirement(
        "Changes are announced together after a tenth of a second.", "issue: A board in the browser, point 8"
    ),
    "protocol:changes:only_who_said_initialized": Requirement(
        "A client without a handshake hears of no list, and of a resource only when it subscribed to it.",
        "issue: A board in the browser, point 8",
    ),
    "protocol:changes:streams_are_answered": Requirement(
        "An open `subscriptions/listen` is answered when the input ends, and holds the end back no longer.",
        "issue: A board in the browser, point 8",
    ),
    "protocol:changes:bounded": Requirement(
        "At most 100 items are named at once, 1,000 connections and streams are notified, and one over HTTP"
        " that takes nothing is dropped and holds up no other.",
        "issue: A board in the browser, point 8",
    ),
    "protocol:clients:faults_are_seen": Requirement(
        "The trials of outside clients (`python -m bench.clients`) name each step that fails or gives"
        " something else, and an event that comes twice; what a client does not support is no failure.",
        "issue 23: point 8",
    ),
    "protocol:progress:long_work_is_reported": Requirement(
        "Reading, linting, importing and exporting many files report how far they are, from one second on at"
        " each twentieth or quarter of a second.",
        "issue: A board in the browser, point 10",
    ),
    "protocol:exit:ends_with_its_client": Requirement(
        "The process ends within a second when its client is gone: when no one reads its output, or the input"
        " has ended and the output is full or a question waits; so does `connect`.",
        "issue: Refused means nothing happened, point 14",
    ),
    "protocol:exit:open_questions_are_named": Requirement(
        "A call that waits for a person is answered with the ID of its question when the input ends or a"
        " signal comes.",
        "issue: Refused means nothing happened, point 14",
    ),
    "protocol:flight:several_requests_at_once": Requirement(
        "A slow call does not hold back the answers to requests sent after it.", "issue: Protocol"
    ),
    "protocol:flight:calls_take_effect_in_their_order": Requirement(
        "Calls that change something take effect in the order in which they came, and a call sees what "
        "those before it changed.",
        "reference chant 5.0",
    ),
    "protocol:flight:cancellation_is_honoured": Requirement(
        "A cancelled request is not answered, and the server stays usable.", "issue: Protocol"
    ),
    "protocol:stdio:stdout_carries_messages_only": Requirement(
        "Every byte on standard output belongs to a JSON-RPC message; stray prints go to standard error.",
        "issue: Protocol; decisions 4; reference chant 10.9.14; reference mcp 9",
    ),
    "protocol:stdio:children_read_end_of_file": Requirement(
        "A child process of the server cannot read the protocol's input: it sees end of file.",
        "reference mcp 9",
    ),
    "protocol:stdio:megabyte_arguments_work": Requirement(
        "A request with arguments of a megabyte is served.", "reference mcp 9"
    ),
    "protocol:exit:sigterm_ends_cleanly": Requirement(
        "SIGTERM ends the process at once, with clean-up and exit code 0.", "issue: Protocol; reference mcp 9"
    ),
    "protocol:exit:ctrl_c_ends_cleanly": Requirement(
        "Ctrl-C ends the process at once, with clean-up and exit code 0.", "reference mcp 9"
    ),
    "protocol:exit:closed_input_ends_cleanly": Requirement(
        "Closed standard input ends the process at once when no answer is owed.", "issue: Protocol"
    ),
}
