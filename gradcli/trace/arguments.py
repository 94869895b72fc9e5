"""Binding the arguments of a call to the parameters of a function of the op table."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from gradcli.diagnostics import GradcliError, nearest
from gradcli.graph import EMPTY, Node
from gradcli.ops.promotion import is_number
from gradcli.ops.table import Function, Parameter
from gradcli.trace.items import Items
from gradcli.trace.subscripts import indices_of_all
from gradcli.trace.values import Value, Values, describe

ALIASES = {
    "axis": ("dim", "dims"), "axes": ("dims", "dim"), "dims": ("dim",), "keepdims": ("keepdim",),
    "num": ("steps",),
    "ddof": ("correction",), "a_min": ("min",), "a_max": ("max",), "size": ("shape",),
    "tensor": ("b", "x"), "A": ("a", "x"), "B": ("b",),
    "other": ("b",), "mat2": ("b",), "vec": ("b",), "vec2": ("b",), "input2": ("factor", "tau"),
    "axis0": ("dim0",), "axis1": ("dim1",), "rcond": ("rtol",),
    "split_size_or_sections": ("split_size",),
    "input3": ("other",), "LU": ("data",), "LU_data": ("data",), "LU_pivots": ("pivots",),
    "sections": ("indices_or_sections",), "indices": ("indices_or_sections",),
    "tensor_indices_or_sections": ("indices_or_sections",),
}  # fmt: skip
"""Keywords of PyTorch and NumPy: the parameters that they may mean, the most likely first."""
REFUSED = {
    "out": "values never change in place: bind the result to a name",
    "generator": "gradcli eval --seed N sets the seed of all random numbers",
    "distance_function": "write clamp_min(margin + near - far, 0) with the two distances",
    "options": "it has no effect on values: leave it out",
    "out_dtype": "a run has one floating-point dtype: --dtype float32 sets it",
    "sparse": "gradients are never sparse here: leave it out",
    "sparse_grad": "gradients are never sparse here: leave it out",
    "scale_grad_by_freq": "divide the gradient by the counts yourself",
    "max_norm": "weights never change in place: normalise them before",
    "cudnn_enable": "it has no effect on values: leave it out",
    "cudnn_enabled": "it has no effect on values: leave it out",
    "_stacklevel": "it has no effect on values: leave it out",
    "some": "write mode='reduced' or mode='complete'",
    "norm_type": "weights never change in place: normalise them before",
}
"""PyTorch's keywords for features that gradcli does not have, and what to do instead."""

Convert: TypeAlias = Callable[[Values, Value, str], Any]


def _optional(convert: Convert) -> Convert:
    return lambda values, value, what: None if value is None else convert(values, value, what)


def _bool(values: Values, value: Value, what: str) -> bool:
    return values.truth(value)


def _string(values: Values, value: Value, what: str) -> str:
    if not isinstance(value, str):
        raise GradcliError(
            "type",
            f"{what} must be a string, not {describe(value)}",
            hint="write strings in quotes: 'mean'",
        )
    return value


def _dims(values: Values, value: Value, what: str) -> tuple[int, ...] | None:
    """The axes of a reduction; an empty list, like None, means all of them."""
    return None if value is None else values.integers(value, what) or None


def _dims_or_bool(values: Values, value: Value, what: str) -> tuple[int, ...] | bool | None:
    """The axes of a reduction, or a truth value: `std(x, False)`."""
    if isinstance(value, Node) and value.kind == "bool" and not value.shape:
        return values.truth(value)
    return _dims(values, value, what)


def _number_or_string(values: Values, value: Value, what: str) -> float | str:
    return value if isinstance(value, str) else values.number(value, what)


def _lengths_or_none(values: Values, value: Value, what: str) -> tuple[int | None, ...]:
    """Lengths, some of them None."""
    if value is None:
        return (None,)
    if isinstance(value, Items | tuple):
        return tuple(None if item is None else values.integer(item, what) for item in value)
    return values.integers(value, what)


def _integers_or_string(values: Values, value: Value, what: str) -> tuple[int, ...] | str:
    return value if isinstance(value, str) else values.integers(value, what)


