"""Complex tensors of modules: these keep both parts, and give the program the tensor of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gradcli.graph import Node
from gradcli.ops.control import detach, leaf
from gradcli.trace.complex_tensors import ComplexTensor
from gradcli.trace.values import Value, Values

_IMAGINARY = " imag"
"""What stands behind a tensor's name for its imaginary part; no attribute has such a name."""


class ComplexParameter(ComplexTensor):
    """`nn.Parameter(torch.complex(a, b))`: both parts are leaves, which optimisers change."""

    title = "Parameter"

    def shown(self) -> str:
        return f"Parameter containing:\n{super().shown()}"


def complex_parameter(values: Values, data: Value, *, marked: bool) -> ComplexParameter | None:
    """A parameter of the values of a complex tensor; None where it is none."""
    if not isinstance(data, ComplexTensor):
        return None
    real, imaginary = (leaf(detach(each), marked=marked) for each in data.pair)
    found = ComplexParameter(data.maker, (real, imaginary))
    values.parameters.update((real, imaginary))
    return found


def parts_of(values: Values, name: str, value: Value) -> dict[str, Node]:
    """The parts of a complex tensor by the names under which a module keeps them."""
    if not isinstance(value, ComplexTensor):
        return {}
    if value not in values.complex_of_modules:
        values.complex_of_modules.append(value)
    real, imaginary = value.pair
    return {name: real, f"{name}{_IMAGINARY}": imaginary}


def whole(values: Values, named: Iterable[tuple[str, Node]]) -> Iterator[tuple[str, Value]]:
    """Tensors with their names, complex ones as they are."""
    nodes = dict(named)
    by_parts = {each.pair: each for each in values.complex_of_modules}
    for name, node in nodes.items():
        if not name.endswith(_IMAGINARY):
            other = nodes.get(f"{name}{_IMAGINARY}")
            yield name, node if other is None else by_parts[node, other]


def whole_state(values: Values, state: Iterable[tuple[str, Node]]) -> Iterator[tuple[str, Value]]:
    """The same without a graph."""
    for name, value in whole(values, state):
        if isinstance(value, ComplexTensor):
            yield name, value.method("detach")([], {})
        else:
            yield name, detach(value)


def in_parts(given: Mapping[str, Value]) -> dict[str, Value]:
    """A state as modules keep it, complex tensors as their parts."""
    found: dict[str, Value] = {}
    for name, value in given.items():
        if isinstance(value, ComplexTensor):
            real, imaginary = value.pair
            found |= {name: real, f"{name}{_IMAGINARY}": imaginary}
        else:
            found[name] = value
    return found


def leaves_of(parameters: Iterable[Any]) -> list[Any]:
    """Parameters, perhaps with names, of which complex ones are two: their parts."""
    found: list[Any] = []
    for each in parameters:
        name, held = each if isinstance(each, tuple) and len(each) == 2 else (None, each)
        if isinstance(held, ComplexTensor):
            found += [part if name is None else (name, part) for part in held.pair]
        else:
            found.append(each)
    return found
