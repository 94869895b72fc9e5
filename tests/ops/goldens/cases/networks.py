"""Goldens of layers over images and signals, of sampling, and of losses between classes.

Programs are PyTorch's own text. Inputs have few digits, so that results of sums have few, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from tests.ops.goldens.golden import Golden, Input
from tests.ops.goldens.inputs import coarse

Shapes = dict[str, tuple[int, ...]]
Records = list[dict[str, Input]]


def records(*shapes: Shapes, seed: int = 0) -> Records:
    """Inputs of these shapes, each name with numbers of its own."""
    return [
        {name: coarse(shape, seed=seed + place) for place, (name, shape) in enumerate(each.items())}
        for each in shapes
    ]


def over(*shapes: tuple[int, ...]) -> Records:
    """Two inputs x of each shape."""
    return [
        {"x": coarse(shape, seed=seed + place)}
        for seed in (0, 50)
        for place, shape in enumerate(shapes)
    ]


def text(program: str, names: Sequence[str]) -> Callable[..., torch.Tensor]:
    """The program as PyTorch runs it."""

    def run(*operands: torch.Tensor) -> torch.Tensor:
        known = dict(zip(names, operands, strict=True))
        result: torch.Tensor = eval(program, {"F": F, "torch": torch, **known})  # our own text
        return result

    return run


def calls(function: str, programs: Sequence[str], inputs: Records, **more: Any) -> Iterator[Golden]:
    """Every program on the same inputs; a program is the arguments, without the function's name."""
    for arguments in programs:
        end = arguments.rpartition(")")[2] if arguments.endswith("]") else ""
        inside = arguments.removesuffix(end).removesuffix(")") if end else arguments
        program = f"F.{function}({inside}){end}"
        name = f"F.{function}" if function == "unfold" else function
        yield Golden(name, program, text(program, list(inputs[0])), inputs, **more)


# --- convolutions --------------------------------------------------------------------------


def convolutions() -> Iterator[Golden]:
    """conv3d, conv_transpose1d to 3d."""
    lengths: dict[int, tuple[int, ...]] = {1: (4,), 2: (3, 2), 3: (2, 1, 3)}
    kernels: dict[int, tuple[int, ...]] = {1: (3,), 2: (2, 2), 3: (1, 2, 2)}
    plain = ["x, w", "x, w, padding=1", "x, w, stride=2", "x, w, dilation=2, padding=2"]
    made = ["output_padding=1, stride=2", "stride=2, dilation=2"]
    for axes in (1, 2, 3):
        name = f"conv_transpose{axes}d"
        each = records(
            {"x": (2, *lengths[axes]), "w": (2, 1, *kernels[axes])},
            {"x": (1, 1, *lengths[axes]), "w": (1, 2, *kernels[axes])},
            {"x": (2, 2, *[1] * axes), "w": (2, 2, *kernels[axes])},
        )
        yield from calls(name, ["x, w", *(f"x, w, {more}" for more in made)], each)
        biased = records(
            *({"x": (n, 2, *lengths[axes]), "w": (2, 1, *kernels[axes]), "b": (2,)} for n in (1, 2))
        )
        grouped = ["x, w, b, groups=2", "x, w, b, 2, 1, 1, 2, 1"]
        yield from calls(name, grouped, biased)
        whole = records(
            *({"x": (2, *lengths[axes]), "w": (2, 2, *kernels[axes]), "b": (2,)} for _ in range(2)),
            seed=7,
        )
        yield from calls(
            name, ["x, w, b", "x, w, b, 3", "x, w, b, output_padding=0", "x, w, b, 2"], whole
        )
    each = records(
        {"x": (1, 2, 2, 3), "w": (1, 1, 2, 1, 2)}, {"x": (1, 1, 1, 3, 2), "w": (2, 1, 1, 2, 1)},
        {"x": (2, 1, 2, 1, 2), "w": (1, 1, 1, 1, 2)},
    )  # fmt: skip
    yield from calls("conv3d", [*plain, "x, w, padding='same'"], each)
    biased = records(*({"x": (n, 2, 1, 2, 2), "w": (2, 1, 1, 2, 2), "b": (2,)} for n in (1, 2)))
    yield from calls("conv3d", ["x, w, b, groups=2", "x, w, b, 1, (0, 1, 0), groups=2"], biased)
    single = records({"x": (1, 2, 1, 2), "w": (2, 1, 1, 1, 2), "b": (2,)})
    yield from calls("conv3d", ["x, w, b", "x, w, b, (1, 1, 2)"], single)


# --- pools ---------------------------------------------------------------------------------


