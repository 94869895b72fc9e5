"""Operators on the bits of Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from operator import and_, lshift, or_, rshift, xor

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.trace.kinds_of_values import kind_of
from gradcli.trace.operators import SHIFTS
from gradcli.trace.printing import EXACT, PrintedNumbers
from gradcli.trace.refusals import no_operator
from gradcli.trace.values import Values

_OF_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "&": and_, "|": or_, "^": xor, "<<": lshift, ">>": rshift,
}  # fmt: skip


def of_numbers(
    values: Values, numbers: PrintedNumbers, operator: str, left: Node, right: Node
) -> Node:
    """The value for two of Python's numbers. Raises `type` where one is no integer, and `value` for
    a shift by less than nothing, or to more than a number holds here.
    """
    both = left, right
    if not all(each.kind == "bool" or numbers.is_integer(each) for each in both):
        raise no_operator(operator, *(kind_of(each, numbers) for each in both))
    a, b = (int(values.number(each, f"a side of {operator}")) for each in both)
    if operator in SHIFTS and b < 0:
        said = "negative shift count"
        raise RefusedError(("ValueError", said), "value", said, hint="n << -1 is written n >> 1")
    if operator == "<<" and a and b > EXACT.bit_length():
        raise _too_large()
    found = _OF_INTEGERS[operator](a, b)
    if abs(found) > EXACT:
        raise _too_large()
    return values.graph.constant(float(found))


def _too_large() -> GradcliError:
    return GradcliError(
        "value",
        "the result is larger than 2**53, up to which integers are exact here",
        hint="a tensor of integers has 64 bits: torch.tensor(1) << 60",
    )