def _axis_or_tensor(values: Values, value: Value, what: str) -> int | Node:
    """A plain whole number is an axis; a value that was computed or bound is a tensor."""
    node = values.tensor(value, what)
    if is_number(node):
        number = values.number(node, what)
        if number.is_integer() and abs(number) < 64:
            return int(number)
    return node


def _tensor_or_tensors(values: Values, value: Value, what: str) -> Node | list[Node]:
    """A list of tensors, or a single value."""
    single = isinstance(value, Node) and not value.shape
    return values.tensor(value, what) if single else values.tensors(value, what)


def _integer_or_integers(values: Values, value: Value, what: str) -> int | tuple[int, ...]:
    """A list of integers is a tuple, a single number a plain integer."""
    single = isinstance(value, Node) and not value.shape
    return values.integer(value, what) if single else values.integers(value, what)


def _count_or_axes(
    values: Values, value: Value, what: str
) -> int | tuple[tuple[int, ...], tuple[int, ...]]:
    """A number of axes, or two lists of axes."""
    if isinstance(value, Node) and value.shape:
        value = Items(values.rows(value))
    if not isinstance(value, Items | tuple):
        return values.integer(value, what)
    if len(value) != 2:
        raise GradcliError(
            "type", f"{what} must be a count or two lists of axes", hint="dims=([0, 1], [1, 0])"
        )
    first, second = value
    return values.integers(first, what), values.integers(second, what)


CONVERSIONS: dict[str, Convert] = {
    "Node": Values.tensor,
    "Index": Values.index,
    "Known": Values.known,
    "Sequence[Item]": indices_of_all,
    "KnownIndex": Values.known_index,
    "Sequence[Node]": Values.tensors,
    "Sequence[Node | Stretch]": Values.pieces,
    "Node | Sequence[Node]": _tensor_or_tensors,
    "int": Values.integer,
    "float": Values.number,
    "Axes": Values.integers,
    "Dims": _dims,
    "Dims | bool": _dims_or_bool,
    "tuple[int, ...]": Values.integers,
    "tuple[float, ...]": Values.numbers,
    "Sequence[int | None]": _lengths_or_none,
    "int | tuple[int, ...]": _integer_or_integers,
    "int | tuple[Sequence[int], Sequence[int]]": _count_or_axes,
    "bool": _bool,
    "str": _string,
    "float | str": _number_or_string,
    "tuple[int, ...] | str": _integers_or_string,
    "int | Node": _axis_or_tensor,
}
"""How an argument is converted, by the annotation of its parameter."""
CONVERSIONS |= {f"{name} | None": _optional(convert) for name, convert in CONVERSIONS.items()}

_parameters: dict[Callable[..., Any], tuple[Parameter, ...]] = {}
"""By what builds its nodes."""


def parameters_of(function: Function) -> tuple[Parameter, ...]:
    """The function's parameters without the graph, found once."""
    found = _parameters.get(function.build)
    if found is None:
        found = tuple(p for p in function.parameters if p.kind != "Graph")
        _parameters[function.build] = found
    return found