def pools() -> Iterator[Golden]:
    """Pools over three axes, adaptive ones, those by p-norms, and the way back."""
    volumes = over((1, 2, 3, 3), (2, 1, 2, 2, 3), (1, 1, 3, 2, 2))
    shared = ["x, 2", "x, (1, 2, 2), 1", "x, 2, 2, 1, ceil_mode=True"]
    yield from calls("avg_pool3d", [*shared, "x, 2, 1, 1, False, False"], volumes)
    yield from calls("avg_pool3d", ["x, 2, divisor_override=3"], volumes[:2])
    yield from calls("max_pool3d", [*shared, "x, (1, 2, 2), dilation=(1, 1, 1)"], volumes)
    indices = "x, 2, return_indices=True)[1]"
    yield from calls("max_pool3d", [indices], volumes[:2], differentiable=False)

    shapes: dict[int, list[tuple[int, ...]]] = {
        1: [(2, 5), (1, 2, 3), (1, 7)],
        2: [(1, 3, 4), (2, 1, 2, 5), (1, 5, 2)],
        3: [(1, 2, 3, 2), (1, 1, 3, 2, 2), (1, 3, 2, 2)],
    }
    for axes, each in shapes.items():
        sizes = ["x, 1", "x, 2", "x, 3", f"x, ({'None, ' * (axes - 1)}4,)"]
        yield from calls(f"adaptive_avg_pool{axes}d", sizes, over(*each))
        yield from calls(f"adaptive_max_pool{axes}d", sizes, over(*each))
        places = "x, 2, return_indices=True)[1]"
        yield from calls(f"adaptive_max_pool{axes}d", [places], over(each[0]), differentiable=False)
        norms = ["x, 2, 2", "x, 1, 2, 1", "x, 2.0, 2, ceil_mode=True", "x, 3, 1"]
        yield from calls(f"lp_pool{axes}d", norms, [
            {"x": np.abs(np.asarray(record["x"])) + 0.125} for record in over(*each)
        ][:5])  # fmt: skip
        yield from unpools(axes)


def unpools(axes: int) -> Iterator[Golden]:
    """max_unpool of all axes: every place is named once."""
    counts = (2,) * axes
    corner = np.indices(counts).reshape(axes, -1)

    def found(lengths: tuple[int, ...], step: int, lead: tuple[int, ...], seed: int) -> Any:
        shift = seed % 2
        places = np.ravel_multi_index(tuple(corner * step + shift), lengths)
        indices = np.broadcast_to(places.reshape(counts), (*lead, *counts))
        return {"x": coarse((*lead, *counts), seed=seed), "i": np.array(indices)}

    name = f"max_unpool{axes}d"
    for arguments, lengths, step in [
        ("x, i, 2", (4,) * axes, 2),
        ("x, i, 3, 2", (5,) * axes, 2),
        (f"x, i, 2, output_size=(5,{' 5,' * (axes - 1)})", (5,) * axes, 2),
        (f"x, i, 2, ({'3, ' * axes})", (5,) * axes, 3),
    ]:
        leads: list[tuple[int, ...]] = [(1,), (2,), (1, 1), (1, 2), (1,)]
        inputs = [found(lengths, step, lead, seed) for seed, lead in enumerate(leads)]
        yield from calls(name, [arguments], inputs)


# --- elements moved ------------------------------------------------------------------------


def moves() -> Iterator[Golden]:
    """fold, unfold, and channels exchanged with places."""
    images = over((1, 3, 4), (2, 1, 2, 3), (1, 1, 3, 2))
    windows = ["x, 2", "x, (1, 2), 1, 0, 2", "x, 2, 2, 1", "x, (2, 1), padding=(0, 1), stride=2"]
    yield from calls("unfold", windows, images)
    for arguments, columns in [
        ("x, (2, 3), 2", (4, 2)), ("x, (3, 4), (2, 2)", (4, 6)), ("x, 3, 2, 1, 1, 2", (4, 4)),
        ("x, (1, 5), (1, 2), stride=2", (2, 2)), ("x, (3, 2), 2, dilation=2, padding=1", (4, 6)),
    ]:  # fmt: skip
        yield from calls("fold", [arguments], over(columns, (1, *columns)))
    yield from calls("pixel_shuffle", ["x, 2"], over(*[(4, n, 2) for n in (1, 2)], (1, 4, 1, 2)))
    yield from calls("pixel_shuffle", ["x, 3", "x, 1"], over((9, 1, 2), (1, 9, 1, 1), (18, 1, 1)))
    yield from calls("pixel_shuffle", ["x, 2"], over((2, 8, 1, 1)))
    yield from calls("pixel_unshuffle", ["x, 2"], over((1, 2, 4), (1, 1, 4, 2), (2, 2, 2)))
    yield from calls("pixel_unshuffle", ["x, 3", "x, 1"], over((1, 3, 3), (1, 1, 3, 6), (1, 6, 3)))
    yield from calls("pixel_unshuffle", ["x, 2"], over((1, 2, 2, 2)))
    shuffled = over((1, 4, 2), (2, 4, 1), (1, 4, 1, 2), (1, 4, 3))
    yield from calls("channel_shuffle", ["x, 2", "x, 4", "x, 1"], shuffled)


