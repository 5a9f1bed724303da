"""Groups of commands: imported when one is run, listed under headings, refusals as sentences."""

from __future__ import annotations

import importlib
from typing import Any

import click

from chant_mcp.commands.catalogue import ListedCommand, Listing
from chant_mcp.commands.wrapping import wrapped
from chant_mcp.errors import ChantError, NotTrustedError
from chant_mcp.terminal import harmless, say, say_json_error


class Failure(click.ClickException):
    """An error of the package, in its own words."""

    def show(self, file: Any = None) -> None:
        """Print the sentences to standard error; texts of documents in them do not steer the terminal."""
        say(wrapped(self.message), err=True)


class Refusal(Failure):
    """What needs a person's trust first."""

    exit_code = 2


class Commands(click.Group):
    """A group whose commands are imported when they are needed."""

    def __init__(self, *args: Any, listing: Listing, **kwargs: Any) -> None:
        """Take the commands under their headings."""
        super().__init__(*args, **kwargs)
        self.listing = listing
        self._later: dict[str, ListedCommand] = {
            name: one for commands in listing.values() for name, one in commands.items()
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands in the order of the headings."""
        return [*self._later, *(name for name in self.commands if name not in self._later)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command and import it."""
        if (listed := self._later.get(cmd_name)) is not None:
            module, name = listed.place.split(":")
            return getattr(importlib.import_module(f"chant_mcp.commands.{module}"), name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their headings, without importing them."""
        shown = {heading: commands for heading, commands in self.listing.items() if heading}
        width = max((len(name) for commands in shown.values() for name in commands), default=0)
        for heading, commands in shown.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), one.line) for name, one in commands.items()])
        if self.commands:
            with formatter.section("The four formats"):
                formatter.write_dl(
                    [(name.ljust(width), one.help or "") for name, one in self.commands.items()]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command meant, or name the nearest one."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            import difflib

            nearest = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
            ctx.fail(f"No such command '{name}'." + (f" Did you mean '{nearest[0]}'?" if nearest else ""))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what the package refuses becomes a sentence and exit code 1."""
        try:
            return super().invoke(ctx)
        except NotTrustedError as error:
            say_json_error(error)
            raise Refusal(error.describe()) from error
        except ChantError as error:
            say_json_error(error)
            raise Failure(error.describe()) from error
        except click.ClickException as error:
            # What was typed may have come from a list of files.
            vars(error)["message"] = harmless(error.message)
            raise


class SentenceGroup(click.Group):
    """A small group that lists its commands with the first sentences of their help, uncut."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with whole sentences."""
        shown = {name: one for name, one in self.commands.items() if not one.hidden}
        with formatter.section("Commands"):
            formatter.write_dl([(name, (one.help or "").partition("\n\n")[0]) for name, one in shown.items()])