def call(
    values: Values, function: Function, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Any:
    """The nodes that a call builds, with every argument converted to its parameter's type."""
    if function.demands and values.is_pytorch:
        from gradcli.trace.refusals import check_demands  # most programs have none

        names = function.operands or tuple(each.name for each in parameters_of(function))
        bound = dict(zip(names, arguments, strict=False)) | {**keywords}
        check_demands(values, function.name, function.demands, bound)
    oldest = values.graph.count
    try:
        given, named = _converted(values, function, arguments, keywords)
        return _called(values, function, given, named, oldest)
    except GradcliError as error:
        raise _hinted(error, function) from None


def by_dtype(
    values: Values, function: Function, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> tuple[Sequence[Value], Mapping[str, Value]]:
    """The arguments, with numbers as they are for the dtypes of the tensors among them."""
    if function.by_dtype is None or not values.is_python:
        return arguments, keywords
    names = [each.name for each in parameters_of(function)][: len(arguments)]
    given = dict(zip(names, arguments, strict=False)) | {**keywords}
    nodes = [each for each in given.values() if isinstance(each, Node)]
    numbers = {
        name: each.known.item()
        if isinstance(each, Node) and each.known is not None and each.size == 1
        else each
        for name, each in given.items()
    }
    dtypes = [values.array_dtype(each) for each in nodes if each.shape or values.is_tensor(each)]
    found = function.by_dtype(dtypes, numbers)
    other = {name: values.graph.constant(float(number)) for name, number in found.items()}
    first = [other.pop(n, v) for n, v in zip(names, arguments, strict=False)]
    return [*first, *arguments[len(first) :]], {**keywords, **other}


def call_of_nodes(values: Values, function: Function, nodes: list[Node]) -> Any:
    """What an elementwise function builds of its operands."""
    try:
        return _called(values, function, nodes, EMPTY, values.graph.count)
    except GradcliError as error:
        raise _hinted(error, function) from None


def _called(
    values: Values,
    function: Function,
    given: list[Any],
    named: Mapping[str, Any],
    oldest: int,
) -> Any:
    """What the building function makes of its arguments; nodes from `oldest` on are new."""
    first = values.graph.count
    built = _build(values, function, given, named)
    if values.passages is not None:
        _remember(values, function, given, named, first, built)
    return built if function.passes_on else values.new(built, oldest)


def _hinted(error: GradcliError, function: Function) -> GradcliError:
    if error.diagnostic.code == "value" and not error.kind:
        error.kind = "RuntimeError"  # as PyTorch's operations raise it for nearly all values
    return error.hinted(f"{signature(function)}: gradcli ops {function.name} explains it")


def _converted(
    values: Values, function: Function, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the building function, in order and by name."""
    if function.operands and not keywords and len(arguments) == len(function.operands):
        with suppress(GradcliError):  # which is told of below
            return [values.tensor(argument, function.name) for argument in arguments], {}
    parameters = parameters_of(function)
    of_tensors = values.is_pytorch and function.group in _OF_TENSORS

    def convert(parameter: Parameter, value: Value) -> Any:
        try:
            if of_tensors and parameter.kind in _TENSORS and parameter.required:
                _check_tensor(values, value)
            return CONVERSIONS[parameter.kind](values, value, f"{function.name}: {parameter.name}")
        except GradcliError as error:
            from gradcli.trace.wrong_arguments import wrong  # a mistake

            place = 1 + next(i for i, each in enumerate(parameters) if each.name == parameter.name)
            raise wrong(
                values, function, parameter, place, value, arguments, keywords, error
            ) from None

    if "inplace" in keywords and function.group == "activation":
        keywords = _not_in_place(values, function, keywords)
    if function.group == "loss" and (keywords or len(arguments) > 2):
        from gradcli.trace.old_reductions import with_reduction  # few programs have them

        arguments, keywords = with_reduction(values, function, parameters, arguments, keywords)
    try:
        positional, rest, named = bind_function(function, parameters, arguments, keywords)
    except GradcliError as error:
        from gradcli.trace.wrong_arguments import misfit  # a mistake

        raise misfit(values, function, parameters, arguments, keywords, error) from None
    converted = [convert(p, value) for p, value in zip(parameters, positional, strict=False)]
    if rest:
        variadic = next(p for p in parameters if p.variadic)
        if variadic.kind == "int":  # lengths and axes: `2, 3` and `(2, 3)` are the same
            given = rest[0] if len(rest) == 1 else tuple(rest)
            converted += convert(_several(variadic), given)
        elif len(rest) == 1 and isinstance(rest[0], Items | tuple):  # so are `a, b` and `[a, b]`
            converted += values.tensors(rest[0], variadic.name)
        else:
            converted += [convert(variadic, value) for value in rest]
    by_name = {p.name: convert(p, named[p.name]) for p in parameters if p.name in named}
    if function.operands:  # the building function takes them in their order
        converted += [by_name.pop(name) for name in function.operands[len(converted) :]]
    return converted, by_name


_OF_TENSORS = frozenset(("loss", "layer", "linear algebra"))
"""Groups of functions that PyTorch gives no numbers and lists of Python's."""
_TENSORS = ("Node", "Index")


def _check_tensor(values: Values, value: Value) -> None:
    is_list = isinstance(value, Items | tuple) or value in values.number_lists
    if is_list or value in values.listed or (isinstance(value, Node) and values.plain_kind(value)):
        raise GradcliError("type", f"a tensor is needed here, not {describe(value)}",
                           hint="torch.tensor(…) makes one of numbers")  # fmt: skip


def _build(
    values: Values, function: Function, arguments: list[Any], keywords: Mapping[str, Any]
) -> Any:
    if function.operands:
        build = function.variant if keywords and function.variant else function.build
        return build(*arguments, **keywords)
    if function.build.__code__.co_varnames[:1] == ("graph",):
        return function.build(values.graph, *arguments, **keywords)
    return function.build(*arguments, **keywords)


def _remember(
    values: Values,
    function: Function,
    arguments: list[Any],
    keywords: Mapping[str, Any],
    first: int,
    built: Any,
) -> None:
    """Note which nodes a call has made, unless its arguments are any number of tensors."""
    assert values.passages is not None
    parameters = parameters_of(function)
    if not any(each.variadic for each in parameters):
        given = dict(zip((each.name for each in parameters), arguments, strict=False)) | {
            **keywords
        }
        span, made = values.graph.span, range(first, values.graph.count)
        values.passages.add("call", function.name, span, made, given, built, function)


def _not_in_place(
    values: Values, function: Function, keywords: Mapping[str, Value]
) -> dict[str, Value]:
    """The keywords without `inplace`, which must be false."""
    if values.truth(keywords["inplace"]):
        raise GradcliError(
            "value",
            f"{function.name}: inplace=True changes a value in place, which is not possible here",
            hint=f"leave it out and bind the result: x = {function.name}(x)",
        )
    return {name: value for name, value in keywords.items() if name != "inplace"}


def bind_names(
    name: str,
    parameters: Sequence[str],
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    optional: Container[str] = (),
) -> dict[str, Value]:
    """The arguments of a call by parameter, for functions that are not in the op table."""
    if len(arguments) > len(parameters):
        raise GradcliError(
            "type",
            f"{name} takes {_plural(len(parameters))}; {len(arguments)} are given",
            hint=f"{name}({', '.join(parameters)})",
        )
    given = dict(zip(parameters, arguments, strict=False))
    for keyword, value in keywords.items():
        if keyword not in parameters:
            guess = nearest(keyword, parameters)
            raise GradcliError(
                "name",
                f"{name} has no parameter {keyword!r}",
                hint=f"did you mean {guess!r}?" if guess else f"{name}({', '.join(parameters)})",
            )
        if keyword in given:
            raise GradcliError(
                "type", f"{name}: {keyword} is given twice", hint="leave one of them out"
            )
        given[keyword] = value
    missing = [each for each in parameters if each not in given and each not in optional]
    if missing:
        raise GradcliError(
            "type",
            f"{name} needs {' and '.join(missing)}",
            hint=f"{name}({', '.join(parameters)})",
        )
    return given


def _plural(count: int) -> str:
    return f"{count} argument{'' if count == 1 else 's'}"


def bind_function(
    function: Function,
    parameters: tuple[Parameter, ...],
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
) -> tuple[Sequence[Value], Sequence[Value], dict[str, Value]]:
    """The arguments for the plain parameters in order, for the variadic one, and by name."""
    if len(arguments) > 2:
        arguments, keywords = _in_todays_order(parameters, arguments, keywords)
    plain, variadic, required, known = _places_of(function, parameters)
    if not keywords and required <= len(arguments) <= len(plain):
        return arguments, (), {}
    positional = arguments[: len(plain)]
    rest = arguments[len(plain) :]
    if rest and variadic is None:
        raise GradcliError(
            "type",
            f"{function.name} takes {_count(plain)}; {len(arguments)} are given",
            hint=signature(function),
        )
    named: dict[str, Value] = {}
    for name, value in keywords.items():
        target = name if name in known else _meant(function, name, plain, known)
        if target in named or target in [p.name for p in plain[: len(positional)]]:
            raise GradcliError(
                "type", f"{function.name}: {name} is given twice", hint="leave one of them out"
            )
        named[target] = value
    if len(positional) < required:
        open_ = plain[len(positional) :] + [p for p in parameters if p.keyword_only]
        missing = [p.name for p in open_ if p.required and p.name not in named]
        if missing:
            raise GradcliError(
                "type",
                f"{function.name} needs {' and '.join(missing)}",
                hint=signature(function),
            )
    if variadic is not None and variadic.name in named:
        rest = [named.pop(variadic.name)]
    return positional, rest, named


def _meant(function: Function, name: str, plain: Sequence[Parameter], known: frozenset[str]) -> str:
    """The parameter that a keyword means which has the name of none. Raises `name`."""
    target = next((each for each in ALIASES.get(name, ()) if each in known), name)
    if target in ("input", "self") and plain and target not in known:
        target = plain[0].name
    if target == "other" and len(function.operands) > 1 and target not in known:
        target = plain[1].name
    if target not in known:
        raise _unknown_keyword(function, name, known)
    return target


class _Places(NamedTuple):
    """Where a function takes its arguments."""

    plain: list[Parameter]
    variadic: Parameter | None
    required: float
    """So many that stand in order are enough; infinite if one must be given by name."""
    names: frozenset[str]


@cache
def _several(variadic: Parameter) -> Parameter:
    """A parameter for any number of lengths or axes, as one for all of them."""
    return variadic._replace(kind="Axes")


_places: dict[Callable[..., Any], _Places] = {}
"""By what builds its nodes."""


def _places_of(function: Function, parameters: Sequence[Parameter]) -> _Places:
    found = _places.get(function.build)
    if found is None:
        plain = [p for p in parameters if not p.keyword_only and not p.variadic]
        variadic = next((p for p in parameters if p.variadic), None)
        is_named = any(p.required and p.keyword_only for p in parameters)
        required = max((i + 1 for i, p in enumerate(plain) if p.required), default=0)
        names = frozenset(p.name for p in parameters)
        found = _Places(plain, variadic, math.inf if is_named else required, names)
        _places[function.build] = found
    return found


_FACTORS = ("beta", "alpha", "value")
"""Parameters that once stood before the tensors that they multiply."""


def _in_todays_order(
    parameters: tuple[Parameter, ...],
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
) -> tuple[Sequence[Value], Mapping[str, Value]]:
    """The arguments of `add(x, 2, y)` and `addmm(2, x, 3, a, b)`, which stand for
    `add(x, y, alpha=2)` and `addmm(x, a, b, beta=2, alpha=3)`.
    """
    names = [name for name in _FACTORS if any(p.name == name for p in parameters)]
    if not names or not all(isinstance(each, Node) for each in arguments):
        return arguments, keywords
    if arguments[-1].known is not None and not arguments[-1].shape:  # type: ignore[union-attr]
        return arguments, keywords  # a number, which a factor behind them is: `rsub(x, 2, 3)`
    places = [i for i, each in enumerate(arguments[:-1]) if not each.shape]  # type: ignore[union-attr]
    needed = [p for p in parameters if p.required]
    surplus = len(arguments) - len(needed)
    if not 0 < surplus == len(places) <= len(names) or any(p.kind != "Node" for p in needed):
        return arguments, keywords
    if places[0]:  # the first is for the tensors behind it
        names = names[-1:]
    factors = {name: arguments[i] for name, i in zip(names, places, strict=False)}
    tensors = [each for i, each in enumerate(arguments) if i not in places]
    return tensors, {**factors, **keywords}


def _count(parameters: Sequence[Parameter]) -> str:
    least = sum(p.required for p in parameters)
    most = len(parameters)
    numbers = str(most) if least == most else f"{least} to {most}"
    return f"{numbers} argument{'' if most == 1 else 's'}"


def _unknown_keyword(function: Function, name: str, known: Collection[str]) -> GradcliError:
    if name in REFUSED:
        return GradcliError("name", f"{function.name} takes no {name} here", hint=REFUSED[name])
    guess = nearest(name, known)
    return GradcliError(
        "name",
        f"{function.name} has no parameter {name!r}",
        hint=f"did you mean {guess!r}?" if guess else signature(function),
    )


def signature(function: Function) -> str:
    """A function's signature for documentation: `sum(x, dim=None, keepdim=False)`."""
    parts = []
    for parameter in parameters_of(function):
        if parameter.variadic:
            parts.append(f"*{parameter.name}")
        elif parameter.required:
            parts.append(parameter.name)
        else:
            default = parameter.default
            parts.append(f"{parameter.name}={default!r}")
    return f"{function.name}({', '.join(parts)})"
