"""What a team reads in the morning: what can be started, what waits, and when all will be done.

Run it with the folder of a project: `python examples/standup.py .`
"""

import sys

import chant_mcp


def main(folder: str) -> None:
    """Print the report on a project."""
    ws = chant_mcp.open(folder)
    print(f"Ready now: {len(ws.ready)} items")
    for item in ws.ready:
        print(f"  {item.key}  {item.title}")
    graph = ws.graph()
    for key, waits_for in graph.blocked().items():
        print(f"Blocked: {key} waits for {', '.join(waits_for)}")
    path = graph.critical_path("weight")
    print(f"Critical path: {' > '.join(path)}")
    for agents in (1, 3):
        plan = graph.schedule(agents)
        print(f"With {agents} agents: {plan.finish:.0f}, busy {plan.utilisation:.0%}")
    for problem in ws.problems:
        print(f"Problem: {problem.path}: {problem.message}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
