"""`torch.nn`: the functions that make layers, losses and models."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import INPUT, Graph, Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import detach, leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.containers import (
    ModuleDict,
    ModuleList,
    Sequential,
    named_parts,
    no_layer,
)
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.layer import BIAS, UNLESS_BIAS, WEIGHTS, Compute, Layer, LayerRule
from gradcli.trace.layer_errors import (
    check_count,
    check_padding,
    no_parameter,
    uneven_groups,
)
from gradcli.trace.modules import Method, Module, Replace
from gradcli.trace.objects import Given, Object
from gradcli.trace.plain_layers import (
    CONVOLUTION,
    KERNEL,
    LAYER_NORM,
    LINEAR,
    NEEDED,
    PLAIN,
    SCALED,
    Plain,
)
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.special import Size
from gradcli.trace.values import Value

Call = Callable[[str, list[Value], Given], Any]
"""How a function of gradcli is called by its name."""
_PLACES = ("device", "dtype")
_PADDINGS = ("zeros", "reflect", "replicate", "circular")
"""What convolutions may have around their input."""


class Layers:
    """The functions that make layers, by the names of PyTorch's classes."""

    def __init__(
        self,
        autograd: Autograd,
        call: Call,
        replace: Replace,
        put: Callable[[Node, Node], Value],
    ) -> None:
        """`put` writes into a tensor."""
        self.autograd = autograd
        self.replace = replace
        self._put = put
        self.values = autograd.values
        self.graph: Graph = self.values.graph
        self._numbers = PrintedNumbers(self.values)
        self.compute = call
        made: dict[str, Callable[[list[Value], Given], Value]] = {
            name: partial(self.plain, name) for name in PLAIN
        }
        made |= {
            "Linear": self._linear,
            "Conv1d": partial(self.convolution, 1),
            "Conv2d": partial(self.convolution, 2),
            "LayerNorm": self._layer_norm,
            "Sequential": self._sequential,
            "Parameter": self._parameter,
            "ParameterList": partial(self._listed, "ParameterList"),
            "ModuleList": partial(self._listed, "ModuleList"),
            "ModuleDict": partial(self._named, "ModuleDict"),
            "ParameterDict": partial(self._named, "ParameterDict"),
            "PReLU": self._prelu,
            "Dropout": partial(self.dropout, "Dropout", "dropout"),
        }
        self.functions = remaking({f"torch.nn.{name}": make for name, make in made.items()})
        self.functions["torch.nn.parameter.Parameter"] = self._parameter

    def plain(self, title: str, arguments: list[Value], keywords: Given) -> Layer:
        """A layer without parameters."""
        plain = PLAIN[title]
        if not plain.function:
            return self.layer(title, lambda _, inputs, named: self._only(title, inputs, named))
        optional = [name for name, usual in plain.options.items() if usual is not NEEDED]
        given = bind_names(title, tuple(plain.options), arguments, keywords, optional)
        for name in ("size_average", "reduce"):  # as `nn.MSELoss(x, y)` has them
            if given.get(name) is not None:
                self.values.truth(given[name])
        if self.values.is_pytorch:
            from gradcli.trace.bounds import check_settings

            check_settings(self.values, title, {**plain.options, **given})
        layer = self.ruled(title, partial(self._plain_rule, title), given)
        layer.statistics = {name: weight for name, weight in given.items()
                            if name in WEIGHTS and isinstance(weight, Node)}  # fmt: skip
        return layer

    def _only(self, title: str, inputs: list[Value], keywords: Given) -> Value:
        """The input of a layer that gives it unchanged."""
        return bind_names(f"{title}.forward", ("input",), inputs, keywords)["input"]

    def ruled(
        self,
        title: str,
        remake: Callable[[Given], LayerRule],
        given: Given,
        parameters: Mapping[str, Node] | None = None,
    ) -> Layer:
        """A layer whose settings may be changed."""
        rule = remake(given)
        layer = self.layer(title, rule.compute, parameters).follow(rule)
        layer.remake = remake
        return layer

    def _plain_rule(self, title: str, given: Given) -> LayerRule:
        plain = PLAIN[title]
        if plain.function == "interpolate":
            given = self._scaled(given)
        settings = {**plain.options, **given}
        if settings.get("stride") in (None, KERNEL) and plain.options.get("stride") is KERNEL:
            settings["stride"] = settings["kernel_size"]
        if plain.axes:
            settings |= {name: self.row(self.values.setting(settings[name]), name, plain.axes)
                         for name in plain.shown}  # fmt: skip
        told = [*dict.fromkeys((*plain.passed, *given))]
        options = {
            name: self.values.setting(settings[name])
            for name in told
            if settings[name] is not None and name not in ("inplace", *WEIGHTS)
        }
        in_place = "inplace" in settings and self.values.truth(
            self.values.setting(settings["inplace"])
        )
        details = self._details(plain, settings)
        if in_place:
            details += f"{', ' if details else ''}inplace=True"
        compute = partial(self._computed, plain.function, options)
        return LayerRule(self.in_place(compute) if in_place else compute, details, settings)

    def _scaled(self, given: Given) -> Given:
        """What `Upsample` was given: its factors are floats."""
        factor = given.get("scale_factor")
        if factor is None:
            return given
        found = tuple(map(self.graph.decimal, self.values.numbers(factor, "scale_factor")))
        is_one = isinstance(factor, Node) and not factor.shape
        return {**given, "scale_factor": found[0] if is_one else found}

    def in_place(self, compute: Compute) -> Compute:
        """What puts its result into its input."""

        def put(layer: Layer, inputs: list[Value], given: Given) -> Any:
            before = inputs[0]
            if not isinstance(before, Node) or before.op is INPUT:
                return compute(layer, inputs, given)
            operand = self.autograd.kept(before, ())
            found = compute(layer, [operand, *inputs[1:]], given)
            return before if found is operand else self._put(before, found)

        return put

    def layer(
        self,
        title: str,
        compute: Callable[[Layer, list[Value], Given], Any],
        parameters: Mapping[str, Node] | None = None,
        details: str = "",
        kind: type[Layer] = Layer,
    ) -> Layer:
        """A layer that computes something with its parameters."""
        self.values.explicit = self.values.explicit or bool(parameters)
        return kind(self.autograd, title, self.replace, compute, parameters, details)

    def _computed(
        self, function: str, options: Given, layer: Layer, inputs: list[Value], given: Given
    ) -> Any:
        own = {**layer.weights(), **layer.buffers_used()}
        if self.values.is_pytorch:
            check_count(layer.title, function, len(inputs), {**options, **own}, given)
        return self.compute(function, inputs, {**options, **own, **given})

    def _details(self, plain: Plain, settings: Given) -> str:
        """What PyTorch shows of a layer without parameters."""
        unused = "size" if settings.get("scale_factor") is not None else "scale_factor"
        shown = [name for name in plain.shown if plain.shown is not SCALED or name != unused]
        texts = {name: self.shown(settings[name]) for name in shown}
        return ", ".join(
            text if name in plain.unnamed else f"{name}={text}" for name, text in texts.items()
        )

    def shown(self, value: Any) -> str:
        """A setting as PyTorch shows it."""
        if isinstance(value, Node) and value.size == 1:
            return str(self._as_given(value))
        if isinstance(value, tuple | Items):
            end = "," if len(value) == 1 else ""
            opening, closing = ("torch.Size([", "])") if isinstance(value, Size) else "()"
            return f"{opening}{', '.join(map(self.shown, value))}{end}{closing}"
        return repr(value)

    def number(self, value: Value, name: str) -> float:
        """A number that a layer is given: an int where it is one, as the layer shows it."""
        self.values.number(value, name)  # raises where it is none
        return self._as_given(self.values.tensor(value))

    def _as_given(self, node: Node) -> float:
        plain: float | bool = self.values.evaluator.value(node).item()
        is_whole = not isinstance(plain, bool) and float(plain).is_integer()
        return int(plain) if is_whole and self._numbers.is_integer(node) else plain

    def dropout(self, title: str, function: str, arguments: list[Value], keywords: Given) -> Layer:
        """A layer that leaves some of its input out in training."""
        given = self.options(title, {"p": 0.5, "inplace": False}, arguments, keywords)
        return self.ruled(title, partial(self._dropout_rule, function), given)

    def _dropout_rule(self, function: str, given: Given) -> LayerRule:
        p, in_place = self.values.number(given["p"], "p"), self.values.truth(given["inplace"])
        if not 0 <= p <= 1:
            raise GradcliError(
                "value", f"dropout probability has to be between 0 and 1, but got {p:g}"
            )
        options: Given = {"p": self.graph.constant(p), "training": self.graph.constant(True)}

        def compute(layer: Layer, inputs: list[Value], _: Given) -> Any:
            return self.compute(function, inputs, options) if layer.training and p else inputs[0]

        made = self.in_place(compute) if in_place else compute
        return LayerRule(made, f"p={self.shown(given['p'])}, inplace={in_place}", given)

    def options(
        self, title: str, options: Mapping[str, Any], arguments: list[Value], keywords: Given
    ) -> Given:
        """All options of a layer: what is given, the rest as by default."""
        optional = [name for name, usual in options.items() if usual is not NEEDED]
        given = bind_names(title, (*options, *_PLACES), arguments, keywords, (*optional, *_PLACES))
        return {name: given[name] if name in given else self.values.setting(usual)
                for name, usual in options.items()}  # fmt: skip

    def row(self, value: Value, name: str, axes: int) -> tuple[int, ...]:
        """A whole number for each axis."""
        return _each(self.values.integers(value, name), axes)

    def _linear(self, arguments: list[Value], keywords: Given) -> Layer:
        given = self.options("Linear", LINEAR, arguments, keywords)
        inputs, outputs = (self.values.integer(given[name], name) for name in [*LINEAR][:2])
        bound = 1 / math.sqrt(inputs) if inputs else 0.0
        parameters = {"weight": self.uniform((outputs, inputs), bound)}
        if self.values.truth(given["bias"]):
            parameters["bias"] = self.uniform((outputs,), bound)
        self.values.explicit = True
        return self.ruled("Linear", self._linear_rule, given, parameters)

    def _linear_rule(self, given: Given) -> LayerRule:
        shown = [f"{name}={self.shown(given[name])}" for name in [*LINEAR][:2]]
        compute = partial(self._computed, "linear", {})
        return LayerRule(compute, ", ".join((*shown, BIAS)), {**given, "bias": None})

    def channels(self, title: str, given: Given) -> tuple[int, int, int]:
        """Those of a convolution's input and output, and in how many groups they are."""
        inputs, outputs, groups = (
            self.values.integer(given[name], name)
            for name in ("in_channels", "out_channels", "groups")
        )
        if groups < 1 or inputs % groups or outputs % groups:
            raise uneven_groups(title, inputs, outputs, groups)
        return inputs, outputs, groups

    def convolution(self, axes: int, arguments: list[Value], keywords: Given) -> Layer:
        """A convolution over so many axes."""
        title = f"Conv{axes}d"
        given = self.options(title, CONVOLUTION, arguments, keywords)
        inputs, outputs, groups = self.channels(title, given)
        kernel = self.row(given["kernel_size"], "kernel_size", axes)
        bound = 1 / math.sqrt(max(1, inputs // groups * math.prod(kernel)))
        parameters = {"weight": self.uniform((outputs, inputs // groups, *kernel), bound)}
        if self.values.truth(given["bias"]):
            parameters["bias"] = self.uniform((outputs,), bound)
        self.values.explicit = True
        rule = partial(self._convolution_rule, axes)
        return self.ruled(title, rule, given, parameters)

    def _convolution_rule(self, axes: int, given: Given) -> LayerRule:
        kernel, steps, gaps = (
            self.row(given[name], name, axes) for name in ("kernel_size", "stride", "dilation")
        )
        around = given["padding"]
        widths = around if isinstance(around, str) else self.row(around, "padding", axes)
        sizes = {"kernel_size": kernel, "stride": steps, "padding": widths, "dilation": gaps}
        shown = [self.shown(given["in_channels"]), self.shown(given["out_channels"]),
                 f"kernel_size={kernel}", f"stride={steps}"]  # fmt: skip
        if widths != (0,) * axes:
            shown.append(f"padding={widths}")
        if gaps != (1,) * axes:
            shown.append(f"dilation={gaps}")
        if (groups := self.shown(given["groups"])) != "1":
            shown.append(f"groups={groups}")
        shown[-1] += UNLESS_BIAS
        mode = given["padding_mode"]
        if mode not in _PADDINGS:
            raise GradcliError("value", f"padding_mode is one of {', '.join(_PADDINGS)}")
        if isinstance(around, str):
            check_padding(around, steps)
        options = {name: given[name] for name in ("stride", "padding", "dilation", "groups")}
        if mode == "zeros":
            compute = partial(self._computed, f"conv{axes}d", options)
        else:
            shown.append(f"padding_mode={mode}")
            ends = self._widths(axes, kernel, options)
            compute = partial(self._convolved_behind, axes, mode, ends, options)
        fixed = {"bias": None, "transposed": False, "output_padding": (0,) * axes}
        last = {name: given[name] for name in ("groups", "padding_mode")}
        found = {each: value for each, value in given.items() if each not in last}
        return LayerRule(compute, ", ".join(shown), {**found, **sizes, **fixed, **last})

    def _widths(self, axes: int, kernel: tuple[int, ...], options: Given) -> list[int]:
        """How far a convolution's input is padded before and behind each axis, the last first; the
        options have no padding then.
        """
        around = options.pop("padding")
        steps = self.values.integers(options["dilation"], "dilation")
        if isinstance(around, str):
            whole = [step * (size - 1) * (around == "same")
                     for size, step in zip(kernel, _each(steps, axes), strict=True)]  # fmt: skip
            pairs = [(each // 2, each - each // 2) for each in whole]
        else:
            given = (0,) if around is None else self.values.integers(around, "padding")
            pairs = [(each, each) for each in _each(given, axes)]
        return [each for pair in reversed(pairs) for each in pair]

    def _convolved_behind(
        self,
        axes: int,
        mode: str,
        widths: Sequence[int],
        options: Given,
        layer: Layer,
        inputs: list[Value],
        given: Given,
    ) -> Value:
        """The convolution of an input that is padded with elements of its own."""
        x = self.values.tensor(inputs[0], "the input")
        batch = x if x.ndim == axes + 2 else FUNCTIONS["unsqueeze"].build(x, 0)
        pads = tuple([self.graph.constant(float(each)) for each in widths])
        padded = self.compute("pad", [batch, pads], {"mode": mode})
        options = {**options, **layer.weights(), **given}
        found: Node = self.compute(f"conv{axes}d", [padded], options)
        return found if batch is x else FUNCTIONS["squeeze"].build(found, 0)

    def _layer_norm(self, arguments: list[Value], keywords: Given) -> Layer:
        given = self.options("LayerNorm", LAYER_NORM, arguments, keywords)
        shape = self.values.integers(given["normalized_shape"], "normalized_shape")
        affine, bias = (self.values.truth(given[name]) for name in ("elementwise_affine", "bias"))
        parameters = {}
        for name, value in (("weight", 1.0), ("bias", 0.0))[: affine + (affine and bias)]:
            full = FUNCTIONS["full"].build(self.graph, shape, self.graph.constant(value))
            parameters[name] = leaf(full, marked=True)
        options = {name: given[name] for name in ("normalized_shape", "eps")}
        row = f"({shape[0]},)" if len(shape) == 1 else str(shape)
        details = f"{row}, eps={self.shown(given['eps'])}, elementwise_affine={affine}, {BIAS}"
        layer = self.with_parameters("LayerNorm", "layer_norm", parameters, options, details)
        return layer.made_with({**given, "normalized_shape": shape, "weight": None, "bias": None})

    def _sequential(self, arguments: list[Value], keywords: Given) -> Sequential:
        names: list[str] = []
        if len(arguments) == 1 and isinstance(arguments[0], Dictionary):
            pairs = arguments[0].pairs()
            names = [str(name) for name, _ in pairs]
            arguments = [value for _, value in pairs]
        inside = [each for argument in arguments for each in self._modules(argument)]
        return Sequential(self.autograd, self.replace, names, inside)

    def _modules(self, argument: Value) -> list[Module]:
        if self.values.is_pytorch and not isinstance(argument, Module | None):
            raise no_layer(self.values, argument)
        found = [argument] if isinstance(argument, Object) else self.values.elements(argument)
        layers = [each for each in found if isinstance(each, Module)]
        if len(layers) < len(found):
            raise GradcliError(
                "type",
                "a model is made of layers",
                hint="nn.Sequential(nn.Linear(2, 3), nn.ReLU())",
            )
        return layers

    def _listed(self, title: str, arguments: list[Value], keywords: Given) -> ModuleList:
        given = bind_names(title, ("items",), arguments, keywords, ("items",))
        items = self.values.elements(given["items"]) if given else []
        if title == "ModuleList" and self.values.is_pytorch:
            self._check_modules(items)
        return ModuleList(self.autograd, title, self.replace, items)

    def _check_modules(self, items: Sequence[Value]) -> None:
        """Raise `type` where something else is put into a list of modules."""
        for each in items:
            if not isinstance(each, Module):
                self._modules(each)

    def _named(self, title: str, arguments: list[Value], keywords: Given) -> ModuleDict:
        pairs = named_parts(self.values, title, arguments, keywords)
        if title == "ModuleDict" and self.values.is_pytorch:
            self._check_modules([value for _, value in pairs])
        if not all(isinstance(value, Module | Node) for _, value in pairs):
            raise GradcliError("type", f"a {title} holds layers or parameters by name",
                               hint="nn.ModuleDict({'a': nn.Linear(2, 3)})")  # fmt: skip

        def compute(*_: object) -> Value:
            raise GradcliError("type", f"a {title} is not called: its layers are, by name")

        return ModuleDict(self.autograd, title, self.replace, dict(pairs), compute)

    def _prelu(self, arguments: list[Value], keywords: Given) -> Layer:
        given = self.options("PReLU", {"num_parameters": 1, "init": 0.25}, arguments, keywords)
        count = self.values.integer(given["num_parameters"], "num_parameters")
        full = FUNCTIONS["full"].build(self.graph, (count,), given["init"])
        details = f"num_parameters={count}"
        layer = self.with_parameters(
            "PReLU", "prelu", {"weight": leaf(full, marked=True)}, {}, details
        )
        return layer.made_with(given)

    def _parameter(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("data", "requires_grad")
        given = bind_names("Parameter", names, arguments, keywords, names[1:])
        if self.values.of_complex is not None and not isinstance(given["data"], Node):
            from gradcli.trace.complex_parameters import complex_parameter

            marked = "requires_grad" not in given or self.values.truth(given["requires_grad"])
            found = complex_parameter(self.values, given["data"], marked=marked)
            if found is not None:
                self.values.explicit = True
                return found
        if self.values.is_pytorch and not self.values.is_tensor(given["data"]):
            from gradcli.trace.kinds_of_values import kind_of  # a mistake

            raise no_parameter(kind_of(given["data"], self._numbers))
        node = self.values.tensor(given["data"], "the data")
        if "requires_grad" in given and not self.values.truth(given["requires_grad"]):
            parameter = leaf(detach(node), marked=False)
        else:
            parameter = self.autograd.mark(detach(node))
        self.values.parameters.add(parameter)
        return parameter

    def with_parameters(
        self,
        title: str,
        function: str,
        parameters: dict[str, Node],
        options: Given,
        details: str = "",
    ) -> Layer:
        """A layer that calls a function with its parameters and options."""
        self.values.explicit = True
        compute = partial(self._computed, function, options)
        return self.layer(title, compute, parameters, details)

    def uniform(self, shape: tuple[int, ...], bound: float) -> Node:
        """A parameter between -bound and bound, as PyTorch begins with."""
        drawn = self.drawn("rand", shape) * (2 * bound) - bound
        return leaf(drawn, marked=True)

    def drawn(self, name: str, shape: Sequence[int]) -> Node:
        """What a function draws, in a shape."""
        lengths: list[Value] = [self.graph.constant(float(length)) for length in shape]
        node: Node = self.compute(name, lengths, {})
        return node


def remaking(makers: Mapping[str, Method]) -> dict[str, Method]:
    """The functions that make layers, which can begin again with new parameters."""
    return {name: partial(_remade, make) for name, make in makers.items()}


def _remade(make: Method, arguments: list[Value], keywords: Given) -> Any:
    made = make(list(arguments), dict(keywords))
    if isinstance(made, Layer) and (made.own() or made.buffers()):
        made.again = partial(make, list(arguments), dict(keywords))
    return made


def _each(numbers: tuple[int, ...], axes: int) -> tuple[int, ...]:
    """One number for each axis."""
    return numbers * axes if len(numbers) == 1 else numbers
