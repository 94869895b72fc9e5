"""PyTorch's functions that draw by probabilities, and samples of `torch.distributions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.diagnostics import Diagnostic, GradcliError, RefusedError
from gradcli.graph import Array, Node, Shape
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import detach
from gradcli.ops.kinds import cast
from gradcli.ops.table import Demand, kernel
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import as_dtype
from gradcli.trace.refusals import check_demands, check_drawn
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values
from gradcli.trace.wrong_arguments import CombinationError

_BERNOULLI = {"input": kernel("bernoulli_tensor_cpu_p_")}
_NORMAL = {"mean": kernel("normal_kernel_cpu")}
_POISSON = {"input": kernel("poisson_cpu")}
_MULTINOMIAL = {
    "input": Demand("multinomial only supports floating-point dtypes for input, got: {Type}")
}


class Draws:
    """The functions and methods by name. Random numbers are gradcli's own."""

    def __init__(self, autograd: Autograd, note_random: Callable[[], None]) -> None:
        """`note_random` is called where something is drawn."""
        self.values = autograd.values
        self._autograd = autograd
        self._note_random = note_random
        self.methods: dict[str, Special] = {
            "bernoulli": self._bernoulli,
            "multinomial": self._multinomial,
        }
        self.functions: dict[str, Special] = {
            "torch.bernoulli": self._bernoulli,
            "torch.multinomial": self._multinomial,
            "torch.normal": self._normal,
            "torch.poisson": self._poisson,
            "torch.randperm": self._randperm,
            "torch.randint": self._randint,
            "F.gumbel_softmax": self._gumbel_softmax,
        }

    def is_followed(self, node: Node) -> bool:
        """Whether a parameter follows from leaves."""
        return self._autograd.is_followed(node)

    def uniform(self, shape: Shape) -> Node:
        """Numbers from 0 to 1."""
        self._note_random()
        return f("rand", self.values.graph, *shape)

    def gaussian(self, shape: Shape) -> Node:
        """Numbers of the standard normal distribution."""
        self._note_random()
        return f("randn", self.values.graph, *shape)

    def chosen(self, weights: Array, count: int, *, replace: bool) -> Array:
        """So many places of each row of weights (…, n), the likelier the larger: (…, count)."""
        rows = weights.reshape(-1, weights.shape[-1])
        if not (rows >= 0).all() or not (rows.sum(1) > 0).all():
            raise GradcliError("value", "weights are 0 or more, and not all of them 0")
        if not replace and ((rows > 0).sum(1) < count).any():
            raise GradcliError("value", f"{count} different places cannot be drawn from so few",
                               hint="replacement=True draws a place again")  # fmt: skip
        size = (len(rows), rows.shape[1] if not replace else count)
        drawn = np.maximum(self.values.evaluator.value(self.uniform(size)), 1e-300)
        if replace:
            sums = np.cumsum(rows, 1)
            limits = drawn * sums[:, -1:]
            found = np.stack(
                [np.searchsorted(s, u, "right") for s, u in zip(sums, limits, strict=True)]
            )
            last = rows.shape[1] - 1
            places: Array = np.minimum(found, last).reshape(*weights.shape[:-1], count)
            return places
        with np.errstate(divide="ignore"):
            keys = np.log(drawn) / rows  # Efraimidis and Spirakis, 2006
        found = np.argsort(-keys, 1, "stable")[:, :count]
        return found.reshape(*weights.shape[:-1], count)

    def alike(self, drawn: Node, *parameters: Node) -> Node:
        """Floats that were drawn, of the dtype of the parameters."""
        dtypes = self._autograd.dtypes
        if dtypes is None or drawn.kind != "float":
            return drawn
        named = (dtypes.of(each) for each in parameters if each.kind == "float")
        return dtypes.as_dtype(
            drawn, next((n for n in named if n != dtypes.default), "") or dtypes.of(drawn)
        )

    # --- functions ---

    def _bernoulli(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """1 with the probability that each element is, else 0."""
        given = bind_names("bernoulli", ("input", "p"), arguments, keywords, ("p",))
        if self.values.is_pytorch:
            check_demands(self.values, "bernoulli", _BERNOULLI, given)
        x = self.values.tensor(given["input"], "bernoulli: input")
        p = self.values.tensor(given["p"]) if "p" in given else x
        if self.values.is_pytorch:
            check_chance(self.values, p, is_tensor="p" not in given)
        below = FUNCTIONS["lt"](self.uniform(x.shape), p)
        return self.alike(cast(below, "float"), x)

    def _multinomial(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("input", "num_samples", "replacement", "generator")
        given = bind_names("multinomial", names, arguments, keywords, names[2:])
        if self.values.is_pytorch:
            check_demands(self.values, "multinomial", _MULTINOMIAL, given)
        weights = self.values.evaluator.value(self.values.tensor(given["input"], "multinomial"))
        count = self.values.integer(given["num_samples"], "num_samples")
        if weights.ndim not in (1, 2) or not weights.size or count < 1:
            raise GradcliError("shape", "multinomial takes a row of weights, or several rows",
                               hint="torch.multinomial(probabilities, 1)")  # fmt: skip
        self.values.graph.check_room(count)
        replace = "replacement" in given and self.values.truth(given["replacement"])
        return self.values.graph.constant(self.chosen(weights, count, replace=replace))

    def _normal(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`normal(mean, std)`, and `normal(0, 1, size)` of one number each."""
        names = ("mean", "std", "size", "generator", "dtype", "device", "requires_grad")
        given = bind_names("normal", names, arguments, keywords, names[1:])
        if self.values.is_pytorch:
            check_demands(self.values, "normal", _NORMAL, given)
        mean = self.values.tensor(given["mean"], "normal: mean")
        std = self.values.tensor(given.get("std", self.values.graph.constant(1.0)), "normal: std")
        if self.values.is_pytorch and "std" in given:
            self._check_deviation(std, self.values.is_tensor(given["std"]))
        if "size" in given:
            shape = self._lengths("normal", arguments, keywords, given["size"])
        else:
            shape = np.broadcast_shapes(mean.shape, std.shape)
        return self._made(self.alike(self.gaussian(shape) * std + mean, mean, std), given)

    def _lengths(
        self, name: str, arguments: list[Value], keywords: dict[str, Value], size: Value
    ) -> Shape:
        """The lengths of what is drawn. Raises `type` where PyTorch is given a number for them."""
        if self.values.plain_kind(size) == "int" and self.values.is_pytorch:
            kinds = [self.values.plain_kind(each) or "Tensor" for each in arguments]
            named = {n: self.values.plain_kind(each) or "Tensor" for n, each in keywords.items()}
            raise CombinationError(name, kinds, named, Diagnostic(
                "type", f"{name}: the size is a tuple", hint="(3,) is that of 3 numbers in a row"
            ))  # fmt: skip
        return self.values.integers(size, "size")

    def _check_deviation(self, std: Node, is_tensor: bool) -> None:
        """Raise PyTorch's error for a standard deviation below 0."""
        value = self.values.evaluator.value(std)
        if not (value < 0).any():
            return
        said = "normal expects all elements of std >= 0.0" if is_tensor else (
            f"normal expects std >= 0.0, but found std {value.item():g}")  # fmt: skip
        raise RefusedError(
            ("RuntimeError", said), "value", "normal: a standard deviation is 0 or more",
            hint="x.abs() or x.exp() is",
        )  # fmt: skip

    def _made(self, drawn: Node, given: dict[str, Value]) -> Node:
        """What was drawn as a tensor of its own, with `dtype` and `requires_grad` as given."""
        node = detach(drawn) if drawn.kind == "float" else drawn
        if given.get("dtype") is not None:
            node = as_dtype(self._autograd, node, given["dtype"])
            if drawn.kind == "float" and self.values.is_pytorch:
                check_drawn("normal", self.values.array_dtype(node))
        own = self.values.own(node)
        is_marked = "requires_grad" in given and self.values.truth(given["requires_grad"])
        return self._autograd.mark(own) if is_marked else own

    def _randint(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`randint(low, high, size)`: integers from `low`, or 0, up to below `high`."""
        names = ("low", "high", "size", "generator", "dtype", "device", "requires_grad")
        if len(arguments) + len({"low", "high", "size"} & keywords.keys()) == 2:
            arguments = [self.values.graph.constant(0.0), *arguments]
        given = bind_names("randint", names, arguments, keywords, names[3:])
        low, high = (self.values.integer(given[name], name) for name in names[:2])
        if high <= low:
            said = f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            told = f"randint: there is no integer from {low} to below {high}"
            raise RefusedError(("RuntimeError", said), "value", told)
        drawn = self.uniform(self._lengths("randint", arguments, keywords, given["size"]))
        whole = cast(FUNCTIONS["floor"](drawn * float(high - low)) + float(low), "int")
        return self._made(whole, given)

    def _randperm(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The integers from 0 to below n in a random order."""
        names = ("n", "generator", "dtype", "device", "requires_grad")
        given = bind_names("randperm", names, arguments, keywords, names[1:])
        count = self.values.integer(given["n"], "n")
        if count < 0:
            raise GradcliError("value", "randperm: n is 0 or more")
        return self._made(FUNCTIONS["argsort"].build(self.uniform((count,))), given)

    def _poisson(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Counts with the mean that each element is, by the inverse of their distribution."""
        from scipy.stats import poisson

        given = bind_names("poisson", ("input", "generator"), arguments, keywords, ("generator",))
        node = self.values.tensor(given["input"], "poisson")
        rates = self.values.evaluator.value(node)
        if self.values.is_pytorch:
            check_demands(self.values, "poisson", _POISSON, given)
        if not (rates >= 0).all():
            raise GradcliError("value", "poisson takes rates that are 0 or more")
        drawn = self.values.evaluator.value(self.uniform(rates.shape))
        counts = self.values.graph.constant(np.maximum(poisson.ppf(drawn, rates), 0.0))
        return self.alike(counts, node)

    def _gumbel_softmax(self, arguments: list[Value], keywords: dict[str, Value]) -> Any:
        """Softmax of logits with Gumbel noise; with `hard`, its largest place in the forward
        pass.
        """
        names = ("logits", "tau", "hard", "eps", "dim")
        given = bind_names("gumbel_softmax", names, arguments, keywords, names[1:])
        logits = self.values.tensor(given["logits"], "gumbel_softmax: logits")
        tau = self.values.number(given["tau"], "tau") if "tau" in given else 1.0
        dim = self.values.integer(given["dim"], "dim") if "dim" in given else -1
        noise = -FUNCTIONS["log"](-FUNCTIONS["log"](self.uniform(logits.shape)))
        soft = FUNCTIONS["softmax"].build((logits + noise) / tau, dim)
        if "hard" not in given or not self.values.truth(given["hard"]):
            return soft
        largest = FUNCTIONS["amax"].build(soft, dim, True)
        hard = cast(FUNCTIONS["eq"](soft, largest), "float")
        return hard - detach(soft) + soft


def check_chance(values: Values, p: Node, *, is_tensor: bool) -> None:
    """Raise PyTorch's error for a probability that is none."""
    found = values.evaluator.value(p)
    if ((found >= 0) & (found <= 1)).all():
        return
    said = f"bernoulli_ expects p to be in [0, 1], but got p={found.flat[0]:g}"
    if is_tensor:
        said = (
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false. (Could this error message "
            "be improved? If so, please report an enhancement request to PyTorch.)"
        )
    raise RefusedError(
        ("RuntimeError", said), "value", "bernoulli: a probability is between 0 and 1",
        hint="torch.sigmoid(x) is, and x.clamp(0, 1)",
    )  # fmt: skip
