"""`functional_call`, `make_functional`, `stack_module_state`: models whose parameters come from
outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops.control import detach, leaf
from gradcli.ops.joining import stack
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.modules import Method, Module
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value, Values, describe


class FunctionalCalls:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.values = autograd.values
        self.functions: dict[str, Method] = {
            "torch.func.functional_call": self._call,
            "torch.func.stack_module_state": self._stacked,
            "torch.func.make_functional": partial(self._functional, False),
            "torch.func.make_functional_with_buffers": partial(self._functional, True),
            "torch.func.combine_state_for_ensemble": self._combined,
        }

    def _call(self, arguments: list[Value], keywords: Given) -> Any:
        """What a model gives whose parameters are others during the call."""
        names = ("module", "parameter_and_buffer_dicts", "args", "kwargs", "tie_weights", "strict")
        given = bind_names("functional_call", names, arguments, keywords, names[2:])
        module = given["module"]
        if not isinstance(module, Module):
            raise GradcliError("type", f"functional_call takes a model, not {describe(module)}")
        inputs = given.get("args")
        options = given.get("kwargs")
        named = dict(options.pairs()) if isinstance(options, Dictionary) else {}
        with _given(module, dict(self._pairs(given["parameter_and_buffer_dicts"]))):
            plain = isinstance(inputs, tuple)
            found = yield module.call(
                list(inputs) if plain else [inputs] if inputs is not None else [],  # type: ignore[arg-type]
                {str(key): value for key, value in named.items()},
            )
        return found

    def _pairs(self, value: Value) -> list[tuple[str, Node]]:
        """The parameters by name, of a dictionary or of several."""
        several = value if isinstance(value, tuple) else (value,)
        pairs = []
        for each in several:
            if not isinstance(each, Dictionary):
                raise GradcliError("type", "functional_call takes a dictionary of tensors",
                                   hint="dict(model.named_parameters())")  # fmt: skip
            pairs += [(str(name), self.values.tensor(node)) for name, node in each.pairs()]
        return pairs

    def _stacked(self, arguments: list[Value], keywords: Given) -> Value:
        """The parameters and buffers of models that are alike, as rows of tensors."""
        given = bind_names("stack_module_state", ("models",), arguments, keywords)
        stacked = self._rows("stack_module_state", given["models"])[1]
        return tuple(Dictionary(self.values, pairs.items()) for pairs in stacked)

    def _rows(self, name: str, given: Value) -> tuple[list[Module], list[dict[str, Node]]]:
        """Models that are alike, and by name the rows of their parameters and of their buffers."""
        models = self.values.elements(given)
        modules = [each for each in models if isinstance(each, Module)]
        if not modules or len(modules) < len(models):
            raise GradcliError("type", f"{name} takes a list of models")
        found = []
        for marked, states in (
            (True, [dict(each.named()) for each in modules]),
            (False, [dict(each.named_buffers()) for each in modules]),
        ):
            if any(state.keys() != states[0].keys() for state in states):
                raise GradcliError("value", "the models must be of one class")
            rows = {name: stack([state[name] for state in states]) for name in states[0]}
            found.append({name: leaf(detach(row), marked=marked) for name, row in rows.items()})
        return modules, found

    def _functional(self, has_buffers: bool, arguments: list[Value], keywords: Given) -> Value:
        """A model as a function of its parameters, and copies of these."""
        from gradcli.trace.copies import Copies  # few programs copy models

        names = ("model", "disable_autograd_tracking")
        given = bind_names("make_functional", names, arguments, keywords, names[1:])
        model = Copies(self.values).deep(given["model"])
        if not isinstance(model, Module):
            raise GradcliError("type", f"make_functional takes a model, not {describe(model)}")
        states = [dict(model.named()), dict(model.named_buffers())]
        if states[1] and not has_buffers:
            said = (
                "make_functional(model): `model` has buffers. Please use "
                "make_functional_with_buffers(model) instead."
            )
            raise RefusedError(("RuntimeError", said), "value", "the model has buffers",
                               hint="make_functional_with_buffers(model)")  # fmt: skip
        if "disable_autograd_tracking" in given and self.values.truth(given[names[1]]):
            states[0] = {name: detach(node) for name, node in states[0].items()}
        states = states[: 1 + has_buffers]
        rows = [tuple(state.values()) for state in states]
        return (FunctionOfState(self.values, model, [[*state] for state in states]), *rows)

    def _combined(self, arguments: list[Value], keywords: Given) -> Value:
        """The first of models that are alike as a function of its state, and the rows of theirs."""
        name = "combine_state_for_ensemble"
        given = bind_names(name, ("models",), arguments, keywords)
        modules, states = self._rows(name, given["models"])
        function = FunctionOfState(self.values, modules[0], [[*state] for state in states])
        return (function, *(tuple(state.values()) for state in states))


class FunctionOfState(Object):
    """A model that is called with its parameters, and its buffers if it has some, before the
    inputs.
    """

    what = "a function of a model's parameters"
    title = "FunctionalModule"

    def __init__(self, values: Values, model: Module, names: Sequence[Sequence[str]]) -> None:
        self.values = values
        self._model, self._names = model, names

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        states, inputs = arguments[: len(self._names)], arguments[len(self._names) :]
        new: dict[str, Node] = {}
        for names, state in zip(self._names, states, strict=True):
            tensors = map(self.values.tensor, self.values.elements(state))
            new.update(zip(names, tensors, strict=False))
        with _given(self._model, new):
            found = yield self._model.call(inputs, keywords)
        return found


@contextmanager
def _given(module: Module, new: Mapping[str, Node]) -> Iterator[None]:
    """Let a model have other parameters and buffers for a while. Raises `name`."""
    places = {name: (owner, each) for name, owner, each in _places(module)}
    unknown = [name for name in new if name not in places]
    if unknown:
        raise GradcliError("name", f"the model has no parameter {unknown[0]!r}",
                           hint=f"it has {', '.join(places)}")  # fmt: skip
    stores = [(owner.store(each), each) for owner, each in map(places.__getitem__, new)]
    before = [store[each] for store, each in stores]
    try:
        for (store, each), node in zip(stores, new.values(), strict=True):
            store[each] = node
        yield
    finally:
        for (store, each), old in zip(stores, before, strict=True):
            store[each] = old


def _places(module: Module) -> list[tuple[str, Module, str]]:
    """The name of each parameter and buffer, the module that holds it, and its name there."""
    return [
        (f"{path}.{name}" if path else name, each, name)
        for path, each in module.named_modules()
        for name in (*each.own(), *each.buffers())
    ]
