"""The demo and its sample project (issue: Newcomer)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "demo:make:demo_runs": Requirement(
        "`make demo` runs the sample project from a fresh checkout.", "issue: Newcomer"
    ),
    "demo:make:test_runs": Requirement(
        "`make test` runs the tests from a fresh checkout.", "issue: Newcomer"
    ),
    "demo:command:keeps_the_runs_when_asked": Requirement(
        "In a project that `demo --keep` leaves, the runs of its agents are listed, and it is trusted.",
        "issue: The daily hour 4",
    ),
    "demo:command:keeps_the_project_when_asked": Requirement(
        "`demo --keep` leaves the sample project and says where it is.", "house: newcomers"
    ),
    "demo:command:writes_the_sample_alone": Requirement(
        "`demo --sample FOLDER` writes the sample project into a new folder, and into no other.",
        "issue: Nothing is skipped in silence, class 5",
    ),
    "demo:answers:are_checked": Requirement(
        "The demo fails when an answer is not what it should be.", "decisions 1"
    ),
    "demo:git:absence_is_told": Requirement(
        "Without git the demo says that git cannot be run.", "house: newcomers"
    ),
    "demo:history:same_everywhere": Requirement(
        "The sample project with a past has the same commits and records of runs each time it is made.",
        "issue: The graph as a typed table, point 8",
    ),
    "demo:history:weeks_of_real_work": Requirement(
        "It has hundreds of items of three formats with dependencies and labels, a commit for each day of "
        "nine weeks, and runs of two agents that were completed, failed or paused, with their cost.",
        "issue: The graph as a typed table, point 8",
    ),
    "demo:charts:lines_are_drawn": Requirement(
        "Line charts of the notebooks are well-formed pictures whose lines begin and end where they should.",
        "issue: The graph as a typed table, point 8",
    ),
    "demo:sample:has_something_of_everything": Requirement(
        "The sample project has every status and type, a problem, an archive and a tagged commit.",
        "house: newcomers",
    ),
}
