"""`notify`: notifiers hear of changes as long as it runs."""

from __future__ import annotations

import click

from chant_mcp.commands.project_options import on_project
from chant_mcp.session import Session
from chant_mcp.terminal import say


@click.command()
@click.option("--once", is_flag=True, help="End after the first change.")
@on_project
def notify(session: Session, once: bool) -> None:
    """Hand changes of specs, tasks and tickets to notifiers until Ctrl-C.

    Your own configuration names them under `plugins.notifiers`: `webhook` with its `url`, `desktop`, and
    those of other packages. Servers and boards do the same while they are up; one process of all notifies.
    """
    from chant_mcp.plugins.notifications import ChangeNotifier
    from chant_mcp.plugins.plugin_desk import PluginDesk

    session.recovers = False
    listed = [one for one in PluginDesk(session).listed() if one.kind == "notifiers"]
    named = PluginDesk(session).settings["notifiers"]
    if not named:
        raise click.ClickException(
            "Your own configuration names no notifier. `chant-mcp plugins` lists those that are here, and "
            "`plugins: {notifiers: {desktop: {}}}` names one."
        )
    off = {one.name: one.why_off for one in listed if one.name in named and one.why_off is not None}
    for name, why in off.items():
        say(f"The notifier `{name}` is off: {why}.", err=True)
    if len(off) == len(named):
        raise click.ClickException("No notifier is on.")
    notifier = ChangeNotifier(session, lambda sentence: say(sentence, err=True))
    on = ", ".join(name for name in named if name not in off)
    if not notifier.follow(lambda: say(f"Notifying {on} of changes."), once=once):
        raise click.ClickException("Another process notifies of changes in this project already.")
