"""Tries the attempts."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys

from . import ATTEMPTS
from .table import Act, World

LONGEST = 5
"""Seconds for one attempt."""


def outcome(act: Act, world: World) -> str:
    """Try one move in a process of its own."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LONGEST)
        code = 0
        try:
            act(world)
        except OSError as error:
            sys.stderr.write(f"{act.__name__}: {error}\n")
            code = 1 if error.errno in _REFUSALS or isinstance(error, PermissionError) else 2
            code = 4 if error.errno in _UNSEEN else code
        except BaseException as error:
            sys.stderr.write(f"{act.__name__}: {error!r}\n")
            code = 3
        os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"ended by signal {os.WTERMSIG(status)}"
    words = {0: "possible", 1: "refused", 2: "failed otherwise", 4: "unseen"}
    return words.get(os.WEXITSTATUS(status), "broke")


_REFUSALS = {errno.EACCES, errno.EPERM, errno.EXDEV, errno.EROFS}
"""What the system says when it refuses; a link or a move from one reach into another is EXDEV."""

_UNSEEN = {errno.ENOENT, errno.ESRCH}
"""What the system says when there is no such thing: in namespaces there is nothing of those outside."""


def main() -> None:
    """Try them all, or those that are named, and print how each went."""
    told = json.loads(sys.argv[1])
    world = World(told)
    names = told.get("names") or ATTEMPTS
    sys.stdout.write(json.dumps({name: outcome(ATTEMPTS[name].act, world) for name in names}))


if __name__ == "__main__":
    main()
