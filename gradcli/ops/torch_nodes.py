"""What PyTorch calls the node of its graph that a function leaves behind: `grad_fn=<…>`.

It is the function's name in capitals for most, as `MulBackward0`; the tables below have the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gradcli.graph import EMPTY, Node
from gradcli.ops.control import BIND
from gradcli.ops.custom import Custom
from gradcli.ops.indexing import INDEX
from gradcli.ops.shaping import RESHAPE, SLICE


class CallOfFunction(NamedTuple):
    """The call of a function that made a node."""

    name: str
    """Or that of the node itself, for what is no function."""
    arguments: Sequence[Any]
    keywords: Mapping[str, Any]


def _named(pattern: str, names: Mapping[str, str]) -> dict[str, str]:
    """By function, what is written in the place of `{}`."""
    return {each: pattern.format(of) for of, named in names.items() for each in named.split()}


_NAMED = {
    "square": "PowBackward0", "logsigmoid": "LogSigmoidBackward0", "log_sigmoid":
    "LogSigmoidBackward0", "clamp": "ClampBackward1", "clip": "ClampBackward1",
    "smooth_l1_loss": "SmoothL1LossBackward0",
    "reshape": "ViewBackward0", "flatten": "ViewBackward0",
    "view": "ViewBackward0", "reshape_as": "ViewBackward0", "T": "PermuteBackward0",
    "outer": "MulBackward0", "dropout": "MulBackward0", "normalize": "DivBackward0",
    "layer_norm": "NativeLayerNormBackward0", "batch_norm": "NativeBatchNormBackward0",
    "group_norm": "NativeGroupNormBackward0",
    "vector_norm": "LinalgVectorNormBackward0", "inv": "LinalgInvExBackward0",
    "inverse": "LinalgInvExBackward0", "det": "LinalgDetBackward0", "cross":
    "LinalgCrossBackward0", "floor_divide": "NotImplemented", "heaviside": "NotImplemented",
    "max_pool2d": "MaxPool2DWithIndicesBackward0",
    "amax": "AmaxBackward0", "chunk": "SplitBackward0", "float": "ToCopyBackward0",
    "double": "ToCopyBackward0", "to": "ToCopyBackward0", "cosine_similarity": "SumBackward1",
    "softmin": "SoftmaxBackward0", "clone": "CloneBackward0", "cholesky":
    "LinalgCholeskyExBackward0", "overwritten": "CopySlices",
    "overwritten_by_places": "IndexPutBackward0", "overwritten_as_a_whole": "CopyBackwards",
    "F.unfold": "Im2ColBackward0", "cond": "SqueezeBackward1",
    "pairwise_distance": "NormBackward1", "quantile": "SqueezeBackward4", "nanquantile":
    "SqueezeBackward4", "ndtr": "MulBackward1",
    "corrcoef": "ClampBackward1", "kron": "UnsafeViewBackward0",
    **_named("{}Backward0", {
        "Add": "alpha_dropout feature_alpha_dropout",
        "AffineGridGenerator": "affine_grid", "Cat": "column_stack dstack gradient hstack vstack",
        "Col2Im": "fold",
        "Convolution": "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d",
        "DiagEmbed": "diagflat", "Div": "local_response_norm nanmean softsign", "Elu": "selu",
        "Expand": "broadcast_tensors broadcast_to expand_as meshgrid",
        "Flip": "fliplr flipud vander",
        "Gather": "take_along_dim", "Hardtanh": "relu6", "MaxPool3DWithIndices": "max_pool3d",
        "Mean": "multilabel_soft_margin_loss",
        "Mul": "dropout2d rms_norm", "Permute": "moveaxis movedim",
        "Pow": "float_power lp_pool1d lp_pool2d lp_pool3d", "PreluKernel": "prelu",
        "Repeat": "tile", "RreluWithNoise": "rrelu",
        "Slice": "dsplit hsplit narrow tensor_split vsplit", "Sort": "msort", "Squeeze": "cov",
        "Stack": "cartesian_prod combinations", "Sub": "diff tanhshrink", "Transpose": "mT H mH",
        "Unsqueeze": "atleast_2d atleast_3d", "UpsampleBilinear2D": "upsample_bilinear",
        "View": "atleast_1d inner instance_norm multi_dot ravel repeat_interleave tensordot "
        "tensorsolve unflatten",
        "Where": "logdet",
    }),
    **_named("SqueezeBackward1", {
        "": "adaptive_avg_pool1d adaptive_max_pool1d avg_pool1d max_pool1d",
    }),
    **_named("Linalg{}Backward0", {
        "Eigh": "eigh eigvalsh", "HouseholderProduct": "householder_product", "InvEx": "inv_ex",
        "LuFactorEx": "lu_factor lu_factor_ex", "MatrixExp": "matrix_exp", "Pinv": "pinv",
        "Lstsq": "lstsq", "Qr": "qr", "Slogdet": "slogdet", "SolveEx": "solve solve_ex",
        "SolveTriangular": "solve_triangular", "Svd": "svd svdvals",
    }),
    **_named("Special{}Backward0", {
        "I0E": "i0e", "I1": "i1", "I1E": "i1e", "Entr": "entr", "Erfcx": "erfcx",
        "LogNdtr": "log_ndtr", "Ndtri": "ndtri", "Xlog1Py": "xlog1py",
    }),
}  # fmt: skip
"""By function or op."""


def torch_node(node: Node, called: CallOfFunction | None) -> str:
    """The name of PyTorch's node for a node that `called` has made, or an operator."""
    if isinstance(node.op, Custom):
        return f"{node.op.name}Backward"
    whole = called.name if called else node.op.name
    name = whole if whole in _NAMED else whole.rpartition(".")[2]
    if called is None and name in _BY_OP:
        return _BY_OP[name](node)
    if called is not None and name in _BY_CALL:
        return _BY_CALL[name](called)
    return _NAMED.get(name) or (name if "Backward" in name else f"{_capitals(name)}Backward0")


