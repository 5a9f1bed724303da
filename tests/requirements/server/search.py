"""Tools are found by the words of people (issue 23: point 9)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "server:search:questions_are_in_peoples_words": Requirement(
        "Finding tools is measured with at least forty questions in plain words, one or more for each tool, "
        "none with a word of its tool's name; ten more are kept apart.",
        "issue 23: point 9",
    ),
    "server:search:the_right_tool_is_among_the_first_three": Requirement(
        "A search (BM25) of names, descriptions and names of parameters has the right tool among the first "
        "three for nine of ten such questions.",
        "issue 23: point 9",
    ),
    "server:search:instructions_say_when": Requirement(
        "The first sentence of the instructions says for what the tools are of use, in people's words.",
        "issue 23: point 9; decisions 6: MCP listing",
    ),
}
