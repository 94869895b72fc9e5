"""`torch.nn`: layers without parameters, and losses: each is a function with options. Options of
layers with parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, NamedTuple


class Option(Enum):
    """What an option is where it is not given, and no value says it."""

    NEEDED = auto()
    KERNEL = auto()
    """The same as `kernel_size`."""


class Plain(NamedTuple):
    """A layer without parameters: a function, and its options as PyTorch's class has them."""

    function: str
    options: Mapping[str, Any] = {}
    """By name, in order, what each is where it is not given."""
    shown: tuple[str, ...] = ()
    """What stands in the parentheses of the printed layer."""
    unnamed: tuple[str, ...] = ()
    """What of it stands there without its name."""
    passed: tuple[str, ...] = ()
    """Options whose defaults are not those of the function."""
    axes: int = 0
    """How many numbers each option has that is shown, where that may be given as one."""


NEEDED, KERNEL = Option.NEEDED, Option.KERNEL
_IN_PLACE = {"inplace": False}
_MEAN = {"size_average": None, "reduce": None, "reduction": "mean"}
_WEIGHTED = {"weight": None, **_MEAN}
_CLASSES = {"weight": None, "size_average": None, "ignore_index": -100, "reduce": None,
            "reduction": "mean"}  # fmt: skip
_MAX = {"kernel_size": NEEDED, "stride": KERNEL, "padding": 0, "dilation": 1,
        "return_indices": False, "ceil_mode": False}  # fmt: skip
_AVERAGE = {"kernel_size": NEEDED, "stride": KERNEL, "padding": 0, "ceil_mode": False,
            "count_include_pad": True}  # fmt: skip
