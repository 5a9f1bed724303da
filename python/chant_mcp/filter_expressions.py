"""Filters such as `status == "pending" and duration > 600`, in the syntax of Python's own expressions.

Python's parser reads them; what they may hold is listed here, and no call, attribute or index is, so that a
filter can come from anywhere. Where a value is missing, `<`, `<=`, `>`, `>=`, `in` and `not in` are false.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from chant_mcp.errors import InvalidArgumentError

__all__ = ["RowTest", "parse_filter"]

Row: TypeAlias = Mapping[str, Any]
Value: TypeAlias = Callable[[Row], Any]
RowTest: TypeAlias = Callable[[Row], bool]

_MOST_CHARACTERS = 2000

_EXPECTED = "names of columns, values, comparisons, `in`, `is None`, `and`, `or` and `not`"

_ANY_VALUE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
}

_KNOWN_VALUES: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda value, values: value in values,
    ast.NotIn: lambda value, values: value not in values,
}


def parse_filter(expression: str, columns: Collection[str]) -> RowTest:
    """Give what says of a row whether a filter keeps it.

    Args:
        expression: Such as `ready and kind in ("code", "task") and 0 < duration <= 600`.
        columns: The names that it may use.

    Raises:
        InvalidArgumentError: It is no expression, names what is no column, or holds what a filter may not.
            The test raises it for a row whose values cannot be compared so.
    """
    value = _FilterParser(expression, columns).value(_parse(expression))

    def is_kept(row: Row) -> bool:
        try:
            return bool(value(row))
        except TypeError as error:
            raise InvalidArgumentError(
                f"The filter {expression!r} compares what it cannot: {error}"
            ) from None

    return is_kept


_SINGLE_EQUALS = re.compile(r"[^=!<>:]=[^=]")


def _parse(expression: object) -> ast.expr:
    if not isinstance(expression, str) or len(expression) > _MOST_CHARACTERS:
        raise InvalidArgumentError(f"A filter is a text of at most {_MOST_CHARACTERS} characters")
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = "use `==` to compare" if _SINGLE_EQUALS.search(expression) else str(error)
        raise InvalidArgumentError(f"The filter {expression!r} is no expression: {why}") from None


class _FilterParser:
    """Makes functions of a row of the parts of an expression."""

    def __init__(self, expression: str, columns: Collection[str]) -> None:
        self._expression = expression
        self._columns = columns

    def value(self, part: ast.expr) -> Value:
        match part:
            case ast.Constant(value=str() | int() | float() | None as value):
                return lambda _: value
            case ast.Name(id=name):
                return self._column(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                values = [self.value(one) for one in parts]
                return lambda row: [value(row) for value in values]
            case ast.UnaryOp(op=ast.Not(), operand=one):
                negated = self.value(one)
                return lambda row: not negated(row)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return lambda _: -number
            case ast.BoolOp(op=word, values=parts):
                values = [self.value(one) for one in parts]
                together = all if isinstance(word, ast.And) else any
                return lambda row: together(value(row) for value in values)
            case ast.Compare():
                return self._comparison(part)
            case _:
                raise self._unfit(part)

    def _column(self, name: str) -> Value:
        if name not in self._columns:
            known = ", ".join(self._columns)
            raise InvalidArgumentError(
                f"The filter {self._expression!r} names `{name}`, expected one of the columns: {known}"
            )
        return lambda row: row.get(name)

    def _unfit(self, part: ast.expr) -> InvalidArgumentError:
        said = ast.unparse(part)
        return InvalidArgumentError(f"The filter {self._expression!r} holds `{said}`, expected {_EXPECTED}")

    def _comparison(self, part: ast.Compare) -> Value:
        for word, right in zip(part.ops, part.comparators, strict=True):
            if isinstance(word, (ast.Is, ast.IsNot)) and not _is_none(right):
                raise self._unfit(part)
        values = [self.value(one) for one in (part.left, *part.comparators)]
        steps = [_compare(word) for word in part.ops]

        def holds(row: Row) -> bool:
            found = [value(row) for value in values]
            return all(step(*pair) for step, *pair in zip(steps, found, found[1:], strict=False))

        return holds


def _is_none(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value is None


def _compare(word: ast.cmpop) -> Callable[[Any, Any], bool]:
    if type(word) in _ANY_VALUE:
        return _ANY_VALUE[type(word)]
    compare = _KNOWN_VALUES[type(word)]
    return lambda left, right: left is not None and right is not None and compare(left, right)
