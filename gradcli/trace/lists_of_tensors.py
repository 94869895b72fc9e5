"""`torch._foreach_add` and its like: a function of each tensor of a list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_NAMES = (
    "abs", "acos", "add", "addcdiv", "addcmul", "asin", "atan", "ceil", "clamp_max", "clamp_min",
    "cos", "cosh", "div", "erf", "erfc", "exp", "expm1", "floor", "frac", "lerp", "lgamma", "log",
    "log10", "log1p", "log2", "maximum", "minimum", "mul", "neg", "norm", "pow", "reciprocal",
    "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "sub", "tan", "tanh", "trunc",
)  # fmt: skip
"""Functions of the op table that PyTorch has of lists, too."""
_LISTED = ("other", "tensor1", "tensor2", "tensors1", "exponent", "weight", "scalars")
"""What may be a list, too, as a keyword."""


class ListsOfTensors:
    """The functions by name."""

    def __init__(
        self,
        values: Values,
        call: Callable[[str, list[Any], Given], Any],
        put: Callable[[Node, Node], Any],
    ) -> None:
        """`call` calls a function by its name, `put` writes into a tensor."""
        self._values = values
        self._call = call
        self._put = put
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            **{f"torch._foreach_{name}": partial(self._each, name) for name in _NAMES},
            **{f"torch._foreach_{name}_": partial(self._changed, name) for name in _NAMES},
            "torch._foreach_zero_": self._zeroed,
            "torch._foreach_copy_": self._copied,
        }

    def _tensors(self, value: Value) -> list[Node]:
        return [self._values.tensor(each) for each in self._values.elements(value)]

    def _each(self, name: str, arguments: list[Value], keywords: Given) -> tuple[Any, ...]:
        """What a function gives of each tensor, and of the element of other lists."""
        if not arguments:
            raise GradcliError("type", f"_foreach_{name} takes a list of tensors")
        count = len(self._values.elements(arguments[0]))
        rows = [self._beside(name, each, count) for each in arguments]
        named = {
            key: self._beside(name, each, count) if key in _LISTED else [each] * count
            for key, each in keywords.items()
        }
        return tuple(
            self._call(
                name, [row[place] for row in rows], {key: row[place] for key, row in named.items()}
            )
            for place in range(count)
        )

    def _beside(self, name: str, value: Value, count: int) -> list[Value]:
        """A value for each tensor: the elements of a list, or the same for all."""
        if isinstance(value, Node) and (not value.shape or self._values.is_tensor(value)):
            return [value] * count
        found = [*self._values.elements(value)]
        if len(found) != count:
            raise GradcliError(
                "value", f"_foreach_{name}: the lists have {count} and {len(found)} elements"
            )
        return found

    def _changed(self, name: str, arguments: list[Value], keywords: Given) -> None:
        found = self._each(name, arguments, keywords)
        for node, result in zip(self._tensors(arguments[0]), found, strict=True):
            self._put(node, result)

    def _zeroed(self, arguments: list[Value], keywords: Given) -> None:
        for node in self._tensors(arguments[0]):
            self._put(node, self._call("zeros_like", [node], {}))

    def _copied(self, arguments: list[Value], keywords: Given) -> None:
        pairs = zip(self._tensors(arguments[0]), self._tensors(arguments[1]), strict=False)
        for node, other in pairs:
            self._put(node, other)