def as_called(node: Node) -> CallOfFunction:
    """The call of the function that a node's op has its name from."""
    return CallOfFunction(node.op.name, node.inputs, EMPTY)


def _capitals(name: str) -> str:
    words = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    return re.sub(r"\d[a-z]", lambda found: found[0].upper(), words)


# --- by the operands of an operator -------------------------------------------------------------


def _is_number(node: Node) -> bool:
    if node.op.name == "neg":  # -1 is an operator before 1
        (node,) = node.inputs
    return not node.shape and node.known is not None


def _difference(node: Node) -> str:
    return "RsubBackward1" if _is_number(node.inputs[0]) else "SubBackward0"


def _quotient(node: Node) -> str:
    return "MulBackward0" if _is_number(node.inputs[0]) else "DivBackward0"


def _power(node: Node) -> str:
    base, exponent = node.inputs
    return f"PowBackward{0 if _is_number(exponent) else 2 if _is_number(base) else 1}"


def _product(node: Node) -> str:
    return _product_of(*(operand.ndim for operand in node.inputs[:2]))


def _product_of(left: int, right: int) -> str:
    names = {(1, 1): "Dot", (2, 1): "Mv", (2, 2): "Mm"}
    if (left, right) == (1, 2):
        return "SqueezeBackward4"
    if left == 2 and right > 2:
        return "CloneBackward0"
    return f"{names.get((left, right), 'UnsafeView')}Backward0"


def _view(node: Node) -> str:
    """Of a part of a tensor, by which it was chosen: untagged, it stood in brackets."""
    below = node.inputs[0]
    if below.op is SLICE or below.op is RESHAPE or node.ndim < below.ndim:
        return "SelectBackward0"
    return "UnsqueezeBackward0" if node.ndim > below.ndim else "ViewBackward0"


_BY_OP: dict[str, Callable[[Node], str]] = {
    "sub": _difference, "div": _quotient, "pow": _power, "matmul": _product,
    RESHAPE.name: _view, BIND.name: lambda _: "CloneBackward0",
    INDEX.name: lambda _: "IndexBackward0",
}  # fmt: skip


