"""Former names of the public API, kept for a release: each use warns with the name of today."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn, ParamSpec, TypeVar

    Given = ParamSpec("Given")
    Answer = TypeVar("Answer")

__all__ = ["FormerName", "accept_former_keywords", "find_former_name"]


class FormerName:
    """A former name of an attribute or a method, as a line in the body of its class.

    What has the new name by now is given, that of a subclass included. A look at the class gives this
    object and does not warn, so that tools may list the members of a class.
    """

    def __init__(self, new: str) -> None:
        """Take the name of today."""
        self._new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        self._warn()
        return getattr(instance, self._new)

    def __set__(self, instance: object, value: object) -> NoReturn:
        # With this, tools take it for an attribute and not for a function.
        raise AttributeError(f"`{self._name}` cannot be set; it is the former name of `{self._new}`")

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the method through its class, as in `map(Spec.fresh, specs)`."""
        self._warn()
        if given and isinstance(given[0], self._owner):
            return getattr(given[0], self._new)(*given[1:], **named)
        return getattr(self._owner, self._new)(*given, **named)

    def __repr__(self) -> str:
        return f"<former name of {self._new}>"

    def _warn(self) -> None:
        _warn(f"{self._owner.__name__}.{self._name}", f"{self._owner.__name__}.{self._new}")


def accept_former_keywords(**former: str) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Have a function take former names of its keywords, too.

    Args:
        former: Names of today by former names.

    Raises:
        TypeError: A call gives both.
    """
    from functools import wraps  # not needed by programs without graphs

    def decorate(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        @wraps(function)
        def call(*given: Given.args, **named: Given.kwargs) -> Answer:
            for old, new in former.items():
                if old in named:
                    _warn(f"{function.__name__}({old}=)", f"{function.__name__}({new}=)", stacklevel=3)
                    if new in named:
                        raise TypeError(f"`{old}` is the former name of `{new}`; give one of them")
                    named[new] = named.pop(old)
            return function(*given, **named)

        return call

    return decorate


def find_former_name(module: str, former: Mapping[str, str], name: str) -> Any:
    """Give what a former name of a module means; for the `__getattr__` of that module.

    Args:
        module: The module's name.
        former: Names of today by former names.
        name: What was asked for.

    Raises:
        AttributeError: It is no former name either.
    """
    if name not in former:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    _warn(f"{module}.{name}", f"{module}.{former[name]}")
    return getattr(sys.modules[module], former[name])


def _warn(old: str, new: str, stacklevel: int = 4) -> None:
    """Warn on the line of the script, which is so many calls up."""
    import warnings  # not needed by programs that use the names of today

    text = f"`{old}` is now `{new}`; the former name is kept for one release"
    warnings.warn(text, DeprecationWarning, stacklevel=stacklevel)
