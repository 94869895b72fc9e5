"""What PyTorch's functions take for tensors: no numbers and lists of Python's, and no arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.diagnostics import Diagnostic, GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops.table import Function, Parameter
from gradcli.trace.arguments import bind_function, parameters_of
from gradcli.trace.items import Items
from gradcli.trace.names import EXTRA
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.values import Value, Values
from gradcli.trace.wrong_arguments import (
    INSIDE,
    CombinationError,
    class_of,
    lacking,
    name_in_pytorch,
    place_in_pytorch,
)

_OF_RESULTS = frozenset((*EXTRA, "out"))
"""Arguments that say how a result is held."""
_TENSORS = ("Node", "Index", "Known", "KnownIndex")
_OPERANDS = ("input", "other")
_NUMBERS = ("int", "float", "bool")
_ROWS = ("list", "tuple")
_LENGTHS = frozenset(("shape", "size", "sizes", "normalized_shape", "pad", "dims"))
"""Parameters that are several integers, of which one alone is none."""


def check_function(
    numbers: PrintedNumbers,
    function: Function,
    name: str,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    *,
    is_method: bool = False,
) -> None:
    """Raise `type` where a function of the op table is given what PyTorch's of that name does not
    take, or too little.
    """
    parameters = parameters_of(function)
    keywords = {name: each for name, each in keywords.items() if name not in _OF_RESULTS}
    try:
        placed, rest, named = bind_function(function, parameters, arguments, keywords)
    except GradcliError:  # which the call tells of
        return
    given = dict(zip((each.name for each in parameters), placed, strict=False)) | named
    if rest:
        given |= {each.name: rest[0] for each in parameters if each.variadic}
    before = int(is_method)
    kinds = [numbers.class_of(each) or "Tensor" for each in arguments[before:]]
    missing = [each for each in parameters if each.name in function.needs]
    missing = [each for each in missing if each.name not in given]
    if missing:
        raise _missing(function, name, kinds, missing)
    if function.name == "pow" and not before and kinds and set(kinds) <= set(_NUMBERS):
        told = Diagnostic("type", "torch.pow is of tensors", hint="a ** b is of numbers")
        raise CombinationError(name, kinds, {}, told)
    _check_rows(numbers, parameters, rest, given)
    for place, parameter in enumerate(parameters, 1):
        if is_method and _is_row(parameter):  # x.flip(0) is as good as x.flip((0,))
            continue
        kind = numbers.class_of(given.get(parameter.name))
        wanted = kind and _wanted(function, parameter, kind)
        if not wanted:
            continue
        if function.overloaded and (place > 1 or function.takes_numbers):
            classes = {n: numbers.class_of(v) or "Tensor" for n, v in keywords.items()}
            told = Diagnostic("type", f"{name} is given a {kind}", hint=_HINT)
            raise CombinationError(name, kinds, classes, told)
        called, seen = place_in_pytorch(function, parameter, place)
        seen = 0 if parameter.name in named else seen - before
        raise no_tensor(INSIDE.get(name, name), called, seen, kind, wanted)


def _check_rows(
    numbers: PrintedNumbers,
    parameters: Sequence[Parameter],
    rest: Sequence[Value],
    given: Mapping[str, Value],
) -> None:
    """Raise `type` where a list of tensors holds something else."""
    for place, parameter in enumerate(parameters):
        row: Value = None
        if parameter.kind.startswith("Sequence[Node"):
            row = given.get(parameter.name)
        elif parameter.variadic and parameter.kind == "Node":
            is_list = len(rest) == 1 and isinstance(rest[0], Items | tuple)
            row = rest[0] if is_list else tuple(rest)
        check_row(numbers.values, row, place)


def check_row(values: Values, row: Value, place: int = 0) -> None:
    """Raise `type` where the list of tensors at some place of a call of PyTorch's holds something
    else.
    """
    if not values.is_pytorch:
        return
    numbers = PrintedNumbers(values)
    for index, each in enumerate(_elements(numbers, row)):
        kind = numbers.class_of(each)
        if each is None or isinstance(each, str):
            kind = class_of(values, each)
        if isinstance(row, Node) and isinstance(each, Node) and each.shape:
            kind = "list"
        if kind:
            said = f"expected Tensor as element {index} in argument {place}, but got {kind}"
            raise RefusedError(("TypeError", said), "type", said, hint=_HINT)


def _elements(numbers: PrintedNumbers, row: Value) -> Sequence[Value]:
    """What a list holds, where it is known: a tensor is none, and one that a loop makes."""
    if isinstance(row, Items):
        return () if row.is_rolled else row
    is_list = isinstance(row, Node) and numbers.class_of(row) == "list"
    return numbers.values.elements(row) if is_list else row if isinstance(row, tuple) else ()


def _is_row(parameter: Parameter) -> bool:
    """Whether it is several integers, which stand without parentheses in a method's."""
    return parameter.variadic or parameter.kind == "Axes | None"


