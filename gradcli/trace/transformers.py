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
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.composite import Composite
from gradcli.trace.copies import Copies
from gradcli.trace.items import Items
from gradcli.trace.layers import Layers
from gradcli.trace.modules import Method, Module
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.values import Value

_ATTENTION = ("embed_dim", "num_heads", "dropout", "bias", "add_bias_kv", "add_zero_attn", "kdim",
              "vdim", "batch_first", "device", "dtype")  # fmt: skip
_LAYER = ("d_model", "nhead", "dim_feedforward", "dropout", "activation", "layer_norm_eps",
          "batch_first", "norm_first", "bias", "device", "dtype")  # fmt: skip
_APART = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
_MASKS = ("key_padding_mask", "need_weights", "attn_mask", "average_attn_weights", "is_causal")


class Transformers:
    """The functions that make the layers, by the names of PyTorch's classes."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.values = layers.values
        self.graph = layers.values.graph
        self.functions: dict[str, Method] = {
            "torch.nn.MultiheadAttention": self._attention,
            "torch.nn.Transformer": self._whole,
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
        has_bias = self._flag(given, "bias", True)
        widths = {
            name: width if given.get(name) is None else self.values.integer(given[name], name)
            for name in ("kdim", "vdim")
        }
        fields = self._projections(width, *widths.values())
        if has_bias:
            fields["in_proj_bias"] = self._parameter("in_proj_bias", 3 * width)
        if self._flag(given, "add_bias_kv"):
            for name in ("bias_k", "bias_v"):
                drawn = self.layers.uniform((1, 1, width), (6 / (2 * width)) ** 0.5)
                self.values.parameters.add(drawn)
                fields[name] = drawn
        out = self._of("Linear", given["embed_dim"], given["embed_dim"],
                       bias=self.graph.constant(has_bias))  # fmt: skip
        out.title = "NonDynamicallyQuantizableLinear"
        fields["out_proj"] = out
        if has_bias:
            bias = leaf(FUNCTIONS["zeros"].build(self.graph, width), marked=True)
            self.values.parameters.add(bias)
            out.set("bias", bias)
        batch_first = self._flag(given, "batch_first")
        dropout = self.values.number(given.get("dropout", self._number(0.0)), "dropout")
        zero = self._flag(given, "add_zero_attn")
        compute = partial(self._attend, dropout, (width, heads), zero, batch_first)
        made = self._made("MultiheadAttention", fields, compute)
        absent = [] if "in_proj_weight" in fields else ["in_proj_weight"]
        absent += [each for each in ("in_proj_bias", "bias_k", "bias_v") if each not in fields]
        made.settings = {
            "embed_dim": width, "num_heads": heads, "head_dim": width // heads, "dropout": dropout,
            "batch_first": batch_first, "add_zero_attn": zero, **widths, **dict.fromkeys(absent),
        }  # fmt: skip
        return made

    def _projections(self, width: int, keys: int, values: int) -> Given:
        """The weights of queries, keys and values: one matrix where all are as wide."""
        if keys == width and values == width:
            found = {
                "in_proj_weight": self.layers.uniform((3 * width, width), (6 / (4 * width)) ** 0.5)
            }
        else:
            found = {
                f"{name}_proj_weight": self.layers.uniform(
                    (width, each), (6 / (width + each)) ** 0.5
                )
                for name, each in zip("qkv", (width, keys, values), strict=True)
            }
        self.values.parameters.update(found.values())
        return {**found}

    def _attend(
        self,
        dropout: float,
        sizes: tuple[int, int],
        zero: bool,
        batch_first: bool,
        layer: Composite,
        inputs: list[Value],
        named: Given,
    ) -> Value:
        names = ("query", "key", "value", *_MASKS)
        given = bind_names("MultiheadAttention.forward", names, inputs, named, _MASKS)
        rows = [self.values.tensor(given[each], each) for each in names[:3]]
        turns = batch_first and rows[0].ndim == 3
        if turns:
            rows = [FUNCTIONS["transpose"](each, 0, 1) for each in rows]
        own = layer.own()
        out = layer.inside()["out_proj"].own()
        apart: Given = {name: own[name] for name in _APART if name in own}
        if apart:
            apart["use_separate_proj_weight"] = self.graph.constant(True)
        found = self.layers.compute(
            "multi_head_attention_forward",
            [*rows, *map(self._number, map(float, sizes)), own.get("in_proj_weight"),
             own.get("in_proj_bias"), own.get("bias_k"), own.get("bias_v"),
             self.graph.constant(zero), self._number(dropout), out["weight"], out.get("bias")],
            {"training": self.graph.constant(layer.training), **apart,
             **{name: given[name] for name in _MASKS if name in given}},
        )  # fmt: skip
        result, weights = found
        result = FUNCTIONS["transpose"](result, 0, 1) if turns else result
        is_batch = rows[0].ndim == 3
        makers = ("TransposeBackward0" if turns else "ViewBackward0", "MeanBackward1")
        for node, maker in zip((result, weights), makers, strict=True):
            if isinstance(node, Node):
                title = maker if is_batch else "SqueezeBackward1"
                self.values.made_by[node] = title, (*rows, *own.values()), {}
        return result, weights

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
        made = self._made(title, fields, compute)
        made.settings = {"norm_first": self._flag(given, "norm_first")}
        return made

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
        made = self._made(title, fields, self._through)
        made.settings = {"num_layers": count, "norm": None}
        return made

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

    # --- an encoder and a decoder ---

    def _whole(self, arguments: list[Value], keywords: Given) -> Value:
        """`nn.Transformer`: both, each with a last normalisation."""
        usual = {
            "d_model": 512, "nhead": 8, "num_encoder_layers": 6, "num_decoder_layers": 6,
            "dim_feedforward": 2048, "dropout": 0.1, "activation": "relu", "custom_encoder": None,
            "custom_decoder": None, "layer_norm_eps": 1e-5, "batch_first": False,
            "norm_first": False, "bias": True,
        }  # fmt: skip
        given = self.layers.options("Transformer", usual, arguments, keywords)
        shared = {name: given[name] for name in _LAYER if name in given}
        fields: Given = {}
        for name, decodes in (("encoder", False), ("decoder", True)):
            own = given[f"custom_{name}"]
            if own is None:
                layer = self._layer([], shared, decodes=decodes)
                norm = self._of("LayerNorm", given["d_model"], given["layer_norm_eps"],
                                bias=given["bias"])  # fmt: skip
                own = self._stack([layer, given[f"num_{name}_layers"], norm], {}, decodes=decodes)
            fields[name] = own
        made = self._made("Transformer", fields, self._translate)
        made.settings = {name: given[name] for name in ("d_model", "nhead", "batch_first")}
        return made

    def _translate(self, layer: Composite, inputs: list[Value], named: Given) -> Any:
        names = ("src", "tgt", "src_mask", "tgt_mask", "memory_mask", "src_key_padding_mask",
                 "tgt_key_padding_mask", "memory_key_padding_mask", "src_is_causal",
                 "tgt_is_causal", "memory_is_causal")  # fmt: skip
        given = bind_names("Transformer", names, inputs, named, names[2:])
        source, target = (self.values.tensor(given[name], name) for name in names[:2])
        if source.shape[-1] != target.shape[-1] or source.ndim != target.ndim:
            raise GradcliError(
                "shape", "Transformer: the last axes of src and tgt must be d_model; these are "
                f"{show(source.shape)} and {show(target.shape)}",
            )  # fmt: skip
        parts = layer.inside()
        encoded = {
            name.removeprefix("src_"): given[name] for name in ("src_mask",) if name in given
        }
        if "src_key_padding_mask" in given:
            encoded["src_key_padding_mask"] = given["src_key_padding_mask"]
        memory = yield parts["encoder"].call([source], encoded)
        decoded = {name: given[name] for name in names[3:5] + names[6:8] if name in given}
        return (yield parts["decoder"].call([target, memory], decoded))