# --- by the arguments of a call -----------------------------------------------------------------


def _along(called: CallOfFunction) -> bool:
    """Whether an axis is given."""
    return len(called.arguments) > 1 or not {"dim", "axis"}.isdisjoint(called.keywords)


def _reduced(name: str) -> Callable[[CallOfFunction], str]:
    return lambda called: f"{name}Backward{int(_along(called))}"


def _extreme(name: str, elementwise: str) -> Callable[[CallOfFunction], str]:
    def of(called: CallOfFunction) -> str:
        if not _along(called) and "other" not in called.keywords:
            return f"{name}Backward1"
        other = called.keywords.get("other", None)
        second = called.arguments[1] if len(called.arguments) > 1 else other
        is_tensor = isinstance(second, Node) and not _is_number(second)
        return f"{elementwise}Backward0" if is_tensor else f"{name}Backward0"

    return of


def _rank(called: CallOfFunction, place: int, name: str) -> int:
    """The number of axes of an argument."""
    given = called.arguments[place] if len(called.arguments) > place else called.keywords.get(name)
    return given.ndim if isinstance(given, Node) else 0


def _linear(called: CallOfFunction) -> str:
    with_bias, without = {
        1: ("View", "SqueezeBackward4"), 2: ("Addmm", "Mm"),
    }.get(_rank(called, 0, "input"), ("View", "UnsafeView"))  # fmt: skip
    return _whole(with_bias if _rank(called, 2, "bias") > 0 else without)


def _power_of(called: CallOfFunction) -> str:
    given = [*called.arguments, *called.keywords.values()]
    numbers = [not isinstance(each, Node) or _is_number(each) for each in given]
    return f"PowBackward{2 if numbers[0] else 0 if numbers[-1] else 1}"


def _difference_of(called: CallOfFunction) -> str:
    first = called.arguments[0] if called.arguments else None
    return "RsubBackward1" if isinstance(first, Node) and _is_number(first) else "SubBackward0"


def _given(called: CallOfFunction, place: int, name: str) -> Any:
    """An argument by its place or name; None where it is not given."""
    return called.arguments[place] if len(called.arguments) > place else called.keywords.get(name)


def _padded(called: CallOfFunction) -> str:
    kinds = {"reflect": "Reflection", "replicate": "Replication"}
    mode = _given(called, 2, "mode")
    if mode == "circular":
        return "CopySlices"
    kind = kinds.get(mode)
    sides = _given(called, 1, "pad")
    if kind is None or not isinstance(sides, Sequence):
        return "ConstantPadNdBackward0"
    return f"{kind}Pad{len(sides) // 2}DBackward0"


_RESIZED = {"nearest": "Nearest", "nearest-exact": "NearestExact", "linear": "Linear",
            "bilinear": "Bilinear", "bicubic": "Bicubic", "trilinear": "Trilinear"}  # fmt: skip


def _resized(called: CallOfFunction) -> str:
    axes = _rank(called, 0, "input") - 2
    mode = _given(called, 3, "mode") or "nearest"
    if mode not in _RESIZED:
        return f"AdaptiveAvgPool{axes}DBackward0"
    smooth = "Aa" if _given(called, 6, "antialias") not in (None, False) else ""
    return f"Upsample{_RESIZED[mode]}{axes}D{smooth}Backward0"


def _cross_entropy(called: CallOfFunction) -> str:
    target = _given(called, 1, "target")
    if isinstance(target, Node) and target.kind == "float":
        return "DivBackward1"
    smoothing = called.keywords.get("label_smoothing")
    if smoothing is not None and smoothing != 0:
        return "AddBackward0"
    return _nll_loss(called)


def _nll_loss(called: CallOfFunction) -> str:
    """Of rows, or of rows for each of some places, which are put into two axes."""
    rank = _rank(called, 0, "input")
    if rank > 2 and rank != 4 and called.keywords.get("reduction") == "none":
        return "ViewBackward0"
    return "NllLoss2DBackward0" if rank > 2 else "NllLossBackward0"


