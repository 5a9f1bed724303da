"""`vine graph`: a tree for the terminal, texts for other programs."""

from __future__ import annotations

from cli.kit import Cli
from cli.plans import PLAN, plan_of, write_plan


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_a_tree_shows_what_each_task_depends_on_below_it(cli: Cli) -> None:
    write_plan(cli.project)
    assert _lines(cli("vine", "graph", "plan")) == [
        "◔ ship Ship the release",
        "├── ○ changelog Write the changelog",
        "│   └── ◕ freeze Freeze features",
        "├── ↗ docs Update the manual",
        "│   └── ◕ freeze ↑",
        "└── ◑ site Renew the web site",
        "    └── ⊘ texts Collect texts",
        "◑ started  ◕ reviewing  ◔ planning  ○ notstarted  ⊘ blocked  ↗ ref",
        "↑ shown above",
    ]


def test_a_deep_tree_goes_on_below_and_stays_readable(cli: Cli) -> None:
    tasks = [f"t{number}:started>t{number + 1}" for number in range(25)]
    write_plan(cli.project, plan_of(*tasks, "t25:complete"))
    lines = _lines(cli("vine", "graph", "plan"))
    assert [line for line in lines if "↓" in line] == [
        f"{' ' * 32}└── ◑ t9 T9 ↓",
        f"{' ' * 32}└── ◑ t18 T18 ↓",
        "↓ goes on below",
    ]
    assert [line for line in lines if line.startswith("◑")] == ["◑ t0 T0", "◑ t9 T9", "◑ t18 T18"]
    assert sum(line.endswith("● t25 T25") for line in lines) == 1


def test_only_tasks_of_a_status_are_drawn(cli: Cli) -> None:
    write_plan(cli.project)
    assert _lines(cli("vine", "graph", "plan", "-s", "planning", "-s", "reviewing", "-s", "blocked")) == [
        "◔ ship Ship the release",
        "├── ◕ freeze Freeze features",
        "└── ⊘ texts Collect texts",
        "◕ reviewing  ◔ planning  ⊘ blocked",
    ]
    mermaid = cli(
        "vine", "graph", "plan", "--format", "mermaid", "-s", "planning", "-s", "reviewing", "-s", "ref"
    )
    assert [line.strip() for line in mermaid.splitlines() if ">" in line and "<" not in line] == [
        "n0 --> n1",
        "n0 -.-> n2",
        "n1 --> n2",
    ]
    assert cli("vine", "graph", "plan", "-s", "complete") == "No tasks found.\n"


def test_texts_for_other_programs_name_every_task_and_dependency(cli: Cli) -> None:
    write_plan(cli.project, PLAN.replace("Collect texts", 'Collect "all" texts'))
    mermaid = cli("vine", "graph", "plan", "--format", "mermaid")
    assert mermaid.startswith('flowchart TD\n  n0["◔ ship<br/>Ship the release"]:::planned\n')
    assert '\n  n4["⊘ texts<br/>Collect #34;all#34; texts"]:::blocked\n' in mermaid
    assert mermaid.count(" --> ") == 6
    dot = cli("vine", "graph", "plan", "--format", "dot")
    assert dot.startswith("digraph {\n")
    assert '"texts" [label="⊘ texts\\nCollect \\"all\\" texts"' in dot
    assert '  "site" -> "texts"\n' in dot
    assert dot.count(" -> ") == 6
    assert dot.endswith("}\n")
