"""`weight_norm`, `spectral_norm`, `parametrize` and `prune` of `torch.nn.utils`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import detach, leaf
from gradcli.ops.shaping import reshape
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.computed_parameters import ComputedParameter, Originals
from gradcli.trace.items import Items
from gradcli.trace.modules import Module
from gradcli.trace.objects import BuiltIn, Given, Object, Recording
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe

Amount = float | int
"""A part of the elements from 0 to 1, or how many they are."""


class Norm(Object):
    """What PyTorch's own norms are among the parametrizations of a weight."""

    what = "a parametrization"

    def __init__(self, title: str, inverse: Callable[[Node], Value]) -> None:
        """`inverse` gives the originals of a weight."""
        self.title = title
        self._inverse = BuiltIn("right_inverse", lambda _, given, __: inverse(given[0]))

    def shown(self) -> str:
        return self.title

    def call(self, arguments: list[Any], keywords: Given) -> Any:
        """The weight, of which the norm is taken before."""
        return arguments[0]

    def special(self, name: str) -> Object | None:
        return self._inverse if name == "right_inverse" else None


class Cached(Recording):
    """`with parametrize.cached():`, where parameters are computed once."""

    def __init__(self, values: Values) -> None:
        super().__init__(None)
        self._values = values
        self._before: list[Any] = []

    def begin(self) -> None:
        self._before.append(self._values.computed_once)
        self._values.computed_once = set()

    def end(self) -> None:
        self._values.computed_once = self._before.pop()


