"""Arguments of another class than PyTorch's function takes: what it says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradcli.diagnostics import Diagnostic, GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops.table import Function, Parameter
from gradcli.trace.items import Device, Items, NumpyDtype, Unquoted
from gradcli.trace.objects import Object
from gradcli.trace.values import Value, Values
from gradcli.trace.wordings import worded

_NAMES = {"x": "input", "a": "input", "b": "other"}
"""PyTorch's names for operands."""
INSIDE = {"cross_entropy": "cross_entropy_loss", "nll_loss": "nll_loss_nd"}
"""Functions that hand on what they are given to others, which refuse it."""
_LENGTHS = frozenset(("reshape", "unflatten"))
"""Functions that call lengths a shape; it is a size elsewhere."""
_CLASSES = {
    **{each: each for each in ("int", "float", "bool", "str")},
    **dict.fromkeys(("Axes", "Dims", "tuple[int, ...]"), "tuple of ints"),
    **dict.fromkeys(("Sequence[Node]", "Sequence[Node | Stretch]"), "tuple of Tensors"),
}
"""What PyTorch wants, by the annotation of a parameter; a tensor elsewhere."""
_MATRICES = {"mm": "mat2", "bmm": "mat2", "mv": "vec", "dot": "tensor", "outer": "vec2"}
"""Functions whose second operand has a name of its own."""


def class_of(values: Values, value: Value) -> str:
    """What PyTorch's errors call the class of a value."""
    if isinstance(value, Node):
        if value in values.number_lists or value in values.listed:
            return "list"
        of_numpy = "numpy.ndarray" if value in values.arrays else "Tensor"
        return values.plain_kind(value) or of_numpy
    if isinstance(value, Object):
        return value.class_name
    if isinstance(value, Unquoted):
        return "type" if isinstance(value, NumpyDtype) else "torch.dtype"
    if isinstance(value, Device):
        return "torch.device"
    return "list" if isinstance(value, Items) else type(value).__name__


def name_in_pytorch(function: Function, parameter: Parameter) -> str:
    """What PyTorch calls an operand."""
    name = _NAMES.get(parameter.name, parameter.name)
    if name == "shape" and function.name not in _LENGTHS:
        return "size"
    if function.name == "flip" and name == "dim":
        return "dims"
    return _MATRICES.get(function.name, name) if name == "other" else name


def place_in_pytorch(function: Function, parameter: Parameter, place: int) -> tuple[str, int]:
    """What PyTorch calls an operand, and at which place it has it."""
    name = name_in_pytorch(function, parameter)
    if function.name != "embedding":
        return name, place
    return ("indices", 2) if name == "input" else ("weight", 1)


class WrongArgumentError(RefusedError):
    """The error for an argument at some place, of a class that is not taken there."""

    def __init__(
        self, function: Function, name: str, place: int, words: str, told: Diagnostic
    ) -> None:
        self._function, self._name, self._words = function, name, words
        said = ("TypeError", self._said(place))
        super().__init__(said, told.code, told.message, hint=told.hint)
        self.place = place

    def _said(self, place: int) -> str:
        called = INSIDE.get(self._function.name, self._function.name)
        return f"{called}(): argument '{self._name}' (position {place}) {self._words}"

    def of_method(self) -> WrongArgumentError:
        """The same where the first operand stands before the method's name."""
        self.elsewhere = ("TypeError", self._said(self.place - 1))
        return self


