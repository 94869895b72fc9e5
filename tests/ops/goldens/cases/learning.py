"""Goldens of layers, convolutions, pools, normalisation and losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from tests.ops.goldens.golden import Golden, Input, View
from tests.ops.goldens.inputs import INF, NAN, draw

Shapes = dict[str, tuple[int, ...]]
Records = Sequence[dict[str, Input]]


def records(*shapes: Shapes, domain: tuple[float, float] = (-2.0, 2.0)) -> list[dict[str, Input]]:
    """Inputs of these shapes, all different."""
    return [
        {
            name: draw(shape, domain, 100 * place + number)
            for number, (name, shape) in enumerate(each.items())
        }
        for place, each in enumerate(shapes)
    ]


# --- layers --------------------------------------------------------------------------------


def layers() -> Iterator[Golden]:
    """linear, embedding, one_hot, attention."""
    plain: list[Any] = [
        {"x": (3,), "w": (3,)},
        {"x": (2, 3), "w": (3,)},
        {"x": (0, 3), "w": (2, 3)},
        {"x": (2, 0), "w": (3, 0)},
        *({"x": (*lead, 3), "w": (4, 3)} for lead in [(), (1,), (5,), (2, 2), (1, 2, 2), (0, 2)]),
        *({"x": (2, n), "w": (m, n)} for n, m in [(1, 1), (1, 4), (5, 1), (4, 4)]),
    ]
    yield Golden("linear", "linear(x, w)", F.linear, records(*plain), rtol=1e-12)
    biased: list[Shapes] = [
        {"x": (*lead, 3), "w": (4, 3), "b": (4,)}
        for lead in [(), (1,), (5,), (2, 2), (1, 2, 2), (0,)]
    ]
    views: Records = [
        {"x": View(draw((3, 2)), ".T"), "w": View(draw((8, 3)), "[::2]"), "b": draw((4,))},
        {"x": np.array([[1e300, 1e-300, 0.0]]), "w": np.array([[1e8, -1e8, 2.0]]), "b": [INF]},
        {"x": np.array([[INF, 1.0, NAN]]), "w": np.array([[1.0, 0.0, 2.0]]), "b": [0.0]},
    ]
    yield Golden("linear", "linear(x, w, b)", F.linear, [*records(*biased), *views])

    nothing = np.zeros((0,), int)
    indices: list[Any] = [2, [0], [0, 0, 3], [[1, 2], [3, 0]], [[[3]]], [1] * 7, nothing]
    looked: Records = [
        {"i": np.asarray(index), "w": draw((4, n), seed=n)} for index in indices for n in (1, 3)
    ]
    yield Golden("embedding", "embedding(i, w)", F.embedding, looked)
    yield Golden(
        "embedding",
        "embedding(i, w, padding_idx=-1)",
        lambda i, w: F.embedding(i, w, padding_idx=-1),
        looked,
    )
    yield Golden(
        "one_hot",
        "one_hot(i, 5)",
        lambda i: F.one_hot(i, 5),
        [{"i": np.asarray(index)} for index in [*indices, 4, [4, 4], [[0, 1, 2, 3, 4]]]],
    )
    yield Golden(
        "one_hot",
        "one_hot(i)",
        F.one_hot,
        [{"i": np.asarray(index)} for index in [*indices[:-1], 0, [4, 1], [[5], [2]], [0, 0]]],
    )

    def attention(**keywords: Any) -> Callable[..., torch.Tensor]:
        return lambda q, k, v, *mask: F.scaled_dot_product_attention(q, k, v, *mask, **keywords)

    triples: list[Shapes] = [
        {"q": (*lead, rows, n), "k": (*lead, columns, n), "v": (*lead, columns, m)}
        for lead, rows, columns, n, m in [
            ((), 2, 3, 4, 4), ((1,), 1, 1, 1, 1), ((2,), 3, 2, 2, 3), ((2, 2), 2, 2, 3, 1),
            ((1, 2), 4, 3, 2, 2), ((), 5, 5, 3, 3),
        ]
    ]  # fmt: skip
    name = "scaled_dot_product_attention"
    yield Golden(name, f"{name}(q, k, v)", attention(), records(*triples))
    yield Golden(name, f"{name}(q, k, v, scale=0.7)", attention(scale=0.7), records(*triples[:3]))
    yield Golden(
        name, f"{name}(q, k, v, is_causal=True)", attention(is_causal=True), records(*triples)
    )
    added: list[Shapes] = [each | {"m": (each["q"][-2], each["k"][-2])} for each in triples[:4]]
    yield Golden(name, f"{name}(q, k, v, m)", attention(), records(*added))
    seen = [
        each | {"m": np.array([[True, False, True], [False] * 3])} for each in records(triples[0])
    ]
    yield Golden(name, f"{name}(q, k, v, m)", attention(), seen)
    shared: list[Shapes] = [{"q": (4, 2, 3), "k": (2, 3, 3), "v": (2, 3, 2)}]
    yield Golden(
        name, f"{name}(q, k, v, enable_gqa=True)", attention(enable_gqa=True), records(*shared)
    )


# --- convolutions and pools ----------------------------------------------------------------

SETTINGS: Sequence[dict[str, Any]] = (
    {}, {"stride": 2}, {"padding": 1}, {"dilation": 2}, {"padding": 2, "stride": 3, "dilation": 2},
    {"padding": "same"}, {"padding": "same", "dilation": 3}, {"padding": "valid"},
)  # fmt: skip


def call(name: str, arguments: str, settings: Mapping[str, Any]) -> str:
    """A call as a program."""
    return f"{name}({', '.join([arguments, *(f'{k}={v!r}' for k, v in settings.items())])})"


def convolutions() -> Iterator[Golden]:
    """conv1d and conv2d, with all their settings."""

    def golden(axes: int, settings: Mapping[str, Any], *shapes: Shapes) -> Golden:
        name = f"conv{axes}d"
        function = getattr(F, name)
        return Golden(
            name,
            call(name, ", ".join(shapes[0]), settings),
            lambda *operands: function(*operands, **settings),
            records(*shapes),
        )

    for settings in SETTINGS:
        yield golden(
            1, settings,
            {"x": (2, 3, 7), "w": (4, 3, 3)}, {"x": (1, 9), "w": (1, 1, 2)},
            {"x": (1, 2, 8), "w": (2, 2, 1)},
        )  # fmt: skip
        yield golden(
            2, settings,
            {"x": (2, 2, 6, 7), "w": (3, 2, 2, 3)}, {"x": (1, 7, 5), "w": (2, 1, 3, 1)},
            {"x": (1, 2, 5, 5), "w": (1, 2, 2, 2)},
        )  # fmt: skip
    for groups in (1, 2, 4):
        yield golden(1, {"groups": groups}, {"x": (2, 4, 5), "w": (4, 4 // groups, 2), "b": (4,)})
        yield golden(
            2, {"groups": groups},
            {"x": (2, 4, 3, 3), "w": (4, 4 // groups, 2, 2), "b": (4,)},
        )  # fmt: skip
    yield golden(
        2, {"stride": (2, 1), "padding": (0, 2), "dilation": (1, 2)},
        {"x": (1, 2, 5, 4), "w": (2, 2, 3, 2), "b": (2,)},
    )  # fmt: skip
    large = np.array([[1e200, -1e200, 3.0, INF, 2.0]])
    yield Golden("conv1d", "conv1d(x, w)", F.conv1d, [{"x": large, "w": np.array([[[2.0, 0.5]]])}])


def pools() -> Iterator[Golden]:
    """max_pool and avg_pool, with all their settings."""
    tied = np.repeat(draw((2, 3, 3), seed=9), 2, axis=2)
    edges: Input = np.array([[1.0, NAN, -INF, INF, 3.0, -INF, -INF, 0.0, -0.0]])
    settings: list[dict[str, Any]] = [
        {}, {"stride": 1}, {"padding": 1}, {"stride": 2, "ceil_mode": True},
        {"stride": 3, "padding": 1, "ceil_mode": True},
    ]  # fmt: skip
    more: dict[str, list[dict[str, Any]]] = {
        "max_pool": [{"dilation": 2}, {"stride": 1, "padding": 1, "dilation": 2}],
        "avg_pool": [
            {"padding": 1, "count_include_pad": False},
            {"stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False},
        ],
    }
    for kind, special in more.items():
        for each in [*settings, *special]:
            for axes in (1, 2):
                name = f"{kind}{axes}d"
                function = getattr(F, name)
                lengths = [(9,), (8,), (7,)] if axes == 1 else [(5, 6), (7, 7), (6, 5)]
                inputs = records(
                    *({"x": ((2,) * (place % 2) + (3, *n))} for place, n in enumerate(lengths))
                )
                inputs.append({"x": tied if axes == 1 else tied.repeat(2, axis=1)})
                if axes == 1 and not (kind == "max_pool" and each.get("padding")):
                    inputs.append({"x": edges})
                yield Golden(
                    name,
                    call(name, "x, 3", each),
                    lambda x, f=function, each=each: f(x, 3, **each),
                    inputs,
                )
    yield Golden(
        "max_pool2d",
        "max_pool2d(x, (2, 3), return_indices=True)[1]",
        lambda x: F.max_pool2d(x, (2, 3), return_indices=True)[1],
        records({"x": (2, 2, 4, 6)}),
        differentiable=False,
    )
    yield Golden(
        "avg_pool2d",
        "avg_pool2d(x, (2, 3), divisor_override=5)",
        lambda x: F.avg_pool2d(x, (2, 3), divisor_override=5),
        records({"x": (2, 2, 4, 6)}),
    )


# --- normalisation -------------------------------------------------------------------------


def normalisation() -> Iterator[Golden]:
    """layer_norm, batch_norm, group_norm."""
    constant: Input = np.full((2, 3), 0.7)
    rounding: dict[str, Any] = {
        "atol": 1e-12,
        "reason": "what is left of values that are equal, or only two, is their rounding error",
    }
    special: Records = [{"x": constant}, {"x": View(draw((3, 2)), ".T")}]
    for length, shapes in {
        3: [(3,), (1, 3), (2, 3), (4, 3), (2, 2, 3), (0, 3), (1, 1, 1, 3)],
        1: [(1,), (2, 1)],
    }.items():
        inputs = records(*({"x": shape} for shape in shapes))
        yield Golden(
            "layer_norm",
            f"layer_norm(x, {length})",
            lambda x, length=length: F.layer_norm(x, (length,)),
            [*inputs, *(special if length == 3 else [])],
            **rounding,
        )
    weighted: list[Shapes] = [
        {"x": (*lead, 2, 3), "w": (2, 3), "b": (2, 3)} for lead in [(), (1,), (3,), (2, 2), (0,)]
    ]
    for eps in (1e-5, 0.1):
        yield Golden(
            "layer_norm",
            f"layer_norm(x, (2, 3), w, b, {eps})",
            lambda x, w, b, eps=eps: F.layer_norm(x, (2, 3), w, b, eps),
            records(*weighted),
            **rounding,
        )

    channels = [(2, 3), (4, 3), (2, 3, 2), (1, 3, 4), (2, 3, 2, 2), (3, 3, 1)]
    own: list[Shapes] = [{"x": shape} for shape in channels]
    yield Golden(
        "batch_norm",
        "batch_norm(x, None, None, training=True)",
        lambda x: F.batch_norm(x, None, None, training=True),
        [*records(*own), {"x": constant}],
        **rounding,
    )
    yield Golden(
        "batch_norm",
        "batch_norm(x, None, None, w, b, True, eps=0.01)",
        lambda x, w, b: F.batch_norm(x, None, None, w, b, True, eps=0.01),
        records(*({"x": x, "w": (3,), "b": (3,)} for x in channels)),
        **rounding,
    )
    mean, var = [0.1, -0.3, 0.5], [0.4, 1.0, 2.5]
    statistics = [torch.tensor(each, dtype=torch.float64) for each in (mean, var)]
    yield Golden(
        "batch_norm",
        f"batch_norm(x, {mean}, {var}, w, b)",
        lambda x, w, b: F.batch_norm(x, *statistics, w, b),
        records(*({"x": x, "w": (3,), "b": (3,)} for x in [*channels, (1, 3), (0, 3)])),
        **rounding,
    )
    for groups in (1, 2, 4):
        shapes = [(2, 4), (1, 4), (2, 4, 3), (1, 4, 2, 2)]
        yield Golden(
            "group_norm",
            f"group_norm(x, {groups})",
            lambda x, groups=groups: F.group_norm(x, groups),
            records(*({"x": s} for s in shapes if s != (1, 4) or groups < 4)),
            **rounding,
        )
        yield Golden(
            "group_norm",
            f"group_norm(x, {groups}, w, b, eps=0.001)",
            lambda x, w, b, groups=groups: F.group_norm(x, groups, w, b, eps=0.001),
            records(*({"x": s, "w": (4,), "b": (4,)} for s in shapes if s != (1, 4) or groups < 4)),
            **rounding,
        )


# --- losses --------------------------------------------------------------------------------

REDUCTIONS = ("mean", "sum", "none")
PAIRS: Sequence[Shapes] = (
    {"x": (), "y": ()}, {"x": (4,), "y": (4,)}, {"x": (2, 3), "y": (2, 3)},
    {"x": (2, 1, 2), "y": (2, 1, 2)}, {"x": (0,), "y": (0,)}, {"x": (2, 3), "y": (3,)},
    {"x": (1, 3), "y": (2, 1)},
)  # fmt: skip


def tensors_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with lists as tensors."""
    return {
        key: torch.tensor(value, dtype=torch.float64) if isinstance(value, list) else value
        for key, value in settings.items()
    }


