"""`torch.nn.init` and `torch.nn.utils`: what few programs use."""

from __future__ import annotations

import math

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.ops import FUNCTIONS
from gradcli.trace.arguments import bind_names
from gradcli.trace.in_place import InPlace
from gradcli.trace.objects import Given
from gradcli.trace.parameter_calls import ParameterCalls
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_GAINS = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}
_OF_ONE = ("linear", "sigmoid", "conv1d", "conv2d", "conv3d")


class MoreParameters:
    """The functions by name."""

    def __init__(self, parameters: ParameterCalls, in_place: InPlace) -> None:
        self._parameters, self._in_place = parameters, in_place
        self.values = parameters.values
        self.functions: dict[str, Special] = {
            "torch.nn.init.calculate_gain": self._gain,
            "torch.nn.init.orthogonal_": self._orthogonal,
            "torch.nn.init.dirac_": self._dirac,
            "torch.nn.init.sparse_": self._sparse,
            "torch.nn.init.trunc_normal_": self._trunc_normal,
            "torch.nn.init._calculate_fan_in_and_fan_out": self._fans,
            "torch.nn.utils.vector_to_parameters": self._from_vector,
        }
        self.methods: dict[str, Special] = {}

    def _gain(self, arguments: list[Value], keywords: Given) -> Value:
        """By how much weights are larger before a function that makes values smaller."""
        names = ("nonlinearity", "param")
        given = bind_names("calculate_gain", names, arguments, keywords, names[1:])
        kind = given["nonlinearity"]
        if kind == "leaky_relu":
            slope = 0.01 if given.get("param") is None else self.values.number(given["param"], "a")
            return self.values.plain(math.sqrt(2 / (1 + slope**2)))
        if kind in _OF_ONE:
            return self.values.plain(1)
        if not isinstance(kind, str) or kind not in _GAINS:
            raise GradcliError("value", "this nonlinearity has no gain", hint="'relu', 'tanh'")
        return self.values.plain(_GAINS[kind])

    def _fans(self, arguments: list[Value], keywords: Given) -> Value:
        """How many numbers go into each output of a layer, and come out of each input."""
        (value,) = bind_names("fans", ("tensor",), arguments, keywords).values()
        node = self.values.tensor(value, "the parameter")
        if node.ndim < 2:
            raise GradcliError("shape", "fans are of two axes or more")
        field = math.prod(node.shape[2:])
        fans = (node.shape[1] * field, node.shape[0] * field)
        return tuple(self.values.graph.constant(float(each)) for each in fans)

    def _orthogonal(self, arguments: list[Value], keywords: Given) -> Value:
        """Saxe et al. (2013): rows or columns that are orthogonal, by QR of random numbers."""
        given = bind_names("orthogonal_", ("tensor", "gain"), arguments, keywords, ("gain",))
        node = self.values.tensor(given["tensor"], "the parameter")
        if node.ndim < 2:
            raise GradcliError("shape", "orthogonal_ is for two axes or more")
        gain = self.values.number(given["gain"], "gain") if "gain" in given else 1.0
        drawn = self.values.evaluator.value(self._parameters.drawn("randn", node))
        rows = drawn.reshape(node.shape[0], -1)
        is_wide = rows.shape[0] < rows.shape[1]
        q, r = np.linalg.qr(rows.T if is_wide else rows)
        q = q * np.sign(np.diag(r))
        made = (q.T if is_wide else q).reshape(node.shape) * gain
        return self._parameters.put(node, self.values.graph.constant(made))

    def _dirac(self, arguments: list[Value], keywords: Given) -> Value:
        """Filters of a convolution that give each channel as it is."""
        given = bind_names("dirac_", ("tensor", "groups"), arguments, keywords, ("groups",))
        node = self.values.tensor(given["tensor"], "the parameter")
        groups = self.values.integer(given["groups"], "groups") if "groups" in given else 1
        if node.ndim not in (3, 4, 5) or groups < 1 or node.shape[0] % groups:
            raise GradcliError("shape", "dirac_ is for filters of 3, 4 or 5 axes")
        made = np.zeros(node.shape)
        middle = tuple(length // 2 for length in node.shape[2:])
        each = node.shape[0] // groups
        for group in range(groups):
            for place in range(min(each, node.shape[1])):
                made[(group * each + place, place, *middle)] = 1.0
        return self._parameters.put(node, self.values.graph.constant(made))

    def _sparse(self, arguments: list[Value], keywords: Given) -> Value:
        """Random numbers, of which a part of each column is 0."""
        names = ("tensor", "sparsity", "std")
        given = bind_names("sparse_", names, arguments, keywords, names[2:])
        node = self.values.tensor(given["tensor"], "the parameter")
        if node.ndim != 2:
            raise GradcliError("shape", "sparse_ is for matrices")
        part = self.values.number(given["sparsity"], "sparsity")
        std = self.values.number(given["std"], "std") if "std" in given else 0.01
        drawn = self.values.evaluator.value(self._parameters.drawn("randn", node)) * std
        order = self.values.evaluator.value(self._parameters.drawn("rand", node)).argsort(0)
        drawn[order < math.ceil(part * node.shape[0])] = 0.0
        return self._parameters.put(node, self.values.graph.constant(drawn))

    def _trunc_normal(self, arguments: list[Value], keywords: Given) -> Value:
        node = self.values.tensor(arguments[0] if arguments else None, "the parameter")
        made = self._in_place.functions["trunc_normal"](node, arguments[1:], keywords)
        return self._parameters.put(node, made)

    def _from_vector(self, arguments: list[Value], keywords: Given) -> Value:
        """Give parameters the elements of one vector."""
        given = bind_names("vector_to_parameters", ("vec", "parameters"), arguments, keywords)
        vector = self.values.tensor(given["vec"], "the vector")
        nodes = [self.values.tensor(each) for each in self.values.elements(given["parameters"])]
        if vector.shape != (sum(node.size for node in nodes),):
            raise GradcliError("shape", "the vector has as many elements as the parameters")
        start = 0
        for node in nodes:
            part = FUNCTIONS["narrow"].build(vector, 0, start, node.size)
            self._parameters.put(node, FUNCTIONS["reshape"].build(part, *node.shape))
            start += node.size
        return None