def _loss(each: str) -> Callable[[CallOfFunction], str]:
    """For losses that are computed one by one, by the op `each`, and then reduced."""
    names = {"none": each, "sum": "Sum", "batchmean": "Div"}
    return lambda called: f"{names.get(called.keywords.get('reduction', ''), 'Mean')}Backward0"


def _by_second(name: str, place: int = 1) -> Callable[[CallOfFunction], str]:
    """For functions with a number or a tensor there."""

    def of(called: CallOfFunction) -> str:
        given = [*called.arguments, *called.keywords.values()]
        is_tensor = len(given) > place and isinstance(given[place], Node)
        return f"{name}Backward{int(is_tensor and not _is_number(given[place]))}"

    return of


def _rounded(called: CallOfFunction) -> str:
    return f"RoundBackward{int(_given(called, 1, 'decimals') is not None)}"


def _is_tensor(called: CallOfFunction, place: int, name: str) -> bool:
    given = _given(called, place, name)
    return isinstance(given, Node) and not _is_number(given)


def _numbers(value: Any) -> list[Any]:
    """The numbers of an argument that is one, or a list or tuple of them."""
    if isinstance(value, Node):
        if value.known is None:  # -1 is an operator before 1
            return [-each for operand in value.inputs for each in _numbers(operand)]
        return value.known.ravel().tolist()
    if isinstance(value, Sequence):
        return [number for each in value for number in _numbers(each)]
    return [value]


def _norm(called: CallOfFunction) -> str:
    order = _given(called, 1, "ord")
    order = called.keywords.get("p") if order is None else order
    if order == "nuc":
        return "SumBackward1"
    of_rows = called.name.endswith("matrix_norm")
    if called.name == "linalg.norm":
        of_rows = _rank(called, 0, "input") == 2 and called.keywords.get("dim") is None
    if not of_rows or order is None or isinstance(order, str):
        return "LinalgVectorNormBackward0"
    return "AminBackward0" if min(_numbers(order), default=0) < 0 else "AmaxBackward0"


def _summed(called: CallOfFunction) -> str:
    """Of `einsum`: one operand is turned or summed, several are multiplied."""
    equation = "".join(str(called.arguments[0]).split())
    before, has_result, result = equation.partition("->")
    labels = {each for each in before if each.isalpha()}
    if not has_result:
        result = "".join(each for each in labels if before.count(each) == 1)
    keeps_all = labels <= {*result}
    if "," not in before:
        return "PermuteBackward0" if keeps_all else "SumBackward1"
    return "MulBackward0" if keeps_all else "ViewBackward0"


def _split(called: CallOfFunction) -> str:
    size = _given(called, 1, "split_size_or_sections")
    is_one = isinstance(size, Node | int) and not getattr(size, "shape", ())
    return "SplitBackward0" if is_one else "SplitWithSizesBackward0"


def _matrix_power(called: CallOfFunction) -> str:
    names = {0: "CopyBackwards", 1: "CloneBackward0", -1: "LinalgInvExBackward0"}
    number = min(_numbers(_given(called, 1, "n")), default=2)
    product = "MmBackward0" if _rank(called, 0, "input") == 2 else "UnsafeViewBackward0"
    return names.get(number, product)


def _to_size(axes: int) -> Callable[[CallOfFunction], str]:
    """Of adaptive means: of all that there is, it is a plain mean."""

    def of(called: CallOfFunction) -> str:
        is_whole = {*_numbers(_given(called, 1, "output_size"))} == {1}
        return "MeanBackward1" if is_whole else f"AdaptiveAvgPool{axes}DBackward0"

    return of


def _by_argument(place: int, name: str, absent: str, given: str) -> Callable[[CallOfFunction], str]:
    """By whether an argument is given."""
    return lambda called: _whole(absent if _given(called, place, name) is None else given)


