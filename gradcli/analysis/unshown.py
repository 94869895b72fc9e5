"""Which of the values that a step of several hands on are not told, as they are too many."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from re import fullmatch

from gradcli.analysis.levels import FEW, Stage
from gradcli.graph import Node


def unshown(
    stages: Iterable[Stage],
    names: Mapping[Node, str],
    titles: Container[str],
    first: Sequence[Container[Node]],
) -> Iterator[Node]:
    """All but a few of what each stretch hands on, and of what has no name that the program gives,
    one of `titles`. Told `first` are leaves, which leave room for others, and then outputs.
    """
    for stage in stages:
        results = [
            node
            for node in stage.results
            if stage.stretch or (names[node] not in titles and fullmatch(r"t\d+", names[node]))
        ]
        if len(results) > FEW:
            told: set[Node] = set()
            for kind, most in zip([*first, results], [FEW // 2, FEW, FEW], strict=True):
                found = [node for node in results if node in kind and node not in told]
                told.update(_ends(found, most - len(told)))
            yield from (node for node in results if node not in told)


def _ends(nodes: Sequence[Node], count: int) -> Iterable[Node]:
    """The first and the last ones, so many in all."""
    begin = (count + 1) // 2
    return nodes if len(nodes) <= count else [*nodes[:begin], *nodes[len(nodes) - count + begin :]]