# --- sampling ------------------------------------------------------------------------------

ALIGNED = ", align_corners=True"


def sampling() -> Iterator[Golden]:
    """interpolate, upsample, grid_sample, affine_grid."""
    signals, images = over((1, 1, 4), (1, 2, 3)), over((1, 1, 2, 3), (1, 1, 3, 3))
    volumes = over((1, 1, 1, 2, 2))
    for mode, inputs in [("linear", signals), ("bilinear", images), ("trilinear", volumes)]:
        for start in ("x, 4", "x, 2", "x, scale_factor=1.7"):
            for end in ("", ALIGNED):
                yield from calls("interpolate", [f"{start}, mode='{mode}'{end}"], inputs[:2])
    for end in ("", ALIGNED):
        cubic = [f"x, 4, mode='bicubic'{end}", f"x, scale_factor=0.7, mode='bicubic'{end}"]
        yield from calls("interpolate", cubic, images[:2])
    for mode in ("bilinear", "bicubic"):
        smooth = [f"x, 2, mode='{mode}', antialias=True"]
        yield from calls("interpolate", smooth, images[:2])
    for mode in ("nearest", "nearest-exact", "area"):
        for start in ("x, 5", "x, scale_factor=1.6"):
            yield from calls("interpolate", [f"{start}, mode='{mode}'"], signals[:2])
    again = "x, scale_factor=1.7, mode='linear', recompute_scale_factor=True"
    yield from calls("interpolate", [again], signals)
    doubled = ["x, 4", "x, scale_factor=2"]
    more = over((1, 1, 1, 2), (2, 1, 2, 1), (1, 2, 1, 1))
    yield from calls("upsample", [*doubled, "x, 3, None, 'bilinear', True"], [*images, *more][:7])
    yield from calls("upsample_nearest", [*doubled, "x, (1, 5)"], [*images, *more][:7])
    yield from calls("upsample_bilinear", [*doubled, "x, (1, 5)"], [*images, *more][:7])

    maps = records({"t": (1, 2, 3)}, {"t": (1, 2, 3)}, seed=3)
    for size in ("(1, 1, 2, 2)", "(1, 3, 1, 4)", "(1, 1, 2, 3)", "(1, 2, 1, 1)"):
        yield from calls("affine_grid", [f"t, {size}", f"t, {size}{ALIGNED}"], maps)
    solids = records({"t": (1, 3, 4)}, {"t": (1, 3, 4)}, seed=5)
    yield from calls("affine_grid", ["t, (1, 1, 1, 2, 2)", f"t, (1, 1, 2, 1, 1){ALIGNED}"], solids)
    planes = records({"x": (1, 1, 3, 3), "g": (1, 1, 2, 2)}, {"x": (1, 2, 2, 3), "g": (1, 1, 1, 2)})
    for mode in ("bilinear", "nearest", "bicubic"):
        for beyond in ("zeros", "border", "reflection"):
            call = f"x, g, mode='{mode}', padding_mode='{beyond}'"
            yield from calls("grid_sample", [f"{call}, align_corners=False"], planes)
            if mode != "nearest":
                yield from calls("grid_sample", [call + ALIGNED], planes[:1])
    deep = records({"x": (1, 1, 2, 2, 2), "g": (1, 1, 1, 1, 3)})
    yield from calls("grid_sample", ["x, g, align_corners=False", f"x, g{ALIGNED}"], deep)


# --- layers --------------------------------------------------------------------------------