def loss(
    name: str,
    arguments: str,
    inputs: Records,
    *variants: Mapping[str, Any],
    reductions: Sequence[str] = REDUCTIONS,
) -> Iterator[Golden]:
    """A loss on the same inputs for all reductions and variants of its settings.

    Weights are settings too, as PyTorch does not differentiate by all of them.
    """
    function = getattr(F, name)
    for variant in variants or ({},):
        for reduction in reductions:
            settings = {**variant, "reduction": reduction}
            yield Golden(
                name,
                call(name, arguments, settings),
                lambda *operands, settings=settings: function(*operands, **tensors_of(settings)),
                inputs,
            )


def regression() -> Iterator[Golden]:
    """Losses of numbers against numbers."""
    far: Records = [
        {"x": np.array([1e150, -INF, 0.0, 1e-200]), "y": np.array([-1e150, 1.0, 0.0, 0.0])}
    ]
    unknown: Records = [{"x": np.array([NAN, 1.0]), "y": np.array([2.0, NAN])}]
    tied: Records = [{"x": np.array([1.0, 2.0, 3.0, 2.5]), "y": np.array([1.0, 1.0, 4.0, 2.0])}]
    views: Records = [{"x": View(draw((3, 2)), ".T"), "y": View(draw((4, 3)), "[::2]")}]
    inputs = [*records(*PAIRS), *far, *tied, *views]
    yield from loss("mse_loss", "x, y", [*inputs, *unknown])
    yield from loss("l1_loss", "x, y", inputs)
    yield from loss("smooth_l1_loss", "x, y", inputs, {}, {"beta": 0.5}, {"beta": 0.0})
    yield from loss("huber_loss", "x, y", inputs, {}, {"delta": 0.5})
    weight = [[1.0, 2.0, 3.0], [0.0, 1.0, 0.5]]
    for name in ("mse_loss", "l1_loss", "huber_loss"):
        yield from loss(name, "x, y", records({"x": (2, 3), "y": (2, 3)}), {"weight": weight})

    rows: list[Shapes] = [
        {"x": (4,), "y": (4,), "v": (4,)}, {"x": (2, 3), "y": (2, 3), "v": (2,)},
        {"x": (2, 3), "y": (2, 3), "v": (2, 1)}, {"x": (2, 2, 2), "y": (2, 2, 2), "v": (2, 2)},
    ]  # fmt: skip
    small: Records = [{"x": draw((3,)), "y": draw((3,), seed=1), "v": np.array([0.0, 1e-9, 1e-3])}]
    yield from loss(
        "gaussian_nll_loss", "x, y, v", [*records(*rows, domain=(0.1, 2.0)), *small],
        {}, {"full": True}, {"eps": 0.5},
    )  # fmt: skip
    yield from loss(
        "poisson_nll_loss", "x, y", records(*PAIRS, domain=(0.05, 3.0)),
        {}, {"full": True}, {"log_input": False}, {"log_input": False, "full": True, "eps": 0.1},
    )  # fmt: skip