def _wanted(function: Function, parameter: Parameter, kind: str) -> str:
    """What PyTorch wants where it has no function of that name with a value of that class there;
    nothing where it has.
    """
    if parameter.kind == "int | Node | None":
        return "Tensor" if kind == "float" or kind in _ROWS else ""
    if parameter.kind == "Node | None":
        return "Tensor" if kind in _ROWS else ""
    if parameter.kind == "int":
        if parameter.variadic and function.group != "creation":
            return "tuple of ints" if kind == "int" else ""
        return "int" if kind in _ROWS and not parameter.variadic else ""
    is_row = parameter.name in _LENGTHS and parameter.required
    if kind == "int" and (is_row or (_is_row(parameter) and parameter.name in function.needs)):
        return "tuple of ints"
    if parameter.kind not in _TENSORS or not parameter.required or parameter.name == "data":
        return ""
    takes = kind in _NUMBERS and parameter.name in function.takes_numbers
    return "" if takes else "Tensor"


def check_tensors(
    numbers: PrintedNumbers,
    name: str,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    before: int = 0,
) -> None:
    """Raise `type` where one of two operands of a function is no tensor; as many arguments stand
    before its name as a method's.
    """
    for place, (parameter, value) in enumerate(zip(_OPERANDS, arguments, strict=False), 1):
        kind = numbers.class_of(value)
        if kind:
            raise no_tensor(name, parameter, place - before, kind)
    for parameter in _OPERANDS:
        kind = numbers.class_of(keywords.get(parameter))
        if kind:
            raise no_tensor(name, parameter, 0, kind)


def check_flag(values: Values, name: str, parameter: str, value: Value) -> None:
    """Raise `type` where a method is not given a truth value for its only parameter."""
    kind = class_of(values, value)
    if kind not in ("bool", "Tensor"):
        raise no_tensor(name, parameter, 1, kind, "bool")


_HINT = "torch.tensor(x) makes a tensor of a number"


def no_tensor(
    name: str, parameter: str, place: int, kind: str, wanted: str = "Tensor"
) -> RefusedError:
    """The error for a value of that class in the place of a tensor; 0 if it is given by name."""
    where = f" (position {place})" if place else ""
    return RefusedError(
        ("TypeError", f"{name}(): argument '{parameter}'{where} must be {wanted}, not {kind}"),
        "type",
        f"{name} takes a {wanted.lower()}, not {'an' if kind[0] in 'aeiou' else 'a'} {kind}",
        hint={
            "Tensor": "torch.tensor(x) makes one; math has functions of numbers"
            if parameter == "input"
            else "torch.tensor(x) makes one",
            "tuple of ints": "(n,) is a tuple of one",
        }.get(wanted),
    )


def _missing(
    function: Function, name: str, kinds: Sequence[str], missing: Sequence[Parameter]
) -> RefusedError:
    names = [name_in_pytorch(function, each) for each in missing]
    said = f"{name} needs {' and '.join(names)}"
    told = Diagnostic("type", said, hint=f"{name}(…, {names[0]}=…)")
    if function.overloaded:
        return CombinationError(name, kinds, {}, told)
    return RefusedError(("TypeError", lacking(name, names)), "type", said, hint=told.hint)
