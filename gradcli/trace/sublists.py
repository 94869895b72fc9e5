"""`torch.einsum(a, [0, 1], b, [1, 2], [0, 2])`: labels as lists of numbers behind each operand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_letters
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.given_tensors import check_row
from gradcli.trace.objects import DOTS, Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values


class Sublists:
    """The function by name."""

    def __init__(self, values: Values, call: Callable[[str, list[Any], Given], Any]) -> None:
        """`call` calls a function by its name."""
        self._values = values
        self._call = call
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {"torch.einsum": self._einsum}

    def _einsum(self, arguments: list[Value], keywords: Given) -> Any:
        if len(arguments) < 2 or isinstance(arguments[0], str):
            self._check(arguments[1:])
            return self._call("einsum", arguments, keywords)
        operands = arguments[: len(arguments) // 2 * 2 : 2]
        self._check(operands)
        inputs = ",".join(map(self._labels, arguments[1::2]))
        out = f"->{self._labels(arguments[-1])}" if len(arguments) % 2 else ""
        return self._call("einsum", [inputs + out, *operands], keywords)

    def _check(self, operands: Sequence[Value]) -> None:
        """Raise `type` where an operand is no tensor; they may stand in a list."""
        is_row = len(operands) == 1 and not self._values.is_tensor(operands[0])
        listed = operands[0] if is_row else tuple(operands)
        check_row(self._values, listed, 1)

    def _labels(self, given: Value) -> str:
        """A list such as `[0, ..., 1]` as letters: `a...b`."""
        return "".join(
            "..." if each is DOTS else self._letter(self._values.integer(each, "a label"))
            for each in self._values.elements(given)
        )

    def _letter(self, number: int) -> str:
        if not 0 <= number < len(ascii_letters):
            raise GradcliError("value", f"einsum: labels are numbers from 0 to 51, not {number}")
        return ascii_letters[number]