def margins() -> Iterator[Golden]:
    """Losses with a margin, and distances."""
    signs: Records = [
        {"x": draw((4,)), "y": np.array([1, -1, 1, -1])},
        {"x": draw((2, 3)), "y": np.array([[1, -1, 1], [-1, -1, 1]])},
        {"x": draw((2, 3)), "y": np.array([1, -1, -1])},
        {"x": draw(()), "y": np.array(-1)},
        {"x": np.array([INF, -INF, NAN, 0.0]), "y": np.array([-1, -1, 1, 1])},
    ]
    yield from loss("hinge_embedding_loss", "x, y", signs, {}, {"margin": 0.3})
    ranked: Records = [
        {"a": draw(y.shape, seed=5), "b": draw(y.shape, seed=6), "y": y}
        for y in (np.asarray(record["y"]) for record in signs)
    ]
    yield from loss("margin_ranking_loss", "a, b, y", ranked, {}, {"margin": 0.4})
    directions: Records = [
        {"a": draw((3,)), "b": draw((3,), seed=1), "y": np.array(1)},
        {"a": draw((3,)), "b": draw((3,), seed=2), "y": np.array(-1)},
        {"a": draw((4, 3)), "b": draw((4, 3), seed=3), "y": np.array([1, -1, -1, 1])},
        {"a": np.array([[0.0, 0.0], [1.0, 2.0]]), "b": draw((2, 2)), "y": np.array([1, -1])},
        {"a": View(draw((3, 4)), ".T"), "b": draw((4, 3), seed=3), "y": np.array([1, -1, -1, 1])},
    ]
    yield from loss("cosine_embedding_loss", "a, b, y", directions, {}, {"margin": 0.2})

    rows: list[Shapes] = [
        {"a": (3,), "b": (3,)}, {"a": (2, 3), "b": (2, 3)}, {"a": (4, 1), "b": (4, 1)},
        {"a": (2, 3), "b": (3,)}, {"a": (2, 2, 3), "b": (2, 2, 3)},
    ]  # fmt: skip
    for settings in ({}, {"p": 1.0}, {"p": 3.0}, {"p": INF}, {"keepdim": True, "eps": 0.1}):
        yield Golden(
            "pairwise_distance",
            call("pairwise_distance", "a, b", settings),
            lambda a, b, settings=settings: F.pairwise_distance(a, b, **settings),
            records(*rows),
        )
    triples: list[Shapes] = [
        {"a": shape, "p": shape, "n": shape} for shape in [(3,), (2, 3), (4, 2), (2, 2, 3)]
    ]
    yield from loss(
        "triplet_margin_loss", "a, p, n", records(*triples),
        {}, {"margin": 2.5, "p": 1.0}, {"swap": True, "margin": 3.0},
    )  # fmt: skip


