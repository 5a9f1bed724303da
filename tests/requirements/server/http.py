"""HTTP (issue 8; seed speckit, tool discovery)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "http:transports:all_tools_on_all_of_them": Requirement(
        "Streamable HTTP at `/mcp` and the SSE transport at `/` and `/sse` serve all tools.",
        "issue 8: HTTP; seed speckit:368",
    ),
    "http:arguments:same_results_as_on_stdio": Requirement(
        "Missing and ill-typed arguments are the same tool results as on standard input and output.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "http:revisions:all_of_them": Requirement(
        "Every revision from 2024-11-05 to 2025-11-25 is spoken by handshake, 2026-07-28 by "
        "envelope; DELETE ends a session.",
        "decisions 3: Protocol revisions",
    ),
    "http:sessions:missed_events_are_sent_again": Requirement(
        "A client whose connection broke gets what it missed of its own session.",
        "issue 8: HTTP",
    ),
    "http:questions:reach_the_client_that_called": Requirement(
        "A question of a tool reaches the client that called it.",
        "issue 8: Status and questions",
    ),
    "http:questions:need_no_stream_of_their_own": Requirement(
        "A question comes on the stream of the call it belongs to, so that a client needs no other one.",
        "issue 8: Status and questions",
    ),
    "http:progress:reaches_the_client_that_called": Requirement(
        "Progress reaches the client that called.",
        "issue 8: HTTP",
    ),
    "http:cancel:by_disconnect_where_there_are_no_sessions": Requirement(
        "Closing the connection cancels a call of revision 2026-07-28; a call of a session goes on.",
        "reference mcp 1",
    ),
    "http:clients:do_not_hold_each_other_up": Requirement(
        "A slow call holds no other client up.",
        "issue 8: HTTP",
    ),
    "http:clients:each_has_its_own_folders": Requirement(
        "The folders of a client say which project and which files it means, and nothing to the others.",
        "decisions 3: Which project",
    ),
    "http:options:are_those_of_stdio": Requirement(
        "`--read-only`, `--toolsets` and `--project` mean the same as on standard input and output.",
        "issue 8: HTTP",
    ),
    "http:options:need_http": Requirement(
        "Options of a server over HTTP are refused without `--http`.",
        "house: command line",
    ),
    "http:servers:many_on_one_project": Requirement(
        "Several servers on one project have ports and entries of their own and lose no change.",
        "issue 8: HTTP",
    ),
    "http:end:calls_in_flight_are_answered": Requirement(
        "SIGTERM and Ctrl-C let calls in flight be answered and end the server with exit code 0.",
        "issue 8: HTTP",
    ),
    "http:end:is_bounded": Requirement(
        "A call that does not end does not hold the end up.",
        "issue 8: HTTP",
    ),
    "http:token:asked_for_everywhere": Requirement(
        "Without the token no one comes in: 401 with `WWW-Authenticate`; with it every client does.",
        "issue 8: HTTP",
    ),
    "http:token:never_logged": Requirement(
        "The token is in no log, and is not taken from a URL.",
        "issue 8: HTTP",
    ),
    "http:token:found_by_its_owner": Requirement(
        "A new token is in a file for its owner alone, named at the start and gone at the end.",
        "house: command line",
    ),
    "http:token:file_of_ones_own": Requirement(
        "`--token-file` brings a token along or makes one; a file that others may read is refused.",
        "house: command line",
    ),
    "http:no_auth:on_this_machine_alone": Requirement(
        "`--no-auth` is refused where other machines reach the server.",
        "issue 8: HTTP",
    ),
    "http:health:needs_no_token": Requirement(
        "`/health` answers without a token and tells nothing of the project.",
        "reference rstn 3.4",
    ),
    "http:rebinding:foreign_hosts_are_refused": Requirement(
        "A request with a foreign `Host` is refused.",
        "issue 8: HTTP",
    ),
    "http:rebinding:foreign_origins_are_refused": Requirement(
        "A request with a foreign `Origin` is refused.",
        "issue 8: HTTP",
    ),
    "http:rebinding:own_names_are_answered": Requirement(
        "The server answers to its own names with its port, and to those that the user allows.",
        "issue 8: HTTP",
    ),
    "http:rebinding:names_of_a_proxy_are_answered": Requirement(
        "A name that the user allows is answered without a port and with the listener's, over HTTPS, too.",
        "house: HTTP behind a proxy",
    ),
    "http:rebinding:no_other_page_reads": Requirement(
        "No answer allows pages of other origins to read it.",
        "reference rstn 3.4",
    ),
    "http:requests:what_is_wrong_is_said": Requirement(
        "Bad JSON, other kinds of content, unknown paths, wrong methods are reported by status, without "
        "a traceback.",
        "issue 8: HTTP",
    ),
    "http:requests:have_a_limit": Requirement(
        "Requests of more than 4 MiB are refused.",
        "issue 8: HTTP",
    ),
    "http:address:default_and_forms": Requirement(
        "`--http` takes nothing, PORT, HOST or HOST:PORT; the usual address is 127.0.0.1:19560.",
        "seed speckit:368; issue 8: HTTP",
    ),
    "http:address:hosts_of_others_are_refused": Requirement(
        "A host that is none of this machine is refused by name.",
        "house: command line",
    ),
    "http:port:free_one_when_the_usual_is_taken": Requirement(
        "When the usual port is taken, a free one is used and reported.",
        "issue 8: HTTP",
    ),
    "http:port:a_taken_one_that_was_asked_for_is_an_error": Requirement(
        "A port that was asked for and is taken is an error with one safe next step.",
        "issue 8: HTTP",
    ),
    "http:speed:answers_go_out_at_once": Requirement(
        "An answer does not wait for the other side to acknowledge the one before.", "decisions 5"
    ),
    "http:entries:lead_to_the_server": Requirement(
        "`--register` writes entries that lead to the server and let in who has the token; a new file is for "
        "its owner alone.",
        "issue 8: HTTP",
    ),
    "http:entries:gone_at_the_end": Requirement(
        "At the end the files of hosts are again what they were.",
        "issue 8: HTTP",
    ),
    "http:entries:removed_only_if_ours": Requirement(
        "An entry that somebody else wrote or changed stays.",
        "issue 8: HTTP",
    ),
    "http:entries:after_a_kill_the_next_start_replaces_it": Requirement(
        "The next server takes out what a killed one left, whatever its own options.",
        "issue 8: HTTP; issue: Refused means nothing happened, point 16",
    ),
    "http:entries:projects_have_their_own": Requirement(
        "Entries in other projects stay as they are.",
        "issue 8: HTTP",
    ),
    "http:figures:doctor_shows_them": Requirement(
        "`doctor` shows sessions, calls, threads, descriptors and memory of the user's servers in the "
        "project; without the token nobody reads them.",
        "issue 43: Durable landings 5",
    ),
    "http:sessions:limits": Requirement(
        "Sessions over HTTP end after an idle time and have a limit in number.",
        "issue 43: Durable landings 5",
    ),
    "http:entries:no_token_without_auth": Requirement(
        "The entry of a server without a token has no header.",
        "issue 8: HTTP",
    ),
    "http:entries:a_broken_file_is_told": Requirement(
        "A file that cannot be edited is reported, and nothing is changed.",
        "issue 8: HTTP",
    ),
    "http:entries:no_token_in_the_project": Requirement(
        "Entries refer to the token by a variable, or have the host ask for it: no file of the project "
        "holds it.",
        "issue 17: design R4",
    ),
    "http:entries:what_is_left_is_told_and_tried_again": Requirement(
        "An entry of a killed server that cannot be taken out is reported at each start, until it can.",
        "house: durability",
    ),
    "http:entries:bytes_around_them_stay": Requirement(
        "Taking an entry out leaves every other byte.",
        "issue 8: HTTP",
    ),
}
