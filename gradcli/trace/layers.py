"""`torch.nn`: layers, losses and models as functions with parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Graph, Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import detach, leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value

Call = Callable[[str, list[Value], Given], Any]
"""How a function of gradcli is called by its name."""


class Plain(NamedTuple):
    """A layer without parameters: a function, and by what the arguments of the layer are called."""

    function: str
    options: tuple[str, ...] = ()
    defaults: Mapping[str, float] = {}


_LOSS = ("size_average", "reduce", "reduction")
_POOL = ("kernel_size", "stride", "padding")
PLAIN = {
    "Identity": Plain(""), "Dropout": Plain("", ("p", "inplace")),
    "ReLU": Plain("relu", ("inplace",)), "ReLU6": Plain("relu6", ("inplace",)),
    "Sigmoid": Plain("sigmoid"), "Tanh": Plain("tanh"), "SiLU": Plain("silu", ("inplace",)),
    "GELU": Plain("gelu", ("approximate",)), "ELU": Plain("elu", ("alpha", "inplace")),
    "CELU": Plain("celu", ("alpha", "inplace")), "SELU": Plain("selu", ("inplace",)),
    "Mish": Plain("mish"), "Hardswish": Plain("hardswish"), "Hardsigmoid": Plain("hardsigmoid"),
    "Hardtanh": Plain("hardtanh", ("min_val", "max_val")), "Softsign": Plain("softsign"),
    "LeakyReLU": Plain("leaky_relu", ("negative_slope", "inplace")),
    "LogSigmoid": Plain("logsigmoid"), "Tanhshrink": Plain("tanhshrink"),
    "Softplus": Plain("softplus", ("beta", "threshold")),
    "Softshrink": Plain("softshrink", ("lambd",)), "Hardshrink": Plain("hardshrink", ("lambd",)),
    "Softmax": Plain("softmax", ("dim",)), "LogSoftmax": Plain("log_softmax", ("dim",)),
    "Softmin": Plain("softmin", ("dim",)),
    "Flatten": Plain("flatten", ("start_dim", "end_dim"), {"start_dim": 1}),
    "Unflatten": Plain("unflatten", ("dim", "sizes")),
    "MaxPool1d": Plain("max_pool1d", _POOL), "MaxPool2d": Plain("max_pool2d", _POOL),
    "AvgPool1d": Plain("avg_pool1d", _POOL), "AvgPool2d": Plain("avg_pool2d", _POOL),
    "MSELoss": Plain("mse_loss", _LOSS), "L1Loss": Plain("l1_loss", _LOSS),
    "SmoothL1Loss": Plain("smooth_l1_loss", (*_LOSS, "beta")),
    "HuberLoss": Plain("huber_loss", ("reduction", "delta")),
    "CrossEntropyLoss": Plain("cross_entropy", (
        "weight", "size_average", "ignore_index", "reduce", "reduction", "label_smoothing")),
    "NLLLoss": Plain("nll_loss", ("weight", "size_average", "ignore_index", "reduce", "reduction")),
    "BCELoss": Plain("binary_cross_entropy", ("weight", *_LOSS)),
    "BCEWithLogitsLoss": Plain(
        "binary_cross_entropy_with_logits", ("weight", *_LOSS, "pos_weight")),
    "KLDivLoss": Plain("kl_div", (*_LOSS, "log_target")),
    "PoissonNLLLoss": Plain("poisson_nll_loss", (
        "log_input", "full", "size_average", "eps", "reduce", "reduction")),
    "GaussianNLLLoss": Plain("gaussian_nll_loss", ("full", "eps", "reduction")),
    "MarginRankingLoss": Plain("margin_ranking_loss", ("margin", *_LOSS)),
    "HingeEmbeddingLoss": Plain("hinge_embedding_loss", ("margin", *_LOSS)),
    "CosineEmbeddingLoss": Plain("cosine_embedding_loss", ("margin", *_LOSS)),
    "TripletMarginLoss": Plain("triplet_margin_loss", ("margin", "p", "eps", "swap")),
    "CosineSimilarity": Plain("cosine_similarity", ("dim", "eps")),
    "PairwiseDistance": Plain("pairwise_distance", ("p", "eps", "keepdim")),
}  # fmt: skip
"""Layers without parameters, and losses."""


class Layer(Object):
    """A layer, a loss, or a model: what it computes with its parameters."""

    what = "a layer"

    def __init__(
        self,
        autograd: Autograd,
        title: str,
        forward: Callable[[list[Value], Given], Any],
        parameters: dict[str, Node] | None = None,
        inside: Sequence[Layer] = (),
    ) -> None:
        self._autograd = autograd
        self.values = autograd.values
        self.title = title
        self.inside = inside
        self._forward = forward
        self._parameters = parameters or {}

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        return self._forward(arguments, keywords)

    def parameter(self, name: str) -> Node | None:
        """A parameter as it is now."""
        node = self._parameters.get(name)
        return None if node is None else self.values.current(node)

    def named(self, prefix: str = "") -> Iterator[tuple[str, Node]]:
        """All parameters with their names, those of the layers inside too; recurses into models,
        which are as deep as they are written.
        """
        for name, node in self._parameters.items():
            yield prefix + name, self.values.current(node)
        for number, layer in enumerate(self.inside):
            yield from layer.named(f"{prefix}{number}.")

    def tensors(self) -> list[tuple[Node, str]]:
        return [(node, name) for name, node in self.named()]

    def attribute(self, name: str) -> Value:
        if name in self._parameters:
            return self.parameter(name)
        if name == "bias":
            return None
        if name == "training":
            return self.values.graph.constant(True)
        raise self.has_no("attribute", name)

    def set(self, name: str, value: Value) -> None:
        node = self.values.tensor(value, name)
        if name not in self._parameters:
            raise self.has_no("attribute", name)
        self._parameters[name] = node

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        return {
            "forward": self._forward,
            "parameters": lambda *_: Items([node for _, node in self.named()]),
            "named_parameters": lambda *_: Items(list(self.named())),
            "train": lambda *_: self,
            "eval": lambda *_: self,
            "to": lambda *_: self,
            "double": lambda *_: self,
            "float": lambda *_: self,
            "requires_grad_": lambda *_: self,
            "zero_grad": self._zero_grad,
        }

    def _zero_grad(self, arguments: list[Value], keywords: Given) -> Value:
        for _, node in self.named():
            self._autograd.set_grad(node, None)
        return None

    def elements(self) -> Items:
        """The layers of a model, which a number chooses from."""
        if not self.inside:
            raise GradcliError("type", f"{self.title} has no layers inside")
        return Items(list(self.inside))

    def shown(self) -> str:
        return self.title


class Layers:
    """The functions that make layers, by the names of PyTorch's classes."""

    def __init__(self, autograd: Autograd, call: Call) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.graph: Graph = self.values.graph
        self._call = call
        made: dict[str, Callable[[list[Value], Given], Value]] = {
            name: partial(self._plain, name) for name in PLAIN
        }
        made |= {
            "Linear": self._linear,
            "Conv1d": partial(self._convolution, 1),
            "Conv2d": partial(self._convolution, 2),
            "Embedding": self._embedding,
            "LayerNorm": self._layer_norm,
            "Sequential": self._sequential,
            "Parameter": self._parameter,
            "ParameterList": self._listed,
            "ModuleList": self._listed,
        }
        self.functions = {f"torch.nn.{name}": make for name, make in made.items()}
        self.functions["torch.nn.parameter.Parameter"] = self._parameter

    def _plain(self, title: str, arguments: list[Value], keywords: Given) -> Layer:
        plain = PLAIN[title]
        given = bind_names(title, plain.options, arguments, keywords, plain.options)
        constant = self.graph.constant
        options: Given = {name: constant(value) for name, value in plain.defaults.items()}
        options |= {name: value for name, value in given.items() if value is not None}
        if not plain.function:
            self._check_identity(title, options)
            return Layer(self.autograd, title, lambda inputs, _: inputs[0])
        return Layer(self.autograd, title, partial(self._forward, plain.function, options))

    def _forward(self, function: str, options: Given, inputs: list[Value], given: Given) -> Any:
        return self._call(function, inputs, options | given)

    def _check_identity(self, title: str, options: Given) -> None:
        if "p" in options and self.values.number(options["p"], "p"):
            raise GradcliError(
                "value",
                f"{title} draws at random which elements it drops",
                hint="its result in eval() is its input: write nn.Identity()",
            )

    def _linear(self, arguments: list[Value], keywords: Given) -> Layer:
        names = ("in_features", "out_features", "bias", "device", "dtype")
        given = bind_names("Linear", names, arguments, keywords, names[2:])
        inputs, outputs = (self.values.integer(given[name], name) for name in names[:2])
        has_bias = "bias" not in given or self.values.truth(given["bias"])
        bound = 1 / math.sqrt(inputs) if inputs else 0.0
        parameters = {"weight": self._uniform((outputs, inputs), bound)}
        if has_bias:
            parameters["bias"] = self._uniform((outputs,), bound)
        return self._with_parameters("Linear", "linear", parameters, {})

    def _convolution(self, axes: int, arguments: list[Value], keywords: Given) -> Layer:
        names = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation",
                 "groups", "bias", "padding_mode")  # fmt: skip
        title = f"Conv{axes}d"
        given = bind_names(title, names, arguments, keywords, names[3:])
        inputs, outputs = (self.values.integer(given[name], name) for name in names[:2])
        groups = self.values.integer(given["groups"], "groups") if "groups" in given else 1
        size = self.values.integers(given["kernel_size"], "kernel_size")
        kernel = size * axes if len(size) == 1 else size
        bound = 1 / math.sqrt(max(1, inputs // max(1, groups) * math.prod(kernel)))
        parameters = {"weight": self._uniform((outputs, inputs // max(1, groups), *kernel), bound)}
        if "bias" not in given or self.values.truth(given["bias"]):
            parameters["bias"] = self._uniform((outputs,), bound)
        options = {name: given[name] for name in names[3:7] if name in given}
        return self._with_parameters(title, f"conv{axes}d", parameters, options)

    def _embedding(self, arguments: list[Value], keywords: Given) -> Layer:
        names = ("num_embeddings", "embedding_dim", "padding_idx")
        given = bind_names("Embedding", names, arguments, keywords, names[2:])
        shape = tuple(self.values.integer(given[name], name) for name in names[:2])
        weight = leaf(self._drawn("randn", shape), marked=True)
        options = {name: given[name] for name in names[2:] if name in given}
        return self._with_parameters("Embedding", "embedding", {"weight": weight}, options)

    def _layer_norm(self, arguments: list[Value], keywords: Given) -> Layer:
        names = ("normalized_shape", "eps", "elementwise_affine", "bias")
        given = bind_names("LayerNorm", names, arguments, keywords, names[1:])
        shape = self.values.integers(given["normalized_shape"], "normalized_shape")
        parameters = {}
        if "elementwise_affine" not in given or self.values.truth(given["elementwise_affine"]):
            for name, value in (("weight", 1.0), ("bias", 0.0)):
                full = FUNCTIONS["full"].build(self.graph, shape, self.graph.constant(value))
                parameters[name] = leaf(full, marked=True)
        options = {name: given[name] for name in names[:2] if name in given}
        return self._with_parameters("LayerNorm", "layer_norm", parameters, options)

    def _sequential(self, arguments: list[Value], keywords: Given) -> Layer:
        inside = [each for argument in arguments for each in self._layers(argument)]

        def forward(inputs: list[Value], _: Given) -> Any:
            (value,) = inputs
            for layer in inside:
                value = yield layer.call([value], {})
            return value

        return Layer(self.autograd, "Sequential", forward, inside=inside)

    def _layers(self, argument: Value) -> list[Layer]:
        found = [argument] if isinstance(argument, Object) else self.values.elements(argument)
        layers = [each for each in found if isinstance(each, Layer)]
        if len(layers) < len(found):
            raise GradcliError(
                "type",
                "a model is made of layers",
                hint="nn.Sequential(nn.Linear(2, 3), nn.ReLU())",
            )
        return layers

    def _listed(self, arguments: list[Value], keywords: Given) -> Items:
        given = bind_names("this", ("items",), arguments, keywords, ("items",))
        return Items(self.values.elements(given["items"]) if given else [])

    def _parameter(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("data", "requires_grad")
        given = bind_names("Parameter", names, arguments, keywords, names[1:])
        node = self.values.tensor(given["data"], "the data")
        if "requires_grad" in given and not self.values.truth(given["requires_grad"]):
            return node
        self.values.explicit = True
        return leaf(detach(node), marked=True)

    def _with_parameters(
        self, title: str, function: str, parameters: dict[str, Node], options: Given
    ) -> Layer:
        self.values.explicit = True
        layer: Layer

        def forward(inputs: list[Value], given: Given) -> Any:
            own = dict(layer.named())
            return self._call(function, inputs, {**options, **own, **given})

        layer = Layer(self.autograd, title, forward, parameters)
        return layer

    def _uniform(self, shape: tuple[int, ...], bound: float) -> Node:
        """A parameter between -bound and bound, as PyTorch begins with."""
        drawn = self._drawn("rand", shape) * (2 * bound) - bound
        return leaf(drawn, marked=True)

    def _drawn(self, name: str, shape: Sequence[int]) -> Node:
        lengths: list[Value] = [self.graph.constant(float(length)) for length in shape]
        node: Node = self._call(name, lengths, {})
        return node