def layers() -> Iterator[Golden]:
    """glu, rrelu, dropouts that drop nothing or all, normalisation, bilinear, embedding_bag."""
    rows = over((4,), (2, 4), (2, 2, 2), (4, 1, 2))
    yield from calls("glu", ["x", "x, 0"], rows[:3] + rows[4:7])
    yield from calls("glu", ["x, -1"], over((2,), (6,), (0, 2), (1, 1, 4)))
    yield from calls("rrelu", ["x", "x, 0.25, 0.5", "x, 0.5, 0.5, True"], rows)
    channels = over((1, 2, 2), (2, 3, 1), (1, 1, 4))
    kept = ["x, 0.5, False", "x, 0.0, True", "x, p=1.0, training=True", "x, training=False"]
    for name in ("dropout", "dropout1d", "dropout2d", "alpha_dropout", "feature_alpha_dropout"):
        yield from calls(name, kept, channels)
    yield from calls("dropout3d", kept, over((1, 2, 2, 1), (2, 1, 1, 1, 2), (1, 2, 1, 1, 1)))

    rounding: dict[str, Any] = {
        "atol": 1e-12, "reason": "what is left of values that are nearly equal is their error",
    }  # fmt: skip
    signals = over((1, 2, 3), (2, 1, 4), (1, 1, 2, 2))
    yield from calls("instance_norm", ["x", "x, eps=0.5", "x, momentum=0.5"], signals, **rounding)
    scaled = records(*({"x": (n, 2, 2), "w": (2,), "b": (2,)} for n in (1, 2)))
    yield from calls("instance_norm", ["x, weight=w, bias=b", "x, None, None, w, b"], scaled)
    yield from calls("rms_norm", ["x, (2,)", "x, [2], eps=0.5"], over((2,), (3, 2), (1, 1, 2)))
    weighed = records(*({"x": (*lead, 2), "w": (2,)} for lead in [(), (1,), (2,), (2, 1)]))
    yield from calls("rms_norm", ["x, (2,), w", "x, (2,), w, 0.25"], weighed)
    around = ["x, 2", "x, 3, 0.5, 1", "x, 1, alpha=1, k=2", "x, 4, 0.25, 0.5, 0.5"]
    yield from calls("local_response_norm", around, over((1, 3, 1), (1, 2, 2), (1, 4, 1, 1))[:5])

    pairs = records(*(
        {"x": (*lead, 2), "y": (*lead, 1), "w": (out, 2, 1)}
        for lead in [(), (1,), (2,), (1, 2)] for out in (1, 2)
    ))  # fmt: skip
    yield from calls(
        "bilinear", ["x, y, w"], pairs + records(*[{"x": (3,), "y": (2,), "w": (1, 3, 2)}])
    )
    biased = records(*(
        {"x": (*lead, 1), "y": (*lead, 2), "w": (out, 1, 2), "b": (out,)}
        for lead in [(), (1,), (2,), (0,), (1, 1), (3,)] for out in (1, 2)
    ))  # fmt: skip
    yield from calls("bilinear", ["x, y, w, b"], biased)

    def bags(*indices: Any) -> Records:
        return [{"i": np.asarray(each), "w": coarse((4, 2), seed=3)} for each in indices]

    matrices = bags([[0, 2], [3, 3]], [[1]], [[0, 1, 2]], [[2, 2, 0], [1, 3, 1]])
    for mode in ("sum", "mean", "max"):
        yield from calls("embedding_bag", [f"i, w, mode='{mode}'"], matrices)
        rest = f"mode='{mode}', padding_idx=1"
        yield from calls(
            "embedding_bag", [f"i, w, torch.tensor([0, 0, 2]), {rest}"], bags([1, 0, 3])
        )
        yield from calls("embedding_bag", [f"i, w, {rest}"], matrices[:2])
    last = "i, w, torch.tensor([0, 2, 3]), include_last_offset=True"
    yield from calls("embedding_bag", [last], bags([1, 0, 3]))
    each = [
        record | {"a": coarse(np.asarray(record["i"]).shape, seed=8)} for record in matrices[:2]
    ]
    yield from calls("embedding_bag", ["i, w, mode='sum', per_sample_weights=a"], each)


def attention() -> Iterator[Golden]:
    """multi_head_attention_forward."""
    name = "multi_head_attention_forward"
    base: Shapes = {"w": (6, 2), "b": (6,), "o": (2, 2), "c": (2,)}
    shapes = [base | {"x": lead} for lead in [(2, 2), (2, 1, 2), (1, 2, 2)]]
    start = "x, x, x, 2, {}, w, b, None, None, {}, 0.0, o, c"
    settings = [
        (2, False, ""), (1, True, ""), (2, False, ", need_weights=False"),
        (2, False, ", average_attn_weights=False"), (1, False, ", True"), (2, True, ", False"),
    ]  # fmt: skip
    for place, (heads, zeros, more) in enumerate(settings):
        yield from calls(
            name, [f"{start.format(heads, zeros)}{more})[0]"], records(*shapes, seed=place)
        )
    yield from calls(name, [f"{start.format(2, False)})[1]"], records(*shapes, seed=9))


# --- losses --------------------------------------------------------------------------------


