"""`size_average` and `reduce` of losses: PyTorch had them in place of `reduction`, and still counts
them where arguments are given by position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.diagnostics import GradcliError
from gradcli.ops.table import Function, Parameter
from gradcli.trace.plain_layers import PLAIN
from gradcli.trace.values import Value, Values

_OLD = frozenset(("size_average", "reduce"))


def with_reduction(
    values: Values,
    function: Function,
    parameters: Sequence[Parameter],
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
) -> tuple[Sequence[Value], dict[str, Value]]:
    """The arguments of a loss with `reduction` for those of old. Raises `type` where one is given
    twice.
    """
    given = dict(keywords)
    required = sum(each.required for each in parameters)
    is_counted = values.is_pytorch and len(arguments) > required
    names = _in_order(function, parameters) if is_counted else ()
    if len(arguments) <= len(names):
        for name, value in zip(names[required:], arguments[required:], strict=False):
            if name in given:
                raise GradcliError(
                    "type", f"{function.name}: {name} is given twice", hint="leave one of them out"
                )
            given[name] = value
        arguments = arguments[:required]
    old = {name: given.pop(name) for name in _OLD & given.keys()}
    averages, reduces = (
        old.get(name) is None or values.truth(old[name]) for name in ("size_average", "reduce")
    )
    if given.get("reduction") == "elementwise_mean":
        given["reduction"] = "mean"  # what it was called before
    if any(value is not None for value in old.values()):
        given["reduction"] = "none" if not reduces else "mean" if averages else "sum"
    return arguments, given


def _in_order(function: Function, parameters: Sequence[Parameter]) -> tuple[str, ...]:
    """PyTorch's parameters of a loss: its tensors, then what its layer takes; none for one that
    never had those of old.
    """
    for plain in PLAIN.values():
        if plain.function == function.name and plain.options.keys() >= _OLD:
            tensors = [each.name for each in parameters if each.required]
            names = [*tensors, *plain.options, *(each.name for each in parameters)]
            return tuple(dict.fromkeys(names))
    return ()