def _by_rank(names: Mapping[int, str], other: str) -> Callable[[CallOfFunction], str]:
    """By the number of axes of the first operand."""
    return lambda called: names.get(_rank(called, 0, "input"), other)


def _whole(name: str) -> str:
    return name if "Backward" in name else f"{name}Backward0"


def _sampled(called: CallOfFunction) -> str:
    return f"GridSampler{_rank(called, 0, 'input') - 2}DBackward0"


def _convolved(called: CallOfFunction) -> str:
    """An input without a batch is one for a moment: what takes it away again is the last node."""
    has_batch = _rank(called, 0, "input") == _rank(called, 1, "weight")
    return "ConvolutionBackward0" if has_batch else "SqueezeBackward1"


_CONVOLUTIONS = tuple(f"conv{way}{n}d" for way in ("", "_transpose") for n in (1, 2, 3))
_BY_CALL: dict[str, Callable[[CallOfFunction], str]] = {
    **dict.fromkeys(_CONVOLUTIONS, _convolved),
    "sum": _reduced("Sum"), "mean": _reduced("Mean"), "prod": _reduced("Prod"),
    "max": _extreme("Max", "Maximum"), "min": _extreme("Min", "Minimum"),
    "squeeze": _reduced("Squeeze"), "linear": _linear, "pow": _power_of, "sub": _difference_of,
    "matmul": lambda called: _product_of(_rank(called, 0, "input"), _rank(called, 1, "other")),
    "mm": lambda _: "MmBackward0", "pad": _padded, "interpolate": _resized,
    "upsample": _resized, "upsample_nearest": _resized,
    "cross_entropy": _cross_entropy, "nll_loss": _nll_loss, "round": _rounded,
    "l1_loss": _loss("Abs"), "kl_div": _loss("Sub"),
    "lerp": _by_second("Lerp", 2), "clamp_min": _by_second("ClampMin"),
    "clamp_max": _by_second("ClampMax"), "remainder": _by_second("Remainder"),
    "fmod": _by_second("Fmod"), "grid_sample": _sampled,
    "median": _reduced("Median"), "nanmedian": _reduced("Nanmedian"), "norm": _norm,
    "matrix_norm": _norm, "einsum": _summed, "split": _split, "matrix_power": _matrix_power,
    "masked_fill": _by_second("MaskedFill", 2), "index_fill": _by_second("IndexFill", 3),
    "rsub": lambda called: f"RsubBackward{int(not _is_tensor(called, 1, 'other'))}",
    "scatter": lambda called: f"ScatterBackward{int(not _is_tensor(called, 3, 'src'))}",
    "adaptive_avg_pool2d": _to_size(2), "adaptive_avg_pool3d": _to_size(3),
    "bilinear": _by_argument(3, "bias", "View", "Add"),
    "trapezoid": _by_argument(1, "x", "MulBackward1", "DivBackward1"),
    "cumulative_trapezoid": _by_argument(1, "x", "Cumsum", "DivBackward1"),
    "div": _by_argument(2, "rounding_mode", "Div", "DivBackward2"),
    "diag": _by_rank({1: "DiagEmbedBackward0"}, "DiagonalBackward0_copy"),
    "dropout1d": _by_rank({2: "SqueezeBackward1"}, "MulBackward0"),
    "dropout3d": _by_rank({4: "SqueezeBackward1"}, "MulBackward0"),
    "vecdot": _by_rank({1: "VdotBackward0"}, "SumBackward1"),
    "scaled_dot_product_attention": _by_rank(
        {4: "ScaledDotProductFlashAttentionForCpuBackward0"}, "UnsafeViewBackward0"
    ),
    "hinge_embedding_loss": _loss("Add"), "cosine_embedding_loss": _loss("Add"),
    "margin_ranking_loss": _loss("ClampMin"), "triplet_margin_loss": _loss("ClampMin"),
    "triplet_margin_with_distance_loss": _loss("ClampMin"), "poisson_nll_loss": _loss("Sub"),
    "gaussian_nll_loss": _loss("Mul"),
}  # fmt: skip