def losses() -> Iterator[Golden]:
    """Losses between classes, of pairs and of sequences."""
    ways = ("mean", "sum", "none")
    classes = [np.array([0, 2]), np.array([1]), np.array([2, 2, 0])]
    scored: Records = [{"x": coarse((len(y), 3), seed=len(y)), "y": y} for y in classes]
    for way in ways:
        end = f", reduction='{way}'"
        yield from calls("multi_margin_loss", [f"x, y{end}", f"x, y, 2, 0.5{end}"], scored)
    single: Records = [{"x": coarse((3,)), "y": np.array(1)}]
    yield from calls("multi_margin_loss", ["x, y", "x, y, margin=2"], single)
    listed: list[Any] = [[[2, 0, -1]], [[1, -1, 2], [0, 1, 2]], [[-1, 0, 1]], [0, -1, 1]]
    labels: Records = [{"x": coarse(np.shape(y), seed=4), "y": np.array(y)} for y in listed]
    yield from calls("multilabel_margin_loss", [f"x, y, reduction='{way}'" for way in ways], labels)
    wide: Records = [{"x": coarse((n, 2), seed=n), "y": np.zeros((n, 2), int)} for n in range(1, 9)]
    yield from calls("multilabel_margin_loss", ["x, y"], wide)

    given: list[Any] = [1, [1, -1], [[1], [-1]], [-1, -1, 1], [[1, -1]], [-1], [[1]]]
    signs: Records = [
        {"x": coarse(np.shape(y), seed=place), "y": np.array(y)} for place, y in enumerate(given)
    ]
    yield from calls("soft_margin_loss", [f"x, y, reduction='{way}'" for way in ways], signs)
    truths: Records = [each | {"y": (np.asarray(each["y"]) + 1) // 2} for each in signs]
    name = "multilabel_soft_margin_loss"
    yield from calls(name, [f"x, y, reduction='{way}'" for way in ways], truths[1:])
    yield from calls(name, ["x, y, torch.tensor([0.5, 2.0])"], [truths[1], truths[4]])
    triples = records(*({"a": s, "p": s, "n": s} for s in [(2,), (1, 2), (2, 1), (2, 2)]))
    spaced = ["margin=3.0", "swap=True, margin=2.0", "reduction='sum'", "reduction='none'"]
    name = "triplet_margin_with_distance_loss"
    yield from calls(name, [f"a, p, n, {each}" for each in [*spaced, "margin=4"]], triples)

    name = "linear_cross_entropy"
    for way in ways:
        plain: Records = [each | records({"w": (2, 3)}, seed=6)[0] for each in scored]
        chosen: Records = [each | {"y": np.asarray(each["y"]) % 2} for each in plain]
        yield from calls(name, [f"x, w, y, reduction='{way}'"], chosen)
        biased: Records = [each | {"b": coarse((2,), seed=2)} for each in chosen]
        yield from calls(
            name, [f"x, w, y, linear_bias=b, label_smoothing=0.25, reduction='{way}'"], biased
        )
    yield from calls(name, ["x, w, y, ignore_index=1"], chosen[:1] + chosen[2:])
    yield from sequences()

    points = over((2, 2), (3, 1), (3, 2), (1, 2))
    powers = ["x", "x, 1", "x, p=3", "x, p=torch.inf"]
    yield from calls("pdist", powers, points[:6])


def sequences() -> Iterator[Golden]:
    """ctc_loss; by scores, as PyTorch's gradient by logarithms is that by scores."""
    scores = [coarse((steps, 1, 3), seed=steps) for steps in (1, 2, 3, 4)]
    logs = "x.log_softmax(2)"
    for targets in ("[[1]]", "[[2, 1]]", "[[1, 1]]"):
        count = targets.count(",") + 1
        for way in ("mean", "sum", "none"):
            for x in islice(scores, count + targets.count("1, 1"), 4):
                lengths = f"({len(x)},), ({count},)"
                given = f"{logs}, torch.tensor({targets}), {lengths}, reduction='{way}'"
                yield from calls("ctc_loss", [given], [{"x": x}])
    both = f"{logs}, torch.tensor([[1, 2], [2, 0]]), (3, 2), (2, 1)"
    pair: Records = [{"x": coarse((3, 2, 3), seed=9)}]
    yield from calls("ctc_loss", [both, f"{both}, 0, 'sum', True"], pair)


def goldens() -> Iterator[Golden]:
    """Every function of images, sampling and classes."""
    yield from convolutions()
    yield from pools()
    yield from moves()
    yield from sampling()
    yield from layers()
    yield from attention()
    yield from losses()