class Reparametrising:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.values = autograd.values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "torch.nn.utils.weight_norm": partial(self._weight_norm, ("weight_g", "weight_v")),
            "torch.nn.utils.parametrizations.weight_norm": partial(
                self._weight_norm,
                ("parametrizations.{}.original0", "parametrizations.{}.original1"),
            ),
            "torch.nn.utils.remove_weight_norm": self._remove,
            "torch.nn.utils.spectral_norm": partial(self._spectral_norm, "{}_orig"),
            "torch.nn.utils.parametrizations.spectral_norm": partial(
                self._spectral_norm, "parametrizations.{}.original"
            ),
            "torch.nn.utils.remove_spectral_norm": self._remove,
            "torch.nn.utils.skip_init": self._made,
            "torch.nn.utils.parametrize.register_parametrization": self._register,
            "torch.nn.utils.parametrize.cached": lambda *_: Cached(self.values),
            "torch.nn.utils.parametrize.is_parametrized": self._is_computed,
            "torch.nn.utils.parametrize.remove_parametrizations": self._remove,
            "torch.nn.utils.prune.l1_unstructured": partial(self._prune, "l1"),
            "torch.nn.utils.prune.random_unstructured": partial(self._prune, "random"),
            "torch.nn.utils.prune.ln_structured": self._prune_rows,
            "torch.nn.utils.prune.custom_from_mask": self._prune_by_mask,
            "torch.nn.utils.prune.identity": partial(self._prune, "none"),
            "torch.nn.utils.prune.global_unstructured": self._prune_all,
            "torch.nn.utils.prune.L1Unstructured": _not_called,
            "torch.nn.utils.prune.remove": self._remove,
            "torch.nn.utils.prune.is_pruned": self._is_computed,
        }

    def _made(self, arguments: list[Value], keywords: Given) -> Any:
        """`skip_init(nn.Linear, 2, 1)`: a layer, whose parameters here have values."""
        if not arguments or not isinstance(arguments[0], Object):
            raise GradcliError("type", "skip_init takes the class of a layer, and its arguments",
                               hint="skip_init(nn.Linear, 2, 1)")  # fmt: skip
        return arguments[0].call(arguments[1:], keywords)

    # --- what they have in common ---

    def _module(self, value: Value) -> Module:
        if not isinstance(value, Module):
            raise GradcliError("type", f"this takes a layer, not {describe(value)}",
                               hint="weight_norm(nn.Linear(2, 1))")  # fmt: skip
        return value

    def _parameter(self, module: Module, name: Value) -> Node:
        own = module.own()
        if not isinstance(name, str) or name not in own:
            raise GradcliError("name", f"the layer has no parameter {name!r}",
                               hint=f"it has {', '.join(own)}")  # fmt: skip
        return own[name]

    def _leaf(self, node: Node) -> Node:
        made = leaf(detach(node), marked=True)
        self.values.parameters.add(made)
        return made

    def _have(self, computed: ComputedParameter) -> Any:
        """Let a module have it, which has a value at once."""
        computed.module.computed[computed.name] = computed
        computed.module.parametrizations = Originals(computed.module)
        yield computed.renew()
        return computed.module

    def _remove(self, arguments: list[Value], keywords: Given) -> Any:
        """Let a module have the parameter itself again, with the value that it has now."""
        names = ("module", "name", "leave_parametrized")
        given = bind_names("remove", names, arguments, keywords, names[1:])
        module, name = self._module(given["module"]), str(given.get("name", "weight"))
        computed = module.computed.pop(name, None)
        if computed is None:
            raise GradcliError("value", f"the parameter {name!r} is not computed of others")
        yield computed.renew()
        store = module.store(name)
        store[name] = self._leaf(self.values.tensor(store.pop(name)))
        return module

    def _is_computed(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("module", "tensor_name")
        given = bind_names("is_parametrized", names, arguments, keywords, names[1:])
        parts = [each for _, each in self._module(given["module"]).named_modules()]
        name = given.get("tensor_name")
        return self.values.graph.constant(
            any(each.computed if name is None else name in each.computed for each in parts)
        )

    # --- norms ---

    def _weight_norm(self, titles: tuple[str, str], arguments: list[Value], keywords: Given) -> Any:
        """Salimans and Kingma (2016): a direction v, and a length g for each row."""
        given = bind_names("weight_norm", ("module", "name", "dim"), arguments, keywords,
                           ("name", "dim"))  # fmt: skip
        module, name = self._module(given["module"]), given.get("name", "weight")
        node = self._parameter(module, name)
        axis = given["dim"] if "dim" in given else self.values.graph.constant(0.0)
        of_all = axis is None or self.values.integer(axis, "dim") == -1
        others = None if of_all else [
            i for i in range(node.ndim) if i != self.values.integer(axis, "dim")
        ]  # fmt: skip

        def length(v: Node) -> Node:
            squares = v * v
            total = FUNCTIONS["sum"].build(squares, others, others is not None)
            root: Node = FUNCTIONS["sqrt"](total)
            return root

        first, second = (each.format(name) for each in titles)
        originals = {first: self._leaf(length(node)), second: self._leaf(node)}

        def compute(computed: ComputedParameter) -> Node:
            g, v = computed.original(first), computed.original(second)
            found: Node = v * (g / length(v))
            self.values.made_by[found] = "WeightNormInterfaceBackward0", (), {}
            return found

        always = second.startswith("parametrizations")
        computed = ComputedParameter(module, str(name), originals, compute, always=always)
        if always:
            computed.kind = [Norm("_WeightNorm()", lambda weight: (length(weight), weight))]
        return (yield self._have(computed))

    def _spectral_norm(self, title: str, arguments: list[Value], keywords: Given) -> Any:
        """Miyato et al. (2018): the weight divided by its largest singular value, which the power
        method finds; its vectors are buffers, and kept from call to call.
        """
        names = ("module", "name", "n_power_iterations", "eps", "dim")
        given = bind_names("spectral_norm", names, arguments, keywords, names[1:])
        module, name = self._module(given["module"]), str(given.get("name", "weight"))
        node = self._parameter(module, name)
        turns = (
            self.values.integer(given["n_power_iterations"], "n_power_iterations")
            if "n_power_iterations" in given
            else 1
        )
        if not 0 < turns <= MOST_TURNS:
            raise GradcliError("value", f"n_power_iterations is from 1 to {MOST_TURNS}")
        whole = title.format(name)
        always = whole.startswith("parametrizations")
        kept = [f"parametrizations.{name}.0._{x}" if always else f"{name}_{x}" for x in "uv"]

        def vectors(computed: ComputedParameter, count: int) -> list[Array]:
            value = self.values.evaluator.value
            weight: Array = value(computed.original(whole))
            matrix = weight.reshape(len(weight), -1)
            u, v = (value(computed.original(each)) for each in kept)
            for _ in range(count):
                v = _unit(matrix.T @ u)
                u = _unit(matrix @ v)
            made = [leaf(self.values.graph.constant(each), marked=False) for each in (u, v)]
            computed.constants = dict(zip(kept, made, strict=True))
            return [u, v]

        def compute(computed: ComputedParameter) -> Node:
            weight = computed.original(whole)
            u, v = vectors(computed, turns if module.training else 0)
            rows = reshape(weight, weight.shape[0], -1)
            outer = self.values.graph.constant(np.outer(u, v))
            scaled: Node = weight / FUNCTIONS["sum"].build(rows * outer)
            return scaled

        starts = {
            each: leaf(self.values.graph.constant(_unit(np.ones(size))), marked=False)
            for each, size in zip(kept, (node.shape[0], node.size // node.shape[0]), strict=True)
        }
        computed = ComputedParameter(module, name, {whole: self._leaf(node)}, compute, starts,
                                     always=always)  # fmt: skip
        if always:
            computed.kind = [Norm("_SpectralNorm()", lambda weight: weight)]
            vectors(computed, FIRST_TURNS)
        return (yield self._have(computed))

    def _register(self, arguments: list[Value], keywords: Given) -> Any:
        """A module computes a parameter of the original."""
        names = ("module", "tensor_name", "parametrization", "unsafe")
        given = bind_names("register_parametrization", names, arguments, keywords, names[3:])
        module, name = self._module(given["module"]), given["tensor_name"]
        by = given["parametrization"]
        if not isinstance(by, Object):
            raise GradcliError("type", "a parametrization is a module", hint="class Sym(nn.Module)")
        node = self._parameter(module, name)
        before = module.computed.get(str(name))
        whole = f"parametrizations.{name}.original"
        start: Value = node
        inverse = by.special("right_inverse")
        if inverse is not None:
            start = yield inverse.call([node], {})
        several = self.values.elements(start) if isinstance(start, tuple | Items) else None
        starts = {whole: start} if several is None else {
            f"{whole}{place}": each for place, each in enumerate(several)
        }  # fmt: skip

        def compute(computed: ComputedParameter) -> list[Node]:
            return [computed.original(each) for each in starts]

        if before is not None and before.kind:
            before.kind.append(by)
            return (yield self._have(before))
        originals = {each: self._leaf(self.values.tensor(at)) for each, at in starts.items()}
        computed = ComputedParameter(module, str(name), originals, compute, always=True)
        computed.kind = [by]
        return (yield self._have(computed))

    # --- pruning ---

    def _masked(self, module: Module, name: str, mask: Array) -> Any:
        """The parameter times a mask of zeros and ones; masks of several calls go together."""
        before = module.computed.get(name)
        if before is not None:
            mask = mask * self.values.evaluator.value(before.original(f"{name}_mask"))
            node = before.original(f"{name}_orig")
        else:
            node = self._leaf_of(self._parameter(module, name))

        def compute(computed: ComputedParameter) -> Node:
            return computed.original(f"{name}_orig") * computed.original(f"{name}_mask")

        constants = {f"{name}_mask": leaf(self.values.graph.constant(mask), marked=False)}
        computed = ComputedParameter(module, name, {f"{name}_orig": node}, compute, constants)
        return self._have(computed)

    def _leaf_of(self, node: Node) -> Node:
        return node if node in self.values.parameters else self._leaf(node)

    def _sizes(self, module: Module, name: str) -> tuple[Array, Array]:
        """How large the elements of a parameter are, and which are there yet."""
        array = self.values.evaluator.value(self._parameter(module, name))
        computed = module.computed.get(name)
        there = np.ones(array.shape)
        if computed is not None and f"{name}_mask" in computed.constants:
            there = self.values.evaluator.value(computed.original(f"{name}_mask"))
        return np.abs(array), there

    def _count(self, amount: Value, size: int) -> int:
        number = self.values.number(amount, "amount")
        is_part = not (number.is_integer() and number >= 1)
        count = round(number * size) if is_part else int(number)
        if number < 0 or count > size:
            raise GradcliError("value", f"amount is from 0 to 1, or at most {size}")
        return count

    def _prune(self, kind: str, arguments: list[Value], keywords: Given) -> Any:
        names = ("module", "name", "amount", "importance_scores")
        optional = names[3:] if kind != "none" else names[2:]
        given = bind_names("prune", names, arguments, keywords, optional)
        module, name = self._module(given["module"]), str(given["name"])
        sizes, there = self._sizes(module, name)
        if kind == "random":
            drawn = FUNCTIONS["rand"].build(self.values.graph, *sizes.shape)
            sizes = self.values.evaluator.value(drawn)
        mask = np.ones(sizes.size)
        if kind != "none":
            mask = _without_smallest(sizes, there, self._count(given["amount"], int(there.sum())))
        return (yield self._masked(module, name, mask.reshape(sizes.shape)))

    def _prune_by_mask(self, arguments: list[Value], keywords: Given) -> Any:
        given = bind_names("custom_from_mask", ("module", "name", "mask"), arguments, keywords)
        module, name = self._module(given["module"]), str(given["name"])
        mask = self.values.evaluator.value(self.values.tensor(given["mask"], "mask"))
        if mask.shape != self._parameter(module, name).shape:
            raise GradcliError("shape", "the mask has the shape of the parameter")
        return (yield self._masked(module, name, mask.astype(float)))

    def _prune_rows(self, arguments: list[Value], keywords: Given) -> Any:
        """Whole rows along an axis, those of the smallest norm."""
        names = ("module", "name", "amount", "n", "dim", "importance_scores")
        given = bind_names("ln_structured", names, arguments, keywords, names[5:])
        module, name = self._module(given["module"]), str(given["name"])
        sizes, there = self._sizes(module, name)
        axis = self.values.integer(given["dim"], "dim") % max(1, sizes.ndim)
        rows = np.moveaxis(sizes * there, axis, 0).reshape(sizes.shape[axis], -1)
        norms = np.linalg.norm(rows, self.values.number(given["n"], "n"), axis=1)
        left = np.moveaxis(there, axis, 0).reshape(len(rows), -1).any(1).astype(float)
        kept = _without_smallest(norms, left, self._count(given["amount"], int(left.sum())))
        lengths = [-1 if i == axis else 1 for i in range(sizes.ndim)]
        return (yield self._masked(module, name, np.ones(sizes.shape) * kept.reshape(lengths)))

    def _prune_all(self, arguments: list[Value], keywords: Given) -> Any:
        """The smallest elements of several parameters together."""
        names = ("parameters", "pruning_method", "importance_scores", "amount")
        given = bind_names("global_unstructured", names, arguments, keywords, names[2:3])
        method = given["pruning_method"]
        if not isinstance(method, BuiltIn) or not method.name.endswith("L1Unstructured"):
            raise GradcliError("value", "this way of pruning is not known here",
                               hint="pruning_method=prune.L1Unstructured")  # fmt: skip
        places = []
        for each in self.values.elements(given["parameters"]):
            module, name = self.values.elements(each)
            places.append((self._module(module), str(name)))
        found = [self._sizes(module, name) for module, name in places]
        sizes, there = (
            np.concatenate([each.ravel() for each in part]) for part in zip(*found, strict=True)
        )
        mask = _without_smallest(sizes, there, self._count(given["amount"], int(there.sum())))
        begin = 0
        for (module, name), (own, _) in zip(places, found, strict=True):
            part = mask[begin : begin + own.size].reshape(own.shape)
            begin += own.size
            yield self._masked(module, name, part)


MOST_TURNS = 10_000
"""Of the power method."""
FIRST_TURNS = 15
"""Of it, where PyTorch's later spectral_norm begins; the earlier one begins with random vectors."""


def _unit(vector: Array) -> Array:
    """The vector divided by its length, which PyTorch takes for 1e-12 at least."""
    return vector / max(float(np.linalg.norm(vector)), 1e-12)


def _without_smallest(sizes: Array, there: Array, count: int) -> Array:
    """Ones in a row; zeros for those that are not there, and so many of the smallest that are."""
    mask = np.array(there, float).ravel()
    order = np.argsort(np.where(mask > 0, sizes.ravel(), np.inf), kind="stable")
    mask[order[:count]] = 0.0
    return mask


def _not_called(*_: object) -> Value:
    raise GradcliError("type", "this class is named, not called",
                       hint="pruning_method=prune.L1Unstructured")  # fmt: skip