_UNPOOL = {"kernel_size": NEEDED, "stride": KERNEL, "padding": 0}
_DIVIDED = {**_AVERAGE, "divisor_override": None}
_POWER = {"norm_type": NEEDED, "kernel_size": NEEDED, "stride": None, "ceil_mode": False}
_LARGEST = {"output_size": NEEDED, "return_indices": False}
_PATCHES = {"kernel_size": NEEDED, "dilation": 1, "padding": 0, "stride": 1}
_MAX_SHOWN = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
_AVERAGE_SHOWN = ("kernel_size", "stride", "padding")
SCALED = ("scale_factor", "size", "mode")
"""Of which the first or the second is shown."""
PLAIN = {
    # activations
    "Identity": Plain(""),
    "ReLU": Plain("relu", _IN_PLACE), "ReLU6": Plain("relu6", _IN_PLACE),
    "SiLU": Plain("silu", _IN_PLACE), "SELU": Plain("selu", _IN_PLACE),
    "Mish": Plain("mish", _IN_PLACE), "Hardswish": Plain("hardswish", _IN_PLACE),
    "Hardsigmoid": Plain("hardsigmoid", _IN_PLACE),
    "Sigmoid": Plain("sigmoid"), "Tanh": Plain("tanh"), "Softsign": Plain("softsign"),
    "LogSigmoid": Plain("logsigmoid"), "Tanhshrink": Plain("tanhshrink"),
    "GELU": Plain("gelu", {"approximate": "none"}, ("approximate",)),
    "ELU": Plain("elu", {"alpha": 1.0, **_IN_PLACE}, ("alpha",)),
    "CELU": Plain("celu", {"alpha": 1.0, **_IN_PLACE}, ("alpha",)),
    "Hardtanh": Plain(
        "hardtanh", {"min_val": -1.0, "max_val": 1.0, **_IN_PLACE}, ("min_val", "max_val")),
    "LeakyReLU": Plain("leaky_relu", {"negative_slope": 0.01, **_IN_PLACE}, ("negative_slope",)),
    "Softplus": Plain("softplus", {"beta": 1.0, "threshold": 20.0}, ("beta", "threshold")),
    "Softshrink": Plain("softshrink", {"lambd": 0.5}, ("lambd",), ("lambd",)),
    "Hardshrink": Plain("hardshrink", {"lambd": 0.5}, ("lambd",), ("lambd",)),
    "Threshold": Plain(
        "threshold", {"threshold": NEEDED, "value": NEEDED, **_IN_PLACE}, ("threshold", "value")),
    "Softmax": Plain("F.softmax", {"dim": None}, ("dim",)),
    "LogSoftmax": Plain("F.log_softmax", {"dim": None}, ("dim",)),
    "Softmin": Plain("F.softmin", {"dim": None}, ("dim",)),
    "Softmax2d": Plain("softmax", {"dim": -3}, passed=("dim",)),
    "GLU": Plain("glu", {"dim": -1}, ("dim",)),
    # shapes
    "Flatten": Plain("flatten", {"start_dim": 1, "end_dim": -1}, ("start_dim", "end_dim"),
                     passed=("start_dim",)),
    "PixelShuffle": Plain("pixel_shuffle", {"upscale_factor": NEEDED}, ("upscale_factor",)),
    "PixelUnshuffle": Plain(
        "pixel_unshuffle", {"downscale_factor": NEEDED}, ("downscale_factor",)),
    "ChannelShuffle": Plain("channel_shuffle", {"groups": NEEDED}, ("groups",)),
    "Unfold": Plain("F.unfold", _PATCHES, tuple(_PATCHES)),
    "Fold": Plain(
        "fold", {"output_size": NEEDED, **_PATCHES}, ("output_size", *_PATCHES)),
    "Upsample": Plain("interpolate", {
        "size": None, "scale_factor": None, "mode": "nearest", "align_corners": None,
        "recompute_scale_factor": None}, SCALED),
    "UpsamplingNearest2d": Plain(
        "interpolate", {"size": None, "scale_factor": None, "mode": "nearest"}, SCALED),
    "UpsamplingBilinear2d": Plain("interpolate", {
        "size": None, "scale_factor": None, "mode": "bilinear", "align_corners": True},
        SCALED, passed=("mode", "align_corners")),
    # pools
    "MaxPool1d": Plain("max_pool1d", _MAX, _MAX_SHOWN),
    "MaxPool2d": Plain("max_pool2d", _MAX, _MAX_SHOWN),
    "MaxPool3d": Plain("max_pool3d", _MAX, _MAX_SHOWN),
    "AvgPool1d": Plain("avg_pool1d", _AVERAGE, _AVERAGE_SHOWN, axes=1),
    "AvgPool2d": Plain("avg_pool2d", _DIVIDED, _AVERAGE_SHOWN),
    "AvgPool3d": Plain("avg_pool3d", _DIVIDED, _AVERAGE_SHOWN),
    **{f"MaxUnpool{axes}d": Plain(f"max_unpool{axes}d", _UNPOOL, _AVERAGE_SHOWN, axes=axes)
       for axes in (1, 2, 3)},
    "LPPool1d": Plain("lp_pool1d", _POWER, tuple(_POWER)),
    "LPPool2d": Plain("lp_pool2d", _POWER, tuple(_POWER)),
    "LPPool3d": Plain("lp_pool3d", _POWER, tuple(_POWER)),
    "AdaptiveAvgPool1d": Plain("adaptive_avg_pool1d", {"output_size": NEEDED}, ("output_size",)),
    "AdaptiveAvgPool2d": Plain("adaptive_avg_pool2d", {"output_size": NEEDED}, ("output_size",)),
    "AdaptiveAvgPool3d": Plain("adaptive_avg_pool3d", {"output_size": NEEDED}, ("output_size",)),
    "AdaptiveMaxPool1d": Plain("adaptive_max_pool1d", _LARGEST, ("output_size",)),
    "AdaptiveMaxPool2d": Plain("adaptive_max_pool2d", _LARGEST, ("output_size",)),
    "AdaptiveMaxPool3d": Plain("adaptive_max_pool3d", _LARGEST, ("output_size",)),
    "LocalResponseNorm": Plain(
        "local_response_norm", {"size": NEEDED, "alpha": 1e-4, "beta": 0.75, "k": 1.0},
        ("size", "alpha", "beta", "k"), ("size",)),
    # losses and distances
    "MSELoss": Plain("mse_loss", _MEAN), "L1Loss": Plain("l1_loss", _MEAN),
    "SmoothL1Loss": Plain("smooth_l1_loss", {**_MEAN, "beta": 1.0}),
    "HuberLoss": Plain("huber_loss", {"reduction": "mean", "delta": 1.0}),
    "CrossEntropyLoss": Plain("cross_entropy", {**_CLASSES, "label_smoothing": 0.0}),
    "NLLLoss": Plain("nll_loss", _CLASSES), "NLLLoss2d": Plain("nll_loss", _CLASSES),
    "BCELoss": Plain("binary_cross_entropy", _WEIGHTED),
    "BCEWithLogitsLoss": Plain(
        "binary_cross_entropy_with_logits", {**_WEIGHTED, "pos_weight": None}),
    "KLDivLoss": Plain("kl_div", {**_MEAN, "log_target": False}),
    "PoissonNLLLoss": Plain("poisson_nll_loss", {
        "log_input": True, "full": False, "size_average": None, "eps": 1e-8, "reduce": None,
        "reduction": "mean"}),
    "GaussianNLLLoss": Plain(
        "gaussian_nll_loss", {"full": False, "eps": 1e-6, "reduction": "mean"}),
    "MarginRankingLoss": Plain("margin_ranking_loss", {"margin": 0.0, **_MEAN}),
    "HingeEmbeddingLoss": Plain("hinge_embedding_loss", {"margin": 1.0, **_MEAN}),
    "CosineEmbeddingLoss": Plain("cosine_embedding_loss", {"margin": 0.0, **_MEAN}),
    "TripletMarginLoss": Plain("triplet_margin_loss", {
        "margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False, **_MEAN}),
    "MultiMarginLoss": Plain("multi_margin_loss", {"p": 1, "margin": 1.0, **_WEIGHTED}),
    "MultiLabelMarginLoss": Plain("multilabel_margin_loss", _MEAN),
    "MultiLabelSoftMarginLoss": Plain("multilabel_soft_margin_loss", _WEIGHTED),
    "SoftMarginLoss": Plain("soft_margin_loss", _MEAN),
    "CTCLoss": Plain(
        "ctc_loss", {"blank": 0, "reduction": "mean", "zero_infinity": False}),
    "CosineSimilarity": Plain("cosine_similarity", {"dim": 1, "eps": 1e-8}),
    "PairwiseDistance": Plain("pairwise_distance", {"p": 2.0, "eps": 1e-6, "keepdim": False}),
}  # fmt: skip
"""By the name of PyTorch's class."""

LINEAR = {"in_features": NEEDED, "out_features": NEEDED, "bias": True}
CONVOLUTION = {
    "in_channels": NEEDED, "out_channels": NEEDED, "kernel_size": NEEDED, "stride": 1,
    "padding": 0, "dilation": 1, "groups": 1, "bias": True, "padding_mode": "zeros",
}  # fmt: skip
TRANSPOSED = {
    "in_channels": NEEDED, "out_channels": NEEDED, "kernel_size": NEEDED, "stride": 1,
    "padding": 0, "output_padding": 0, "groups": 1, "bias": True, "dilation": 1,
    "padding_mode": "zeros",
}  # fmt: skip
_ROWS = {"max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False}
EMBEDDING = {
    "num_embeddings": NEEDED, "embedding_dim": NEEDED, "padding_idx": None, **_ROWS,
    "sparse": False, "_weight": None, "_freeze": False,
}  # fmt: skip
PRETRAINED = {"embeddings": NEEDED, "freeze": True, "padding_idx": None, **_ROWS, "sparse": False}
BAG = {
    "num_embeddings": NEEDED, "embedding_dim": NEEDED, **_ROWS, "mode": "mean", "sparse": False,
    "_weight": None, "include_last_offset": False, "padding_idx": None,
}  # fmt: skip
LAYER_NORM = {"normalized_shape": NEEDED, "eps": 1e-5, "elementwise_affine": True, "bias": True}
GROUP_NORM = {"num_groups": NEEDED, "num_channels": NEEDED, "eps": 1e-5, "affine": True}
RMS_NORM = {"normalized_shape": NEEDED, "eps": None, "elementwise_affine": True}
BILINEAR = {"in1_features": NEEDED, "in2_features": NEEDED, "out_features": NEEDED, "bias": True}