def wrong(
    values: Values,
    function: Function,
    parameter: Parameter,
    place: int,
    given: Any,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    error: GradcliError,
) -> GradcliError:
    """The error as PyTorch has it, where one of its functions is given a value of no such class."""
    told = error.diagnostic
    if told.code != "type" or not values.is_pytorch or given in values.arrays:
        return error
    is_known = isinstance(error, RefusedError) and "): argument" not in error.elsewhere[1]
    if is_known or worded(told.message):
        return error
    wanted = "tuple of ints" if parameter.variadic else _CLASSES.get(
        parameter.kind.removesuffix(" | None"), "Tensor"
    )  # fmt: skip
    found = class_of(values, given)
    if wanted.startswith(found) or (found == "Tensor" and wanted != "Tensor"):
        return error
    name, place = place_in_pytorch(function, parameter, place)
    if place > 1 and function.overloaded:
        return _of_no_form(values, function, arguments, keywords, told)
    return WrongArgumentError(function, name, place, f"must be {wanted}, not {found}", told)


def _of_no_form(
    values: Values,
    function: Function,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    told: Diagnostic,
) -> CombinationError:
    """The error for arguments that no form of a function takes."""
    kinds = [class_of(values, each) for each in arguments]
    named = {name: class_of(values, each) for name, each in keywords.items()}
    return CombinationError(function.name, kinds, named, told)


class CombinationError(RefusedError):
    """The error for arguments of these classes, which none of several functions of a name takes."""

    def __init__(
        self, name: str, kinds: Sequence[str], named: Mapping[str, str], told: Diagnostic
    ) -> None:
        self._name, self._kinds, self._named = name, kinds, named
        super().__init__(("TypeError", self._said(0)), told.code, told.message, hint=told.hint)

    def _said(self, before: int) -> str:
        kinds = self._kinds[before:]
        given = ", ".join((*kinds, *(f"{n}={k}" for n, k in self._named.items())))
        if self._named and not kinds:
            given += ", "  # as PyTorch writes it
        return (
            f"{self._name}() received an invalid combination of arguments - got ({given}), but "
            "expected one of:"
        )

    def of_method(self) -> CombinationError:
        self.elsewhere = ("TypeError", self._said(1))
        return self


class CountError(RefusedError):
    """The error for a call with too few or too many arguments of a function of PyTorch's."""

    def __init__(self, name: str, most: int, given: int, told: Diagnostic) -> None:
        self._name, self._most, self._given = name, most, given
        super().__init__(("TypeError", self._said(0)), told.code, told.message, hint=told.hint)

    def _said(self, before: int) -> str:
        most, given = self._most - before, self._given - before
        return (
            f"{self._name}() takes {most} positional argument{'' if most == 1 else 's'} but "
            f"{given} {'was' if given == 1 else 'were'} given"
        )

    def of_method(self) -> CountError:
        self.elsewhere = ("TypeError", self._said(1))
        return self


_WRITTEN_IN_PYTHON = frozenset(("loss", "activation", "layer"))
"""Groups of functions most of which PyTorch has in Python, whose words theirs are."""


def misfit(
    values: Values,
    function: Function,
    parameters: Sequence[Parameter],
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    error: GradcliError,
) -> GradcliError:
    """The error of a call with other arguments than PyTorch's function has parameters."""
    told = error.diagnostic
    if told.code != "type" or not values.is_pytorch or function.group in _WRITTEN_IN_PYTHON:
        return error
    plain = [each for each in parameters if not each.keyword_only]
    if len(arguments) > len(plain):
        return CountError(function.name, len(plain), len(arguments), told)
    before = [each.name for each in plain[: len(arguments)]]
    missing = [
        _NAMES.get(each.name, each.name)
        for each in parameters
        if (each.required or each.name in function.needs)
        and each.name not in before
        and each.name not in keywords
    ]
    if not missing:
        return error
    if function.overloaded:
        return _of_no_form(values, function, arguments, keywords, told)
    said = lacking(function.name, missing)
    return RefusedError(("TypeError", said), told.code, told.message, hint=told.hint)


def lacking(name: str, missing: Sequence[str]) -> str:
    """What PyTorch says of a call without these arguments, of a function that has one form."""
    listed = ", ".join(f'"{each}"' for each in missing)
    plural = "s" if len(missing) == 1 else ""  # as PyTorch has it
    return f"{name}() missing {len(missing)} required positional argument{plural}: {listed}"
