"""`torch.nn`: losses that are made of other layers, or of a function of the program."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.ops import f
from gradcli.trace.arguments import bind_names
from gradcli.trace.collections_calls import record
from gradcli.trace.composite import Composite
from gradcli.trace.items import Items
from gradcli.trace.layers import Layers
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given, Object
from gradcli.trace.plain_layers import NEEDED
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_ADAPTIVE = {"in_features": NEEDED, "n_classes": NEEDED, "cutoffs": NEEDED, "div_value": 4.0,
             "head_bias": False}  # fmt: skip
_TRIPLET = {"distance_function": None, "margin": 1.0, "swap": False, "reduction": "mean"}


class AdaptiveSoftmax(Composite):
    """Classes in groups by how often they are: the head has the first, and the groups' own."""

    def methods(self) -> dict[str, Method]:
        return super().methods() | {"log_prob": self._log_prob, "predict": self._predict}

    def _log_prob(self, arguments: list[Value], keywords: Given) -> Any:
        """The logarithms of the probabilities of all classes, for each sample."""
        (given,) = bind_names("log_prob", ("input",), arguments, keywords).values()
        inside, cutoffs = self.inside(), self.settings["cutoffs"]
        head = f("log_softmax", (yield inside["head"].call([given], {})), -1)
        parts = [f("narrow", head, -1, 0, cutoffs[0])]
        for place, ((start, stop), tail) in enumerate(
            zip(pairwise(cutoffs), inside["tail"].inside().values(), strict=True)
        ):
            scores = f("log_softmax", (yield tail.call([given], {})), -1)
            parts.append(scores + f("narrow", head, -1, cutoffs[0] + place, 1))
            assert parts[-1].shape[-1] == stop - start
        return f("cat", parts, -1)

    def _predict(self, arguments: list[Value], keywords: Given) -> Any:
        return f("argmax", (yield self._log_prob(arguments, keywords)), -1)


class ComposedLayers:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.values = layers.values
        self.functions: dict[str, Special] = {
            "torch.nn.AdaptiveLogSoftmaxWithLoss": self._adaptive,
            "torch.nn.TripletMarginWithDistanceLoss": self._triplet,
        }
        self.methods: dict[str, Special] = {}

    def _of(self, name: str, *arguments: Value, **options: Value) -> Any:
        return self.layers.functions[f"torch.nn.{name}"](list(arguments), options)

    # --- many classes ---

    def _adaptive(self, arguments: list[Value], keywords: Given) -> Value:
        title = "AdaptiveLogSoftmaxWithLoss"
        given = self.layers.options(title, _ADAPTIVE, arguments, keywords)
        width, classes = (self.values.integer(given[name], name) for name in [*_ADAPTIVE][:2])
        cutoffs = self.values.integers(given["cutoffs"], "cutoffs")
        if not cutoffs or any(a >= b for a, b in pairwise((0, *cutoffs, classes))):
            raise GradcliError(
                "value", "cutoffs should be a sequence of unique, positive integers sorted in an "
                "increasing order, where each value is between 1 and n_classes-1",
                hint=f"nn.{title}(16, 1000, [10, 100])",
            )  # fmt: skip
        ends = (*cutoffs, classes)
        by = self.values.number(given["div_value"], "div_value")
        plain = self.values.plain
        tails = [
            self._of(
                "Sequential",
                self._of("Linear", plain(width), plain(int(width // by ** (i + 1))),
                         bias=plain(False)),
                self._of("Linear", plain(int(width // by ** (i + 1))), plain(stop - start),
                         bias=plain(False)),
            )
            for i, (start, stop) in enumerate(pairwise(ends))
        ]  # fmt: skip
        head = self._of("Linear", plain(width), plain(cutoffs[0] + len(tails)),
                        bias=given["head_bias"])  # fmt: skip
        fields = {"head": head, "tail": self._of("ModuleList", Items(tails))}
        layers = self.layers
        made = AdaptiveSoftmax(layers.autograd, title, layers.replace, fields, self._chosen)
        made.settings = {
            **given, "cutoffs": ends, "shortlist_size": cutoffs[0], "n_clusters": len(tails),
            "head_size": cutoffs[0] + len(tails),
        }  # fmt: skip
        return made

    def _chosen(self, layer: Composite, inputs: list[Value], named: Given) -> Any:
        """The logarithms of the targets' probabilities, and the mean of their negatives."""
        given = bind_names(layer.title, ("input", "target"), inputs, named)
        target = self.values.tensor(given["target"], "the target")
        x = self.values.tensor(given["input"], "the input")
        if target.ndim > 1 or x.ndim != target.ndim + 1:
            raise GradcliError(
                "shape", f"{layer.title} takes ([batch,] features) and the classes ([batch])"
            )
        found = yield layer.methods()["log_prob"]([x], {})
        places = f("unsqueeze", target, -1)
        output = f("squeeze", f("gather", found, -1, places), -1)
        return record("_ASMoutput", ("output", "loss"), [output, -f("mean", output)])

    # --- a distance of the program's own ---

    def _triplet(self, arguments: list[Value], keywords: Given) -> Value:
        title = "TripletMarginWithDistanceLoss"
        if arguments:
            raise GradcliError("type", f"{title} takes its options by name",
                               hint=f"nn.{title}(distance_function=f, margin=1.0)")  # fmt: skip
        given = self.layers.options(title, _TRIPLET, [], keywords)
        distance = given["distance_function"]
        if distance is None:
            distance = self._of("PairwiseDistance")
        if not isinstance(distance, Object):
            raise GradcliError("type", f"{title}: distance_function is a function of two tensors")
        if given["reduction"] not in ("none", "mean", "sum"):
            raise GradcliError("value", f"{title}: reduction is 'none', 'mean' or 'sum'")
        layers = self.layers
        fields = {"distance_function": distance}
        made = Composite(layers.autograd, title, layers.replace, fields, self._apart)
        made.settings = given
        return made

    def _apart(self, layer: Composite, inputs: list[Value], named: Given) -> Any:
        """How much nearer than the margin the negative is than the positive."""
        names = ("anchor", "positive", "negative")
        anchor, positive, negative = bind_names(layer.title, names, inputs, named).values()
        distance, settings = layer.fields["distance_function"], layer.settings
        near = self.values.tensor((yield distance.call([anchor, positive], {})))
        far = self.values.tensor((yield distance.call([anchor, negative], {})))
        if self.values.truth(settings["swap"]):
            other = self.values.tensor((yield distance.call([positive, negative], {})))
            far = f("minimum", far, other)
        margin = self.values.number(settings["margin"], "margin")
        loss = f("clamp_min", near - far + margin, 0.0)
        reduction = settings["reduction"]
        return loss if reduction == "none" else f(str(reduction), loss)
