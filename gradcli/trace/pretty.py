"""`pprint`: dictionaries, lists and tuples over several lines, as Python lays them out."""

from __future__ import annotations

import pprint
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary, OrderedDictionary, SetOfValues
from gradcli.trace.items import Items
from gradcli.trace.objects import Given
from gradcli.trace.printing import OVERHEAD, PrintedNumbers
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_DEEPEST = 50
"""Lists in lists: Python's own layout calls itself for each."""
_BLANKS = 1000
_OPTIONS = ("indent", "width", "compact", "sort_dicts")


def blanks(values: Values, value: Value, what: str) -> int:
    """How many blanks a layout may have in a row. Raises `value` for more than are ever wanted."""
    count = values.integer(value, what)
    if not 0 <= count <= _BLANKS:
        raise GradcliError("value", f"{what} is from 0 to {_BLANKS}")
    return count


class AsShown:
    """A value as print writes it, in the place of what Python would lay out."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class PrettyPrinting:
    """The functions by name."""

    def __init__(
        self,
        values: Values,
        numbers: PrintedNumbers,
        written: Callable[..., str],
        tell: Special,
    ) -> None:
        """`written` gives values as print writes them, and `tell` is print."""
        self.values = values
        self._numbers = numbers
        self._written = written
        self._tell = tell
        self.functions: dict[str, Special] = {
            "pprint.pformat": partial(self._formatted, "pformat", True),
            "pprint.pprint": partial(self._printed, "pprint", True),
            "pprint.pp": partial(self._printed, "pp", False),
        }

    def _printed(self, name: str, sorts: bool, arguments: list[Value], keywords: Given) -> Value:
        return self._tell([self._formatted(name, sorts, arguments, keywords)], {})

    def _formatted(self, name: str, sorts: bool, arguments: list[Value], keywords: Given) -> str:
        given = bind_names(name, ("object", *_OPTIONS), arguments[:1], keywords, _OPTIONS)
        truth = self.values.truth
        indent = blanks(self.values, given["indent"], "indent") if "indent" in given else 1
        return pprint.pformat(
            self._as_python(given["object"], 0, 0, indent),
            indent=indent,
            width=max(1, blanks(self.values, given["width"], "width")) if "width" in given else 80,
            compact="compact" in given and truth(given["compact"]),
            sort_dicts=truth(given["sort_dicts"]) if "sort_dicts" in given else sorts,
        )

    def _as_python(self, value: Value, depth: int, before: int, indent: int) -> Any:
        """Containers and strings as Python's, all else as it is shown; on a line of its own each
        stands behind as many blanks as there are characters `before` it, which are paid for.
        """
        if depth > _DEEPEST:
            raise GradcliError("limit-depth", f"pprint shows at most {_DEEPEST} lists in lists")
        ledger, before = self.values.graph.ledger, before + indent
        lines = len(value) if isinstance(value, str) else 1  # a long string is cut at its blanks
        ledger.take(OVERHEAD + 4 * lines * (before + 2), "what pprint lays out")
        inside = partial(self._as_python, depth=depth + 1, before=before, indent=indent)
        if isinstance(value, str):
            return value
        if isinstance(value, Dictionary) and type(value) in (Dictionary, OrderedDictionary):
            kind = dict if type(value) is Dictionary else OrderedDict
            pairs = [(self._key(key), each) for key, each in value.pairs()]
            return kind(
                (key, inside(each, before=before + len(repr(key)) + 2)) for key, each in pairs
            )
        if isinstance(value, SetOfValues) and type(value) is SetOfValues:
            return {self._key(each) for each in value.elements()}
        if isinstance(value, Items) and type(value) is Items:
            return [inside(each) for each in value]
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(inside(each) for each in value)
        if isinstance(value, Node) and value in self.values.listed:
            return [inside(each) for each in self.values.elements(value)]
        return AsShown(self._written(value, quoted=True))

    def _key(self, value: Value) -> Any:
        """What Python sorts by: a string or number as it is."""
        if isinstance(value, Node) and value in self._numbers and not value.shape:
            found = self.values.number(value, "a key")
            return int(found) if self._numbers.is_integer(value) else found
        return value if isinstance(value, str) else AsShown(self._written(value, quoted=True))
