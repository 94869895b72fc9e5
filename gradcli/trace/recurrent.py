"""`nn.RNN`, `nn.LSTM`, `nn.GRU` and their cells, composed of linear maps and gates.

The formulas and the order of the gates are those of PyTorch's documentation of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Node
from gradcli.ops import f
from gradcli.ops.control import bind
from gradcli.ops.creation import zeros
from gradcli.ops.indexing import getitem
from gradcli.ops.joining import cat, stack
from gradcli.ops.shapes import show
from gradcli.ops.table import MAPPED, Alike
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.layer import Layer
from gradcli.trace.layers import Layers, remaking
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given
from gradcli.trace.refusals import check_demands
from gradcli.trace.values import Value

State = tuple[Node, ...]
Step = Callable[[Node, Node, State], State]
"""Of what the input and the hidden state are mapped to, and the state: the state after it."""


def _gates(row: Node, count: int) -> list[Node]:
    size = row.shape[-1] // count
    return [getitem(row, [..., slice(i * size, (i + 1) * size)]) for i in range(count)]


def _lstm(x: Node, h: Node, state: State) -> State:
    written, kept, new, shown = _gates(x + h, 4)  # PyTorch's i, f, g and o
    cell = f("sigmoid", kept) * state[1] + f("sigmoid", written) * f("tanh", new)
    return f("sigmoid", shown) * f("tanh", cell), cell


def _gru(x: Node, h: Node, state: State) -> State:
    (xr, xz, xn), (hr, hz, hn) = _gates(x, 3), _gates(h, 3)
    z = f("sigmoid", xz + hz)
    n = f("tanh", xn + f("sigmoid", xr + hr) * hn)
    return ((1.0 - z) * n + z * state[0],)


class RecurrentStep(NamedTuple):
    """What a step needs: gates, and parts of its state."""

    gates: int
    parts: int
    step: Step


RECURRENCES = {
    "RNN": RecurrentStep(1, 1, lambda x, h, _: (f("tanh", x + h),)),
    "LSTM": RecurrentStep(4, 2, _lstm),
    "GRU": RecurrentStep(3, 1, _gru),
}
_NODES = {"LSTM": "MkldnnRnnLayerBackward0"}
"""What makes the rows of a batch where no state is projected, if it is not a stack of them."""
_OF_WEIGHTS = Alike(
    "RNN input dtype (torch.{dtype}) does not match weight dtype (torch.{other_dtype}). Convert "
    "input: input.to(torch.{other_dtype}), or convert model: model.to(torch.{dtype})",
    "ValueError",
)
_RELU = RecurrentStep(1, 1, lambda x, h, _: (f("relu", x + h),))


class RecurrentLayer(Layer):
    """A recurrent layer of all steps, which has several rows of parameters."""

    def methods(self) -> dict[str, Method]:
        return super().methods() | {"flatten_parameters": lambda *_: None}

    def attribute(self, name: str) -> Value:
        own = self.own()
        if name == "_flat_weights":
            return Items([*own.values()])
        if name in ("all_weights", "_all_weights"):
            rows: dict[str, list[Value]] = {}
            for each, node in own.items():
                level = each.partition("_l")[2]
                rows.setdefault(level, []).append(node if name == "all_weights" else each)
            return Items([Items(row) for row in rows.values()])
        return super().attribute(name)


class RecurrentLayers:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.values = layers.values
        made: dict[str, Method] = {}
        for name in RECURRENCES:
            made[f"torch.nn.{name}"] = self._maker(name, self._layer)
            made[f"torch.nn.{name}Cell"] = self._maker(name, self._cell)
        self.functions = remaking(made)

    def _maker(self, name: str, make: Callable[[str, list[Value], Given], Layer]) -> Method:
        return lambda arguments, keywords: make(name, arguments, keywords)

    def _recurrence(self, name: str, given: Given) -> RecurrentStep:
        kind = given.get("nonlinearity", "tanh")
        if kind not in ("tanh", "relu"):
            said = f"Unknown nonlinearity '{kind}'. Select from 'tanh' or 'relu'."
            raise RefusedError(("ValueError", said), "value",
                               f"{name}: nonlinearity is 'tanh' or 'relu'")  # fmt: skip
        return _RELU if kind == "relu" else RECURRENCES[name]

    def _parameters(
        self, gates: int, inputs: int, size: int, has_bias: bool, end: str = "", shorter: int = 0
    ) -> dict[str, Node]:
        """Where `shorter` is not 0, the hidden state is projected to that length."""
        bound = 1 / math.sqrt(size) if size else 0.0
        wanted: dict[str, tuple[int, ...]] = {
            "weight_ih": (gates * size, inputs),
            "weight_hh": (gates * size, shorter or size),
        }
        if has_bias:
            wanted |= {"bias_ih": (gates * size,), "bias_hh": (gates * size,)}
        if shorter:
            wanted["weight_hr"] = (shorter, size)
        return {name + end: self.layers.uniform(shape, bound) for name, shape in wanted.items()}

    def _mapped(self, own: dict[str, Node], of: str, end: str, x: Node) -> Node:
        return f("linear", x, own[f"weight_{of}{end}"], own.get(f"bias_{of}{end}"))

    # --- one step ---

    def _cell(self, name: str, arguments: list[Value], keywords: Given) -> Layer:
        names = ("input_size", "hidden_size", "bias", "nonlinearity", "device", "dtype")
        given = bind_names(f"{name}Cell", names, arguments, keywords, names[2:])
        inputs, size = (self.values.integer(given[each], each) for each in names[:2])
        kind = self._recurrence(name, given)
        has_bias = "bias" not in given or self.values.truth(given["bias"])

        def compute(layer: Layer, arguments: list[Value], keywords: Given) -> Value:
            found = bind_names(f"{name}Cell", ("input", "hx"), arguments, keywords, ("hx",))
            x = self._input(name, found["input"], inputs, (1, 2))
            shapes = [(*x.shape[:-1], size)] * kind.parts
            state = self._state(name, found.get("hx"), shapes)
            own = layer.own()
            self._check_dtypes(name, MAPPED, x, own["weight_ih"])
            if found.get("hx") is not None:
                self._check_dtypes(name, MAPPED, state[0], own["weight_hh"])
            after = kind.step(
                self._mapped(own, "ih", "", x), self._mapped(own, "hh", "", state[0]), state
            )
            return after if kind.parts > 1 else after[0]

        parameters = self._parameters(kind.gates, inputs, size, has_bias)
        details = f"{inputs}, {size}" + ("" if has_bias else ", bias=False")
        if given.get("nonlinearity", "tanh") != "tanh":
            details += f", nonlinearity={given['nonlinearity']}"
        made = self.layers.layer(f"{name}Cell", compute, parameters, details)
        return made.made_with({**{each: given[each] for each in names[:2]}, "bias": has_bias})

    # --- all steps of a row ---

    def _layer(self, name: str, arguments: list[Value], keywords: Given) -> Layer:
        names: tuple[str, ...]
        names = ("input_size", "hidden_size", "num_layers", "nonlinearity", "bias", "batch_first",
                 "dropout", "bidirectional", "proj_size", "device", "dtype")  # fmt: skip
        if name != "RNN":
            names = (*names[:3], *names[4:])
        given = bind_names(name, names, arguments, keywords, names[2:])
        numbers = self.values
        inputs, size = (numbers.integer(given[each], each) for each in names[:2])
        depth = numbers.integer(given["num_layers"], "num_layers") if "num_layers" in given else 1
        kind = self._recurrence(name, given)
        if self.values.is_pytorch:
            from gradcli.trace.bounds import check_settings

            check_settings(self.values, name, {"num_layers": 1, "dropout": 0.0, **given})
        flags = {
            each: each in given and numbers.truth(given[each])
            for each in ("batch_first", "bidirectional")
        }
        shorter = self._projected(name, size, given.get("proj_size"))
        lengths = [shorter or size, size][: kind.parts]
        dropped = numbers.number(given["dropout"], "dropout") if "dropout" in given else 0.0
        has_bias = "bias" not in given or numbers.truth(given["bias"])
        ends = ("", "_reverse") if flags["bidirectional"] else ("",)
        parameters: dict[str, Node] = {}
        for level in range(depth):
            width = inputs if level == 0 else lengths[0] * len(ends)
            for end in ends:
                parameters |= self._parameters(
                    kind.gates, width, size, has_bias, f"_l{level}{end}", shorter
                )

        def compute(layer: Layer, arguments: list[Value], keywords: Given) -> Value:
            found = bind_names(name, ("input", "hx"), arguments, keywords, ("hx",))
            if isinstance(found["input"], tuple):
                return packed(layer, found["input"], found.get("hx"))
            x = self._input(name, found["input"], inputs, (2, 3))
            self._check_dtypes(name, _OF_WEIGHTS, x, layer.own()["weight_ih_l0"])
            time = 1 if flags["batch_first"] and x.ndim == 3 else 0
            batch = tuple(n for axis, n in enumerate(x.shape[:-1]) if axis != time)
            shapes = [(depth * len(ends), *batch, length) for length in lengths]
            state = self._state(name, found.get("hx"), shapes)
            if found.get("hx") is not None:
                self._check_dtypes(name, MAPPED, state[0], layer.own()["weight_hh_l0"])
            out, last = self._run(layer, kind, x, time, state, ends, dropped)
            states = tuple(stack(list(each)) for each in zip(*last, strict=True))
            if states[0] is out:  # of a single step, which is another tensor
                states = (bind(out), *states[1:])
            self.values.copies.update(states)  # each has memory of its own
            self._remember(name, layer, x, out, states, time == 1, len(ends) > 1)
            return out, (states if kind.parts > 1 else states[0])

        def packed(layer: Layer, sequences: Value, state: Value) -> Value:
            """Sequences of several lengths: a state goes on while its sequence does."""
            from gradcli.trace.packed_sequences import Lengths, PackedSequence, in_order

            if not isinstance(sequences, PackedSequence):
                raise GradcliError("type", f"{name} takes a tensor", hint="stack([a, b])")
            rows = Lengths.of(self.values, sequences)
            x = self._input(name, sequences.data, inputs, (2, 3))
            x = rows.padded(x, 0.0, len(rows.alive))
            shapes = [(depth * len(ends), x.shape[1], length) for length in lengths]
            first = self._state(name, state, shapes)
            first = tuple(in_order(self.values, each, sequences[2], 1) for each in first)
            out, last = self._run(layer, kind, x, 0, first, ends, dropped, rows.alive)
            states = tuple(
                in_order(self.values, stack(list(each)), sequences[3], 1)
                for each in zip(*last, strict=True)
            )
            result = PackedSequence(rows.packed(out), *sequences[1:])
            return result, (states if kind.parts > 1 else states[0])

        details = f"{inputs}, {size}" + (f", proj_size={shorter}" if shorter else "")
        details += f", num_layers={depth}" if depth > 1 else ""
        details += "" if has_bias else ", bias=False"
        details += ", batch_first=True" if flags["batch_first"] else ""
        details += f", dropout={dropped}" if dropped else ""
        details += ", bidirectional=True" if flags["bidirectional"] else ""
        made = self.layers.layer(name, compute, parameters, details, RecurrentLayer)
        constant = self.values.graph.constant
        return made.made_with({
            "input_size": constant(float(inputs)), "hidden_size": constant(float(size)),
            "num_layers": constant(float(depth)), "bias": constant(has_bias),
            "mode": "RNN_RELU" if kind is _RELU else "RNN_TANH" if name == "RNN" else name,
            "proj_size": self.values.plain(shorter),
            "dropout": self.values.plain(dropped),
            **{each: constant(flag) for each, flag in flags.items()},
        })  # fmt: skip

    def _projected(self, name: str, size: int, given: Value) -> int:
        """The length of the hidden states that come out, 0 where they are as they were."""
        shorter = 0 if given is None else self.values.integer(given, "proj_size")
        if shorter and name != "LSTM":
            raise GradcliError(
                "value", "proj_size argument is only supported for LSTM, not RNN or GRU"
            )
        if shorter < 0:
            raise GradcliError(
                "value", "proj_size should be a positive integer or zero to disable projections"
            )
        if shorter and shorter >= size:
            raise GradcliError("value", "proj_size has to be smaller than hidden_size")
        return shorter

    def _remember(
        self, name: str, layer: Layer, x: Node, out: Node, states: State, is_turned: bool,
        is_both_ways: bool,
    ) -> None:  # fmt: skip
        """What PyTorch calls the nodes that make the results: each layer is one there."""
        operands = (x, *layer.own().values())
        of_out, of_state = "SqueezeBackward1", "SqueezeBackward1"
        if x.ndim == 3:
            of_state = "StackBackward0"
            alone = of_state if "weight_hr_l0" in layer.own() else _NODES.get(name, of_state)
            of_out = "CatBackward0" if is_both_ways else alone
            of_out = f"TransposeBackward{int(name != 'LSTM')}" if is_turned else of_out
        for node, title in ((out, of_out), *((each, of_state) for each in states)):
            self.values.made_by[node] = title, operands, {}

    def _run(
        self, layer: Layer, kind: RecurrentStep, x: Node, time: int, state: State,
        ends: Sequence[str], dropped: float, alive: Array | None = None,
    ) -> tuple[Node, list[State]]:  # fmt: skip
        """What comes out of the last level at each time, and the last states of all levels; those
        of a row of the batch stay where it is not `alive`, (times, batch).
        """
        own, last = layer.own(), []
        levels = state[0].shape[0] // len(ends)
        for level in range(levels):
            rows: list[Node] = []
            for place, end in enumerate(ends):
                number = level * len(ends) + place
                now = tuple(getitem(part, [number]) for part in state)
                mapped = self._mapped(own, "ih", f"_l{level}{end}", x)
                found: list[Node] = []
                times = range(x.shape[time])
                for t in reversed(times) if end else times:
                    step = getitem(mapped, [t] if time == 0 else [slice(None), t])
                    past = now
                    now = kind.step(step, self._mapped(own, "hh", f"_l{level}{end}", now[0]), now)
                    if (shorter := own.get(f"weight_hr_l{level}{end}")) is not None:
                        now = f("linear", now[0], shorter), *now[1:]
                    if alive is not None and not alive[t].all():
                        goes_on = self.values.graph.constant(alive[t][:, None])
                        now = tuple(map(partial(f, "where", goes_on), now, past))
                    found.append(now[0])
                last.append(now)
                rows.append(stack(found[::-1] if end else found, time))
            x = rows[0] if len(rows) == 1 else cat(rows, -1)
            if dropped and layer.training and level + 1 < levels:
                x = self.layers.compute("dropout", [x], {"p": self.values.graph.constant(dropped)})
        return x, last

    def _input(self, name: str, value: Value, width: int, ranks: tuple[int, int]) -> Node:
        x = self.values.tensor(value, f"the input of {name}")
        if x.ndim not in ranks or x.shape[-1] != width or not x.size:
            said = (
                "ValueError",
                f"{name}: Expected input to be {ranks[0]}D or {ranks[1]}D, got {x.ndim}D instead",
            )
            if x.ndim in ranks:
                words = f"must be equal to input_size. Expected {width}, got {x.shape[-1]}"
                said = "RuntimeError", f"input.size(-1) {words}"
            raise RefusedError(
                said,
                "shape",
                f"{name} takes {ranks[0]} or {ranks[1]} axes, the last of length {width}; "
                f"this is {show(x.shape)}",
            )
        return x

    def _check_dtypes(self, name: str, demand: Alike, x: Node, weight: Node) -> None:
        """Raise `type` where PyTorch does not map a tensor of this dtype."""
        if self.values.is_pytorch:
            check_demands(
                self.values, name, {"input, weight": demand}, {"input": x, "weight": weight}
            )

    def _state(self, name: str, given: Value, shapes: Sequence[tuple[int, ...]]) -> State:
        """The parts of the first state, zeros where none is given."""
        if given is None:
            return tuple(zeros(self.values.graph, *shape) for shape in shapes)
        found = self.values.elements(given) if len(shapes) > 1 else [given]
        state = tuple(self.values.tensor(each, f"the state of {name}") for each in found)
        if [each.shape for each in state] != list(shapes):
            wanted = ", ".join(map(show, shapes))
            if len(set(shapes)) == 1:
                wanted = f"{len(shapes)} × {show(shapes[0])}"
            these = ", ".join(show(each.shape) for each in state)
            place = next(
                (i for i, (each, shape) in enumerate(zip(state, shapes, strict=False))
                 if each.shape != shape), 0,
            )  # fmt: skip
            hidden = f"hidden[{place}]" if len(shapes) > 1 else "hidden"
            got = state[place].shape if place < len(state) else ()
            said = (
                "RuntimeError",
                f"Expected {hidden} size {show(shapes[place])}, got {[*got]}",
            )
            raise RefusedError(said, "shape", f"{name}: the state is {wanted}; this is {these}")
        return state
