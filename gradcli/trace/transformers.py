"""`nn.MultiheadAttention` and the layers of transformers that are made of it.

Formulas and names of parameters are PyTorch's (Vaswani et al. 2017).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.copies import Copies
from gradcli.trace.items import Items
from gradcli.trace.layers import Layers
from gradcli.trace.modules import Composite, Method, Module
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.values import Value

_ATTENTION = ("embed_dim", "num_heads", "dropout", "bias", "add_bias_kv", "add_zero_attn", "kdim",
              "vdim", "batch_first", "device", "dtype")  # fmt: skip
_LAYER = ("d_model", "nhead", "dim_feedforward", "dropout", "activation", "layer_norm_eps",
          "batch_first", "norm_first", "bias", "device", "dtype")  # fmt: skip
_MASKS = ("key_padding_mask", "need_weights", "attn_mask", "average_attn_weights", "is_causal")


class Transformers:
    """The functions that make the layers, by the names of PyTorch's classes."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.values = layers.values
        self.graph = layers.values.graph
        self.functions: dict[str, Method] = {
            "torch.nn.MultiheadAttention": self._attention,
            "torch.nn.TransformerEncoderLayer": partial(self._layer, decodes=False),
            "torch.nn.TransformerDecoderLayer": partial(self._layer, decodes=True),
            "torch.nn.TransformerEncoder": partial(self._stack, decodes=False),
            "torch.nn.TransformerDecoder": partial(self._stack, decodes=True),
            "torch.nn.Transformer.generate_square_subsequent_mask": self._causal_mask,
        }

    def _made(self, title: str, fields: Given, compute: Callable[..., Any]) -> Composite:
        self.values.explicit = True
        layers = self.layers
        return Composite(layers.autograd, title, layers.replace, fields, compute)

    def _flag(self, given: Given, name: str, default: bool = False) -> bool:
        return self.values.truth(given[name]) if name in given else default

    def _number(self, value: float) -> Node:
        return self.graph.constant(value)

    def _of(self, name: str, *arguments: Value, **options: Value) -> Module:
        made = self.layers.functions[f"torch.nn.{name}"](list(arguments), options)
        assert isinstance(made, Module)
        return made

    def _parameter(self, name: str, *shape: int, value: float = 0.0) -> Node:
        full = FUNCTIONS["full"].build(self.graph, shape, self._number(value))
        parameter = leaf(full, marked=True)
        self.values.parameters.add(parameter)
        return parameter

    # --- attention ---

    def _attention(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("MultiheadAttention", _ATTENTION, arguments, keywords, _ATTENTION[2:])
        width, heads = (self.values.integer(given[each], each) for each in _ATTENTION[:2])
        if heads < 1 or width % heads:
            raise GradcliError(
                "value", f"embed_dim must be divisible by num_heads; {width} is not by {heads}"
            )
        for name in ("add_bias_kv", "add_zero_attn", "kdim", "vdim"):
            value = given.get(name)
            if value is not None and self.values.number(value, name) not in (0.0, float(width)):
                raise GradcliError("value", f"MultiheadAttention: {name} is not known here")
        has_bias = self._flag(given, "bias", True)
        bound = (6 / (4 * width)) ** 0.5
        weight = self.layers.uniform((3 * width, width), bound)
        self.values.parameters.add(weight)
        out = self._of("Linear", given["embed_dim"], given["embed_dim"],
                       bias=self.graph.constant(has_bias))  # fmt: skip
        out.title = "NonDynamicallyQuantizableLinear"
        fields: Given = {"in_proj_weight": weight}
        if has_bias:
            fields["in_proj_bias"] = self._parameter("in_proj_bias", 3 * width)
        fields["out_proj"] = out
        if has_bias:
            zeros = FUNCTIONS["zeros"].build(self.graph, width)
            out.set("bias", leaf(zeros, marked=True))
        compute = partial(
            self._attend, self.values.number(given.get("dropout", self._number(0.0)), "dropout"),
            (width, heads), self._flag(given, "batch_first"),
        )  # fmt: skip
        return self._made("MultiheadAttention", fields, compute)

    def _attend(
        self,
        dropout: float,
        sizes: tuple[int, int],
        batch_first: bool,
        layer: Composite,
        inputs: list[Value],
        named: Given,
    ) -> Value:
        names = ("query", "key", "value", *_MASKS)
        given = bind_names("MultiheadAttention", names, inputs, named, _MASKS)
        rows = [self.values.tensor(given[each], each) for each in names[:3]]
        turns = batch_first and rows[0].ndim == 3
        if turns:
            rows = [FUNCTIONS["transpose"](each, 0, 1) for each in rows]
        own = layer.own()
        out = layer.inside()["out_proj"].own()
        found = self.layers.compute(
            "multi_head_attention_forward",
            [*rows, *map(self._number, map(float, sizes)), own["in_proj_weight"],
             own.get("in_proj_bias"), None, None, self.graph.constant(False),
             self._number(dropout), out["weight"], out.get("bias")],
            {"training": self.graph.constant(layer.training),
             **{name: given[name] for name in _MASKS if name in given}},
        )  # fmt: skip
        result, weights = found
        return (FUNCTIONS["transpose"](result, 0, 1) if turns else result), weights

    def _causal_mask(self, arguments: list[Value], keywords: Given) -> Value:
        """-inf above the diagonal, else 0."""
        names = ("sz", "device", "dtype")
        given = bind_names("generate_square_subsequent_mask", names, arguments, keywords, names[1:])
        size = self.values.integer(given["sz"], "sz")
        full = FUNCTIONS["full"].build(self.graph, (size, size), self._number(float("-inf")))
        return FUNCTIONS["triu"](full, 1)

    # --- layers of an encoder or a decoder ---

    def _layer(self, arguments: list[Value], keywords: Given, *, decodes: bool) -> Value:
        title = f"Transformer{'Decoder' if decodes else 'Encoder'}Layer"
        given = bind_names(title, _LAYER, arguments, keywords, _LAYER[2:])
        width, heads = given["d_model"], given["nhead"]
        hidden = given.get("dim_feedforward", self._number(2048.0))
        drop = given.get("dropout", self._number(0.1))
        bias = self.graph.constant(self._flag(given, "bias", True))
        eps = given.get("layer_norm_eps", self._number(1e-5))
        first = self.graph.constant(self._flag(given, "batch_first"))
        attends = ("self_attn", "multihead_attn") if decodes else ("self_attn",)
        fields: Given = {
            name: self._attention(
                [width, heads], {"dropout": drop, "bias": bias, "batch_first": first}
            )
            for name in attends
        }
        fields |= {
            "linear1": self._of("Linear", width, hidden, bias=bias),
            "dropout": self._of("Dropout", drop),
            "linear2": self._of("Linear", hidden, width, bias=bias),
        }
        count = 3 if decodes else 2
        fields |= {
            f"norm{i + 1}": self._of("LayerNorm", width, eps, bias=bias) for i in range(count)
        }
        fields |= {f"dropout{i + 1}": self._of("Dropout", drop) for i in range(count)}
        compute = partial(
            self._decode if decodes else self._encode,
            self._activation(given.get("activation", "relu")), self._flag(given, "norm_first"),
        )  # fmt: skip
        return self._made(title, fields, compute)

    def _activation(self, value: Value) -> Object:
        if isinstance(value, Object):
            return value
        if value not in ("relu", "gelu"):
            raise GradcliError("value", "activation is 'relu', 'gelu' or a function")
        return BuiltIn(str(value), self.layers.compute)

    def _encode(
        self,
        activation: Object,
        norm_first: bool,
        layer: Composite,
        inputs: list[Value],
        named: Given,
    ) -> Any:
        names = ("src", "src_mask", "src_key_padding_mask", "is_causal")
        given = bind_names("TransformerEncoderLayer", names, inputs, named, names[1:])
        parts = layer.inside()
        masks = {"attn_mask": given.get("src_mask"),
                 "key_padding_mask": given.get("src_key_padding_mask")}  # fmt: skip
        steps = [
            lambda x: self._attended(parts["self_attn"], x, x, masks),
            lambda x: self._fed(parts, activation, x),
        ]
        return (yield self._residual(parts, steps, given["src"], norm_first))

    def _decode(
        self,
        activation: Object,
        norm_first: bool,
        layer: Composite,
        inputs: list[Value],
        named: Given,
    ) -> Any:
        names = ("tgt", "memory", "tgt_mask", "memory_mask", "tgt_key_padding_mask",
                 "memory_key_padding_mask", "tgt_is_causal", "memory_is_causal")  # fmt: skip
        given = bind_names("TransformerDecoderLayer", names, inputs, named, names[2:])
        parts = layer.inside()
        own, other = (
            {"attn_mask": given.get(f"{name}_mask"),
             "key_padding_mask": given.get(f"{name}_key_padding_mask")}
            for name in ("tgt", "memory")
        )  # fmt: skip
        steps = [
            lambda x: self._attended(parts["self_attn"], x, x, own),
            lambda x: self._attended(parts["multihead_attn"], x, given["memory"], other),
            lambda x: self._fed(parts, activation, x),
        ]
        return (yield self._residual(parts, steps, given["tgt"], norm_first))

    def _residual(
        self,
        parts: dict[str, Module],
        steps: list[Callable[[Value], Any]],
        x: Value,
        norm_first: bool,
    ) -> Any:
        """Each step is added to what it begins with, and normalised before it or after."""
        for place, step in enumerate(steps, 1):
            norm, drop = parts[f"norm{place}"], parts[f"dropout{place}"]
            before = (yield norm.call([x], {})) if norm_first else x
            added = yield drop.call([(yield step(before))], {})
            x = FUNCTIONS["add"](self.values.tensor(x), self.values.tensor(added))
            x = x if norm_first else (yield norm.call([x], {}))
        return x

    def _attended(self, attention: Module, x: Value, memory: Value, masks: Given) -> Any:
        options = {**masks, "need_weights": self.graph.constant(False)}
        result, _ = yield attention.call([x, memory, memory], options)
        return result

    def _fed(self, parts: dict[str, Module], activation: Object, x: Value) -> Any:
        inner = yield activation.call([(yield parts["linear1"].call([x], {}))], {})
        return (yield parts["linear2"].call([(yield parts["dropout"].call([inner], {}))], {}))

    # --- stacks of layers ---

    def _stack(self, arguments: list[Value], keywords: Given, *, decodes: bool) -> Value:
        title = f"Transformer{'Decoder' if decodes else 'Encoder'}"
        names = ("layer", "num_layers", "norm", "enable_nested_tensor", "mask_check")
        keywords = {name.removeprefix("encoder_").removeprefix("decoder_"): value
                    for name, value in keywords.items()}  # fmt: skip
        given = bind_names(title, names, arguments, keywords, names[2:])
        layer = given["layer"]
        if not isinstance(layer, Module):
            raise GradcliError("type", f"{title} takes a layer", hint=f"nn.{title}Layer(8, 2)")
        count = self.values.integer(given["num_layers"], "num_layers")
        self.graph.check_room(max(0, count) * 64)
        copies = [Copies(self.values).deep(layer) for _ in range(count)]
        listed = self.layers.functions["torch.nn.ModuleList"]([Items(copies)], {})
        fields: Given = {"layers": listed}
        if given.get("norm") is not None:
            fields["norm"] = given["norm"]
        return self._made(title, fields, self._through)

    def _through(self, layer: Composite, inputs: list[Value], named: Given) -> Any:
        """One layer after another, all with the masks that are given."""
        parts = layer.inside()
        renamed = {"mask": "src_mask"}
        options = {renamed.get(name, name): value for name, value in named.items()}
        names = ("src", "tgt")
        first = next((options.pop(each) for each in names if each in options), None)
        x, *rest = inputs if inputs else [first]
        if layer.title == "TransformerEncoder" and rest:
            options |= dict(zip(("src_mask", "src_key_padding_mask"), rest, strict=False))
            rest = []
        for each in parts["layers"].inside().values():
            x = yield each.call([x, *rest], options)
        return (yield parts["norm"].call([x], {})) if "norm" in parts else x
