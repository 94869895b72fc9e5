"""Differentiation: a graph in, a larger graph out."""

from gradcli.differentiate.cotangent import fitted_shape, gradient_required, ones_text, unfit
from gradcli.differentiate.reverse import Between, Rules, contributions, vjp, walk_back

__all__ = [
    "Between",
    "Rules",
    "contributions",
    "fitted_shape",
    "gradient_required",
    "ones_text",
    "unfit",
    "vjp",
    "walk_back",
]
