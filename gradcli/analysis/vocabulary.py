"""The words of the language, as its grammar and its op table have them: for those who complete and
highlight what is typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from gradcli.diagnostics import Source
from gradcli.engine.evaluator import Evaluator
from gradcli.language.tokens import RESERVED, TABLES
from gradcli.options import DEFAULT
from gradcli.trace import Tracer
from gradcli.trace.expressions import ATTRIBUTES, CONSTANTS

_NAMES = re.compile(r"[^\W\d]\w*")
_BEGUN = re.compile(r"(\.?)((?:[^\W\d]\w*)?)\Z")
_LONGEST = 200
"""Characters of a name that is completed."""


class Vocabulary(NamedTuple):
    keywords: frozenset[str]
    literals: frozenset[str]
    """Reserved words that are values."""
    constants: frozenset[str]
    """Names that have a value until a program binds them."""
    functions: frozenset[str]
    methods: frozenset[str]


@cache
def vocabulary() -> Vocabulary:
    """All words that mean something in every program."""
    graph = DEFAULT.graph()
    limits = DEFAULT.limits.trace
    tracer = Tracer(graph, Evaluator({}, graph.ledger), Source("", ""), limits)
    keywords = frozenset(TABLES.keywords)
    return Vocabulary(
        keywords,
        RESERVED - keywords,
        frozenset(CONSTANTS),
        frozenset(tracer.function_names()),
        frozenset(tracer.method_names()),
    )


def completions(text: str, place: int, names: Iterable[str] = ()) -> list[tuple[str, str]]:
    """What may stand at a place of a text: names, and what they are.

    The names of the program come first; `names` are others that have a value. Behind a point there
    are methods and attributes.
    """
    known = vocabulary()
    begun = _BEGUN.search(text[max(0, place - _LONGEST) : place])
    assert begun is not None
    start = begun[2]
    if begun[1]:
        offers = dict.fromkeys(known.methods, "method") | dict.fromkeys(ATTRIBUTES, "attribute")
    elif start:
        offers = (
            dict.fromkeys(known.functions, "function")
            | dict.fromkeys(known.keywords, "keyword")
            | dict.fromkeys([*known.literals, *known.constants], "constant")
        )
        own = {*_NAMES.findall(text[:place]), *_NAMES.findall(text[place:]), *names}
        offers |= dict.fromkeys(own - offers.keys() - {start}, "name")
    else:
        return []
    return sorted(
        ((name, kind) for name, kind in offers.items() if name.startswith(start)),
        key=lambda offer: (offer[1] != "name", offer[0]),
    )
