"""What is said at each door, in the words of who asks there (issue 21, class 3)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "doors:hints:each_door_in_its_own_words": Requirement(
        "What may help is data; agents are given tools, people commands, scripts methods, and none of them "
        "the words of another door. What only a person can do is a command that agents are asked to pass on.",
        "issue: Answers speak to whoever asked",
    ),
    "doors:help:grouped_and_fitting": Requirement(
        "`--help` groups the commands by what they are for, and gives each a whole sentence on a line of "
        "at most 80 columns.",
        "issue: Answers speak to whoever asked",
    ),
    "doors:start:imports_no_server": Requirement(
        "A command that serves nothing imports neither the protocol's library nor what only servers and the "
        "board need.",
        "issue: Cost follows the change",
    ),
    "doors:dead_ends:are_next_steps": Requirement(
        "Where there is nothing yet, or nothing says which is meant, the refusal names the command that "
        "makes the first one or chooses; that command exists and overwrites nothing.",
        "issue: Answers speak to whoever asked",
    ),
    "doors:everything:search_and_status": Requirement(
        "`search` and `status` act on specs, tasks and tickets alike, as `list` and `ready` do.",
        "issue: Answers speak to whoever asked",
    ),
    "doors:init:works_outside_the_environment": Requirement(
        "The configuration that `init` writes for a host starts a server also where the host knows nothing "
        "of this Python environment, and `doctor` starts it so and says whether it answers.",
        "issue: Answers speak to whoever asked",
    ),
    "doors:messages:wrapped_by_words": Requirement(
        "Messages are wrapped by words at 80 columns or the terminal's width; commands and paths stay whole.",
        "issue: Answers speak to whoever asked",
    ),
}
