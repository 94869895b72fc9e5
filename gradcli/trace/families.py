"""The classes that PyTorch's classes are made from, as `isinstance` knows them."""

from __future__ import annotations

import builtins
import collections
from functools import cache

from gradcli.trace.classes import Instance
from gradcli.trace.objects import Object

_MADE_FROM = {
    "_Loss": "BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss GaussianNLLLoss HingeEmbeddingLoss "
             "HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss MultiLabelMarginLoss "
             "PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss "
             "TripletMarginWithDistanceLoss _WeightedLoss",
    "_WeightedLoss": "BCELoss CrossEntropyLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss",
    "NLLLoss": "NLLLoss2d",
    "Linear": "NonDynamicallyQuantizableLinear",
    "Hardtanh": "ReLU6",
    "Upsample": "UpsamplingBilinear2d UpsamplingNearest2d",
    "RNNBase": "GRU LSTM RNN",
    "RNNCellBase": "GRUCell LSTMCell RNNCell",
    "_DropoutNd": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "_NormBase": "_BatchNorm _InstanceNorm",
    "_BatchNorm": "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm",
    "_InstanceNorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "_ConvNd": "Conv1d Conv2d Conv3d _ConvTransposeNd",
    "_ConvTransposeNd": "ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    **{f"ConstantPad{axes}d": f"ZeroPad{axes}d" for axes in (1, 2, 3)},
    **{
        f"_{name}Nd": f"{name}1d {name}2d {name}3d"
        for name in (
            "AdaptiveAvgPool", "AdaptiveMaxPool", "AvgPool", "MaxPool", "LPPool", "MaxUnpool",
            "CircularPad", "ConstantPad", "ReflectionPad", "ReplicationPad",
        )
    },
    "Adam": "AdamW",
    "LRScheduler": "_LRScheduler",
    "Gamma": "Chi2",
    "OneHotCategorical": "OneHotCategoricalStraightThrough",
    "TransformedDistribution": "Gumbel HalfCauchy HalfNormal InverseGamma Kumaraswamy LogNormal "
                               "LogisticNormal Pareto RelaxedBernoulli RelaxedOneHotCategorical "
                               "Weibull",
    "ExponentialFamily": "Bernoulli Beta ContinuousBernoulli Dirichlet Exponential Gamma Normal "
                         "Poisson Wishart",
}  # fmt: skip
"""By class, those that are made from it directly."""


@cache
def _parents() -> dict[str, str]:
    return {child: name for name, made in _MADE_FROM.items() for child in made.split()}


def is_family(name: str) -> bool:
    """Whether one of PyTorch's classes has that name, from which others are made."""
    return name in _MADE_FROM or name in _parents()


def all_families() -> set[str]:
    """The classes of `torch.nn` from which others are made, and which nobody calls."""
    return {name for name in _MADE_FROM if name.startswith(("_", "RNN"))}


def _line(name: str) -> list[str]:
    """A class and those that it is made from."""
    found = [name, *([name.removeprefix("Lazy")] if name.startswith("Lazy") else [])]
    while found[-1] in _parents():
        found.append(_parents()[found[-1]])
    return found


_ROOTS = {
    "torch.nn": "Module", "torch.optim": "Optimizer", "torch.optim.lr_scheduler": "LRScheduler",
    "torch.distributions": "Distribution",
}  # fmt: skip
"""What the classes of PyTorch's modules are made from."""
_OF_TENSORS = ("Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer")


def classes_behind(path: str) -> set[str]:
    """The names of a class of PyTorch's or Python's, and of all that it is made from."""
    module, _, name = path.rpartition(".")
    pythons = getattr(builtins, name, None) or getattr(collections, name, None)
    if module not in _ROOTS and isinstance(pythons, type):
        return {each.__name__ for each in pythons.__mro__}
    root = "Tensor" if name in (*_OF_TENSORS, "Tensor") else _ROOTS.get(module, name)
    return {*_line(name), root, "object"}


def families(value: Object) -> set[str]:
    """The names of all classes of PyTorch's that a value is of."""
    own = {value.title, value.family}
    if isinstance(value, Instance):  # whose own classes are told apart by themselves
        own = {value.family, *(root.rpartition(".")[2] for root in value.made_by.roots)}
    return {each for name in own for each in _line(name)}
