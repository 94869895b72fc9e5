"""`nn.Embedding`: rows that are looked up."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import detach, leaf
from gradcli.trace.layer import Layer, LayerRule
from gradcli.trace.layers import Layers, remaking
from gradcli.trace.objects import Given
from gradcli.trace.plain_layers import EMBEDDING, PRETRAINED
from gradcli.trace.values import Value


class Embeddings:
    """The functions that make them, by name."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.values = layers.values
        made = {"Embedding": self._embedding, "Embedding.from_pretrained": self._pretrained}
        self.functions = remaking({f"torch.nn.{name}": make for name, make in made.items()})

    def _embedding(self, arguments: list[Value], keywords: Given) -> Layer:
        given = self.layers.options("Embedding", EMBEDDING, arguments, keywords)
        check_rows(self.layers, "Embedding", {**given, "max_norm": None})
        layer = self._of(leaf(self._rows(given), marked=True), given["padding_idx"])
        layer = layer.made_with(given)
        return layer if given["max_norm"] is None else self._bounded(layer, given)

    def _rows(self, given: Given) -> Node:
        """The rows that are given, or drawn: the one for padding is 0."""
        if given["_weight"] is not None:
            return self.values.tensor(given["_weight"], "_weight")
        shape = tuple(self.values.integer(given[name], name) for name in [*EMBEDDING][:2])
        drawn = self.layers.drawn("randn", shape)
        place = given["padding_idx"]
        if place is not None:
            number = self.values.integer(place, "padding_idx")
            if not -shape[0] <= number < shape[0]:
                said = "Padding_idx must be within num_embeddings"
                told = f"padding_idx is {number}, and there are {shape[0]} rows"
                raise RefusedError(("AssertionError", said), "index", told)
            number %= shape[0]
            constant = self.values.graph.constant
            padded = constant(np.arange(shape[0])[:, None] == number)
            drawn = FUNCTIONS["masked_fill"].build(drawn, padded, constant(0.0))
        return drawn

    def _pretrained(self, arguments: list[Value], keywords: Given) -> Layer:
        """`nn.Embedding.from_pretrained(weights)`, which are frozen unless it says otherwise."""
        given = self.layers.options("from_pretrained", PRETRAINED, arguments, keywords)
        check_rows(self.layers, "from_pretrained", given)
        rows = self.values.tensor(given["embeddings"], "the embeddings")
        if rows.ndim != 2:
            raise GradcliError("shape", "embeddings are a matrix, with a row for each index")
        weight = leaf(detach(rows), marked=not self.values.truth(given["freeze"]))
        settings = {name: given[name] for name in EMBEDDING if name in given}
        return self._of(weight, given["padding_idx"]).made_with(
            {**settings, "num_embeddings": rows.shape[0], "embedding_dim": rows.shape[1]}
        )

    def _of(self, weight: Node, padding: Value) -> Layer:
        """The layer of a matrix of rows; `padding` is the place of one that stays as it is."""
        options = {} if padding is None else {"padding_idx": padding}
        details = f"{weight.shape[0]}, {weight.shape[1]}"
        if padding is not None:
            details += f", padding_idx={self.values.integer(padding, 'padding_idx')}"
        rows = {"weight": weight}
        return self.layers.with_parameters("Embedding", "embedding", rows, options, details)

    def _bounded(self, layer: Layer, given: Given) -> Layer:
        """The layer, which makes each row that is asked for no longer than `max_norm` first: in
        place, and unseen by gradients.
        """
        most, order = (self.values.number(given[name], name) for name in ("max_norm", "norm_type"))
        rule = layer.rule()

        def computed(layer: Layer, inputs: list[Value], named: Given) -> Any:
            places = self.values.index(inputs[0], "the input")
            weight = layer.own()["weight"]
            short = detach(_shortened(weight, places, most, order))
            layer.replace(weight, leaf(short, marked=layer.autograd.requires_grad(weight)))
            return rule.compute(layer, inputs, named)

        details = f"{rule.details}, max_norm={self.layers.shown(given['max_norm'])}"
        return layer.follow(LayerRule(computed, details, rule.settings))


def check_rows(layers: Layers, title: str, given: Given) -> None:
    """Raise `value` for what would change the table of an embedding or its gradient."""
    if given["max_norm"] is not None:
        raise GradcliError(
            "value", f"{title}: max_norm is not known here",
            hint="nn.Embedding(…, max_norm=1) knows it; here normalise the weights before",
        )  # fmt: skip
    if layers.values.truth(given["scale_grad_by_freq"]):
        raise GradcliError("value", f"{title}: scale_grad_by_freq is not known here",
                           hint="divide the gradient by the counts yourself")  # fmt: skip


def _shortened(weight: Node, places: Node, most: float, order: float) -> Node:
    """The matrix, of which the rows at some places are no longer than that."""
    none, one = (weight.graph.constant(each) for each in (0.0, 1.0))
    row = FUNCTIONS["reshape"].build(places, -1)
    asked = FUNCTIONS["index_fill"].build(none * weight, 0, row, one)
    short = FUNCTIONS["renorm"].build(weight, order, 0, most)
    return f("where", f("gt", asked, none), short, weight)
