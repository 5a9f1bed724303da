"""`plugins`: installed plugins, and whether they are active."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import json_option
from chant_mcp.commands.project_options import on_project
from chant_mcp.session import Session
from chant_mcp.terminal import say_json


@click.command()
@json_option
@on_project
def plugins(session: Session, as_json: bool) -> None:
    """List plugins and whether they are active: lint rules, exporters, importers, checks and notifiers.

    For one that is not active in this project it says why. None is imported for it.
    """
    from chant_mcp.plugins.plugin_desk import PluginDesk

    session.recovers = False
    found = PluginDesk(session).listed()
    if as_json:
        from chant_mcp.paging import written

        say_json(written({"plugins": [one.data() for one in found]}))
        return
    from chant_mcp.commands.display import console, plugins_table

    console().print(plugins_table([one.data() for one in found]))
