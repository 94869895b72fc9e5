"""Differentiation: a graph in, a larger graph out."""

from gradcli.differentiate.forward import jvp
from gradcli.differentiate.reverse import vjp

__all__ = ["jvp", "vjp"]
