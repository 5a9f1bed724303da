"""Reviews of the work on specs, as handles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import chant_mcp


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a spec as of one moment: what the work changes, and what was said of it.

    A comment that has to be done stops the landing of the work until a person resolves it. Acts return the
    review as it is then.

    Example:
        >>> review = ws.spec("aaa").review().comment("Where is this done?", criterion=1, weight="question")
        >>> [(thread["weight"], thread["state"], thread["text"]) for thread in review.threads]
        [('question', 'open', 'Where is this done?')]
    """

    spec: chant_mcp.Spec
    """The spec."""
    data: dict[str, Any]
    """All of it, as `chant-mcp review ID --json` prints it."""

    @property
    def hunks(self) -> list[dict[str, Any]]:
        """The hunks that were asked for, each with `number`, `name`, `path`, `head`, `lines` and `seen`."""
        return self.data["hunks"]

    @property
    def criteria(self) -> list[dict[str, Any]]:
        """The criteria, each with `number`, `text`, `checked`, `checks` and the IDs of `threads` about it."""
        return self.data["criteria"]

    @property
    def threads(self) -> list[dict[str, Any]]:
        """The comments with their replies and where they stand now, the oldest first."""
        return self.data["threads"]

    @property
    def risk(self) -> dict[str, Any]:
        """How risky it is to land unread: `band`, `points` from 0 to 100, and the `reasons`."""
        return self.data["risk"]

    @property
    def stops_landing(self) -> bool:
        """Whether a comment stops the landing of the work."""
        return bool(self.data["stops"])

    def comment(
        self,
        text: str,
        about: str | None = None,
        *,
        criterion: int | None = None,
        weight: str = "must",
        old: bool = False,
        draft: bool = False,
    ) -> Review:
        """Say something about the work, in your name.

        Args:
            text: What you want to say, at most 8 KiB.
            about: `PATH:LINE`, `PATH:FIRST-LAST`, a path, or the ID of a comment to reply to.
            criterion: The number of a criterion, from 1, in place of that.
            weight: `must`, `should`, `question` or `note`; a `must` stops the landing.
            old: Whether the line is one that the work removes.
            draft: Whether it is kept as a draft until `send`.

        Raises:
            InvalidArgumentError: The place is not there, or the text is empty, too long or a secret.
            RefusedError: An agent of a run asks, or there is no work with lines yet.
        """
        self._tools.comment(
            self.spec.id, text, about=about, criterion=criterion, weight=weight, old=old, draft=draft
        )
        return self._again()

    def resolve(self, *threads: str) -> Review:
        """Close comments by their IDs, or all open ones with `all`; work that waited for that is landed.

        Raises:
            NotFoundError: There is no such comment.
        """
        return self._act(resolve=list(threads))

    def reopen(self, *threads: str) -> Review:
        """Open comments again."""
        return self._act(reopen=list(threads))

    def withdraw(self, *threads: str) -> Review:
        """Take comments of yours back."""
        return self._act(withdraw=list(threads))

    def see(self, *hunks: int | str) -> Review:
        """Mark hunks as seen by their numbers or names, or all of them with `all`."""
        return self._act(seen=[str(hunk) for hunk in hunks])

    def send(self) -> Review:
        """Send drafts and open comments to the agent, in a new run on the same branch.

        Raises:
            RefusedError: There is nothing to send, or the work is another one by now.
        """
        return self._act(send=True)

    def approve(self, *, unseen: bool = False) -> Review:
        """Approve of the work that this review shows: of its newest commit and its hunks.

        Args:
            unseen: Whether hunks that were not marked as seen are approved of, too.

        Raises:
            RefusedError: Hunks were not marked as seen, or the work is another one by now.
        """
        return self._act(approve=True, unseen=unseen)

    def _act(
        self,
        *,
        resolve: Iterable[str] = (),
        reopen: Iterable[str] = (),
        withdraw: Iterable[str] = (),
        seen: Iterable[str] = (),
        send: bool = False,
        approve: bool = False,
        unseen: bool = False,
    ) -> Review:
        # What is decided is about what was seen: other work is refused.
        self._tools.review_act(
            self.spec.id,
            resolve=list(resolve),
            reopen=list(reopen),
            withdraw=list(withdraw),
            seen=list(seen),
            send=send,
            approve=approve,
            unseen=unseen,
            tip=self.data["tip"],
        )
        return self._again()

    @property
    def _tools(self) -> Any:
        return self.spec.workspace.session.chant

    def _again(self) -> Review:
        return Review(self.spec, self._tools.review_show(self.spec.id, since=self.data["scope"]).data)
