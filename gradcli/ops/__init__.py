"""The op table. Importing the modules here fills it. `gradcli.ops.group` says how entries are
written, `gradcli.ops.kinds` which kinds of op there are, `Op` in `gradcli.graph` what they may
state.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from gradcli.graph import OPERATORS, Node
from gradcli.ops.homes import find_homes, read_homes
from gradcli.ops.table import TABLE, Case, Function, Parameter

MODULES = (
    "arithmetic", "powers", "comparison", "reductions", "shaping", "creation", "exponential",
    "trigonometric", "hyperbolic", "axes", "joining", "logistic", "activation", "selection",
    "truth", "extremes", "statistics", "norms", "softmax", "products", "parting", "dimensions",
    "running_products", "indexing", "rounding", "control",
    "contractions", "classification", "regression",
    "diagonals", "scattering", "placing", "recurrences", "scans", "sorting",
    "einsum", "systems", "factors", "spectra", "determinants", "least_squares", "matrix_functions",
    "special", "error_functions", "margins", "class_margins",
    "ctc", "layers", "layer_losses", "embeddings", "attention", "noise",
    "normalisation", "tiling", "folding", "pooling", "adaptive", "lp_pooling", "unpooling",
    "convolutions", "transposed", "channels", "resampling", "grids", "writing",
    "insertion", "gathered", "covariance", "ranks", "slopes", "solutions", "triangular",
    "reflections", "bessel", "gammas", "polynomials",
)  # fmt: skip
"""The modules with entries, the most used ones first."""


class Functions(Mapping[str, Function]):
    """Every name and alias that a program may call.

    The module of a name is imported when it is asked for: to import them all takes longer than to
    run a small program.
    """

    def __init__(self) -> None:
        self._waiting = [*reversed(MODULES)]
        self._homes = read_homes()

    def __getitem__(self, name: str) -> Function:
        if name not in TABLE:
            self._look_for(name)
        return TABLE[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def _look_for(self, name: str) -> None:
        """Import the module that has a function; where that is not known, one after another."""
        if self._homes is None:
            while name not in TABLE and self._waiting:
                self._import_next()
        elif name in self._homes:
            import_module(f"gradcli.ops.{self._homes[name]}")

    def _whole(self) -> Mapping[str, Function]:
        while self._waiting:
            self._import_next()
        return TABLE

    def _import_next(self) -> None:
        module = self._waiting[-1]
        import_module(f"gradcli.ops.{module}")  # another thread that needs it waits here, too
        if self._waiting[-1:] == [module]:
            self._waiting.pop()
        if not self._waiting and self._homes is None:
            self._homes = find_homes(MODULES)


FUNCTIONS = Functions()


def f(name: str, *operands: Any, **options: Any) -> Node:
    """What a function of the table gives that makes one node, by its name: `f("exp", x)`."""
    return FUNCTIONS[name](*operands, **options)


def _matmul(left: Node, right: Node) -> Node:
    """Found when it is called: its module imports four more, and many programs have no product."""
    return f("matmul", left, right)


OPERATORS.update(
    {
        name: FUNCTIONS[name].build
        for name in (
            "add", "sub", "mul", "div", "pow", "neg", "lt", "le", "gt", "ge",
            "scale", "sum", "reshape", "expand", "sum_to",
        )
    },
    matmul=_matmul,
)  # fmt: skip

__all__ = ["FUNCTIONS", "Case", "Function", "Functions", "Parameter", "f"]
