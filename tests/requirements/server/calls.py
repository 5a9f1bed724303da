"""Arguments of a call and its answer (decisions 3: Missing or ill-typed argument, Size of a result)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    # Arguments of a call
    "server:arguments:missing_id_is_named": Requirement(
        "A call without a required `id` gives the tool error `Missing required parameter: id`.",
        "seed chant:1646; decisions 3: Missing or ill-typed argument",
    ),
    "server:arguments:any_missing_parameter_is_named": Requirement(
        "Any other required parameter that is absent is named the same way: `query`, `description`.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "server:arguments:wrong_type_is_named": Requirement(
        "A wrong type, also of an optional argument, gives a tool error such as `Invalid parameter 'limit': "
        "expected integer, got string`.",
        "decisions 3: Missing or ill-typed argument; seed chant:1709; reference chant 5.0 R, 8.2 W23",
    ),
    "server:arguments:bad_arguments_are_never_protocol_errors": Requirement(
        "Bad arguments are answered with `isError: true`, never with a JSON-RPC error.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "server:arguments:null_means_absent": Requirement(
        "An argument given as `null` counts as absent.", "decisions 3: Missing or ill-typed argument"
    ),
    "server:arguments:whole_float_is_an_integer": Requirement(
        "`5.0` is accepted where an integer is expected.", "decisions 3: Missing or ill-typed argument"
    ),
    "server:arguments:digit_string_is_not_an_integer": Requirement(
        '`"5"` is refused where an integer is expected.', "decisions 3: Missing or ill-typed argument"
    ),
    "server:arguments:unknown_argument_is_refused": Requirement(
        "An unknown argument is refused, and the nearest known name is suggested.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "server:arguments:arbitrary_json_never_crashes_a_tool": Requirement(
        "Whatever JSON object a tool is given, it answers or gives a tool error; it never crashes.",
        "issue: Bad input",
    ),
    "server:call:absent_arguments_are_an_empty_object": Requirement(
        "A `tools/call` without `arguments` is treated as one with `{}`.",
        "decisions 3: `tools/call` details; seed chant:1649",
    ),
    "server:call:missing_name_is_a_tool_error": Requirement(
        "A `tools/call` without a name, or with one that is not a string, gives the tool error `Missing tool "
        "name`.",
        "seed chant:1648; decisions 3: `tools/call` details",
    ),
    "server:call:unknown_tool_is_a_tool_error": Requirement(
        "An unknown tool gives the tool error `Unknown tool: <name>`.",
        "seed chant:1651; decisions 3: Unknown tool",
    ),
    "server:call:unknown_tool_suggests_the_nearest": Requirement(
        "The error for an unknown tool names the nearest known tool.", "decisions 3: Unknown tool"
    ),
    "server:call:crash_gives_a_reference_number": Requirement(
        "A crash inside one call is a tool error with a reference number.",
        "issue: Protocol; decisions 3: `tools/call` details; seed chant:1596",
    ),
    "server:call:reference_number_is_in_the_log": Requirement(
        "The reference number of a crash is found in the server's log with the trace.", "issue: Protocol"
    ),
    # Shape and size of an answer
    "server:result:json_has_a_row_a_line": Requirement(
        "A JSON answer is one text block of JSON with a line for each key and each row, without blanks.",
        "seed chant:167; decisions 3: Tool result",
    ),
    "server:result:structured_content_equals_the_text": Requirement(
        "A JSON answer carries the same object as structured content.",
        "issue: Seventeen tools; decisions 3: Tool result",
    ),
    "server:result:prose_has_no_structured_content": Requirement(
        "An answer that the seed shows as prose is text only.", "decisions 3: Tool result"
    ),
    "server:result:arrays_are_wrapped_in_structured_content": Requirement(
        'An array answer is the array as text and `{"result", "total", "returned"}` as structured content.',
        "decisions 3: Tool result",
    ),
    "server:result:cut_arrays_say_so_in_a_second_block": Requirement(
        "When an array answer is cut, a second text block says so.",
        "decisions 3: Tool result",
    ),
    "server:result:no_banner": Requirement(
        "No answer is wrapped in banner lines.", "decisions 3: Tool result; reference chant 5.0 R, 8.1 D6"
    ),
    "server:result:keys_keep_the_order_of_the_seed": Requirement(
        "The keys of a JSON answer stand in the order in which the seed lists them.",
        "decisions 3: Keys order in JSON",
    ),
    "server:result:statuses_are_underscored": Requirement(
        "Every answer spells `in_progress` and `needs_attention` with an underscore.",
        "decisions 3: Statuses in JSON; reference chant 3 R, 8.1 D5",
    ),
    "server:sizes:text_stays_under_50000_characters": Requirement(
        "The text block of any answer stays under 50,000 characters.", "decisions 3: Size of a result"
    ),
    "server:sizes:spec_get_takes_offset_and_max_chars": Requirement(
        "`chant_spec_get` takes `offset` and `max_chars`, which is 40,000 unless given.",
        "decisions 3: Size of a result",
    ),
    "server:sizes:lists_take_limit_and_offset": Requirement(
        "`chant_spec_list`, `chant_ready`, `chant_lint` and `chant_search` take `limit` and `offset`, "
        "`chant_work_list`, of which at most 200 records are kept, `offset`.",
        "decisions 3: Size of a result",
    ),
    "server:sizes:cut_answers_say_how_to_go_on": Requirement(
        "An answer that leaves something out says what, and how to get it.", "decisions 3: Size of a result"
    ),
    "server:sizes:other_lists_page_too": Requirement(
        "`vine_next` takes `limit` and `offset`; `list_crs` shows 20 tickets by default.",
        "decisions 3: Size of a result",
    ),
    "server:times:are_utc": Requirement("Times that we write into files are UTC.", "reference chant 8.2 W23"),
}
