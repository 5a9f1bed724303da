"""How busy accounts and machines are, in lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from chant_mcp.paging import Data


def load_lines(answer: Data) -> list[str]:
    """Say how busy each account and each machine is, and how many conflicts were foreseen.

    Args:
        answer: That of `chant_status`, or of the whole of `chant_work_list`.

    Example:
        >>> load_lines({"accounts": [{"name": "team-a", "running": 3, "allowed": 20, "max": 20}]})
        ['Accounts: team-a 3 of 20']
    """
    return list(_lines(answer))


def account_words(account: Data) -> str:
    """Say how many runs use an account, or an agent without one, and how many may: `team-a 3 of 20`."""
    words = f"{account['name']} {account['running']}"
    if account["allowed"] is not None:
        words += f" of {account['allowed']}"
    until, most = account.get("limited_until"), account["max"]
    usual = "" if most is None else f" ({most} without a rate limit)"
    return f"{words}, limited until {until}{usual}" if until else words


def _lines(answer: Data) -> Iterator[str]:
    for cluster in answer.get("clusters", ()):
        yield _cluster_line(cluster)
    if accounts := answer.get("accounts"):
        yield "Accounts: " + "; ".join(map(account_words, accounts))
    if foreseen := answer.get("foreseen_conflicts"):
        yield "1 conflict foreseen" if foreseen == 1 else f"{foreseen} conflicts foreseen"


def _cluster_line(cluster: Data) -> str:
    if cluster["state"] != "connected":
        why = f": {cluster['why']}" if cluster.get("why") else ""
        return f"Cluster {cluster['target']} is {cluster['state']}{why}"
    machines = [_machine(one) for one in cluster["workers"]]
    if more := cluster.get("workers_total", len(machines)) - len(machines):
        machines.append(f"{more} more")
    return f"Cluster {cluster['target']}: {', '.join(machines) or 'no machines'}"


def _machine(worker: Data) -> str:
    silent = " (silent)" if worker["state"] == "silent" else ""
    return f"{worker['name']} {worker['busy']}/{worker['slots']}{silent}"