WEIGHT = [0.5, 2.0, 1.5]


def classification() -> Iterator[Golden]:
    """Losses of probabilities."""
    targets: dict[tuple[int, ...], Any] = {
        (3,): 1, (1, 3): [2], (2, 3): [0, 2], (4, 3): [1, 1, 0, 2],
        (2, 3, 2): [[0, 1], [2, 2]], (1, 3, 2, 2): [[[0, 1], [2, 0]]], (0, 3): np.zeros((0,), int),
    }  # fmt: skip
    chosen: Records = [
        {"x": draw(shape, seed=place), "t": np.asarray(target)}
        for place, (shape, target) in enumerate(targets.items())
    ]
    edges: Records = [
        {"x": np.array([[1000.0, -1000.0, 0.0], [INF, 0.0, 1.0], [-INF, 0.0, NAN]]),
         "t": np.array([0, 1, 1])},
        {"x": View(draw((3, 4)), ".T"), "t": np.array([0, 1, 2, 1])},
    ]  # fmt: skip
    settings: list[dict[str, Any]] = [
        {}, {"ignore_index": 1}, {"weight": WEIGHT}, {"weight": WEIGHT, "ignore_index": 1},
    ]  # fmt: skip
    yield from loss("nll_loss", "x, t", chosen, *settings)
    yield from loss("cross_entropy", "x, t", chosen, *settings)
    smoothed = [{**each, "label_smoothing": 0.2} for each in settings]
    yield from loss("cross_entropy", "x, t", chosen, *smoothed)
    for name in ("nll_loss", "cross_entropy"):
        yield from loss(name, "x, t", edges)
    shapes = [shape for shape in targets if shape != (0, 3)]
    likely: Records = [
        {"x": draw(shape, seed=1), "y": draw(shape, (0.0, 1.0), seed=2)} for shape in shapes
    ]
    smooth = {"label_smoothing": 0.3}
    weighted = {"weight": WEIGHT}
    yield from loss("cross_entropy", "x, y", likely, {}, smooth, weighted, weighted | smooth)

    truths: list[tuple[int, ...]] = [(), (4,), (2, 3), (2, 1, 2), (0,)]
    unsure: Records = [
        {"x": draw(s, (0.02, 0.98), seed=3), "y": draw(s, (0.02, 0.98), seed=4)} for s in truths
    ]
    sure: Records = [
        {"x": np.array([0.0, 0.0, 1.0, 1.0, 1e-13, 0.5]), "y": np.array([0.0, 1, 0, 1, 0, 1])}
    ]
    yield from loss("binary_cross_entropy", "x, y", [*unsure, *sure])
    yield from loss("binary_cross_entropy", "x, y", [unsure[2]], weighted)
    logits: Records = [
        *records(*({"x": s, "y": s} for s in truths)),
        {"x": np.array([1000.0, -1000.0, 0.0, NAN, 1e-300]), "y": np.array([0.0, 0, 1, 1, 1])},
    ]
    yield from loss("binary_cross_entropy_with_logits", "x, y", logits)
    yield from loss(
        "binary_cross_entropy_with_logits", "x, y", [logits[2]],
        weighted, {"pos_weight": WEIGHT}, weighted | {"pos_weight": WEIGHT},
    )  # fmt: skip

    near: Records = [
        *records(*PAIRS, domain=(0.05, 0.95)),
        {"x": np.array([-1.0, -2.0, -INF]), "y": np.array([0.3, 0.7, 0.2])},
    ]
    yield from loss("kl_div", "x, y", near)
    yield from loss("kl_div", "x, y", near, {"log_target": True})
    yield from loss("kl_div", "x, y", near[1:4], reductions=["batchmean"])


def goldens() -> Iterator[Golden]:
    """Every function of learning."""
    yield from layers()
    yield from convolutions()
    yield from pools()
    yield from normalisation()
    yield from regression()
    yield from margins()
    yield from classification()
