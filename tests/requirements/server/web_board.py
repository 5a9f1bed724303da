"""The board in the browser: who gets in, and what only a person may do (issue 23)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "web_board:access:a_code_opens_it_once": Requirement(
        "The code on the terminal opens the board once; a second use ends the session and is reported there.",
        "issue 23: A person acts",
    ),
    "web_board:access:no_cookie_and_no_secret_in_addresses": Requirement(
        "The page sets no cookie, and no request line, path or query carries a code or a key.",
        "issue 23: Safe",
    ),
    "web_board:access:only_at_a_terminal": Requirement(
        "`board --web` starts at a person's terminal only, and not below a run.",
        "issue 23: A person acts",
    ),
    "web_board:walls:only_the_person_acts": Requirement(
        "Acts of a person need the person's key and the page's own origin; no agent's token and no foreign "
        "page will do, and nothing is written by GET.",
        "issue 23: A person acts; issue 23: Safe",
    ),
    "web_board:walls:policy_by_hashes": Requirement(
        "The page's policy allows its own script and style by hash, no frames and no strings as HTML.",
        "issue 23: Safe",
    ),
    "web_board:acts:of_what_was_seen": Requirement(
        "An act on an item that was changed since it was looked at is refused, and nothing is written.",
        "issue 23: A person acts",
    ),
    "web_board:acts:recorded_as_a_persons": Requirement(
        "A person approves, rejects with a reason, answers and trusts from the board; tools that the page "
        "calls are recorded as the board's.",
        "issue 23: A person acts",
    ),
    "web_board:acts:none_read_only": Requirement(
        "A board that was opened read-only changes nothing, by acts or by tools.",
        "issue 23: A person acts",
    ),
    "web_board:live:a_change_is_announced": Requirement(
        "A change of a file reaches an open page within a second, without questions in between.",
        "issue 23: Live and fast",
    ),
    "web_board:app:only_for_hosts_with_apps": Requirement(
        "Hosts that show MCP Apps get the page, its tools and the links to it; all others get what they got.",
        "issue 23: One page, two homes",
    ),
}
