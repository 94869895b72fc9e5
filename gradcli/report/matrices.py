"""Jacobians, Hessians and their products as data, as CSV, and as arrays to be saved."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.analysis.matrices import Answer, Hessian, Jacobian, Matrix, MatrixProduct, Shown
from gradcli.data.numbers import nested
from gradcli.graph import Array
from gradcli.report.csv import HEADINGS, elements_of
from gradcli.report.json import Data, closing, encode
from gradcli.report.layout import Layout


def write_json(shown: Shown, _layout: Layout | None = None) -> Iterator[str]:
    """`data` as one line."""
    yield from encode(data(shown))
    yield "\n"


def data(shown: Shown) -> dict[str, Data]:
    """The matrix in blocks by row and column name, and whole with its labels; or the products, and
    the vectors that were given.
    """
    found = shown.answer
    if isinstance(found, MatrixProduct):
        members: dict[str, Data] = {found.name: found.products, "vectors": found.vectors}
    elif isinstance(found, Hessian):
        members = _matrix("hessian", found.matrix) | {
            "symmetric": found.symmetric,
            "definiteness": found.definiteness,
            "eigenvalues": found.eigenvalues,
        }
    else:
        members = _matrix("jacobian", found.matrix) | {"values": found.outputs} | _gradient(found)
    return members | closing(shown.notes, shown.seed)


def write_csv(shown: Shown, _layout: Layout | None = None) -> Iterator[str]:
    """A line of column labels, then a line for each row, its label first; for products a line for
    each element, as in `eval`.
    """
    found = shown.answer
    if isinstance(found, MatrixProduct):
        yield HEADINGS
        yield from elements_of(found.products, found.name)
        return
    matrix = found.matrix
    yield ",".join(["", *(f'"{label}"' for label in matrix.columns.labels())]) + "\n"
    for label, row in zip(matrix.rows.labels(), matrix.values, strict=True):
        text = "".join(nested(row))[1:-1].replace(", ", ",").replace('"', "")
        yield f'"{label}",{text}\n'


def saved(found: Answer, *, whole: bool) -> dict[str, Array]:
    """The matrix as one array if `whole`, else its blocks as `out.x`; products as `x.hvp`."""
    if isinstance(found, MatrixProduct):
        return {f"{name}.{found.name}": array for name, array in found.products.items()}
    if whole:
        return {"matrix": found.matrix.values}
    return {
        f"{row}.{column}": block
        for row, columns in found.matrix.blocks().items()
        for column, block in columns.items()
    }


def _matrix(key: str, matrix: Matrix) -> dict[str, Data]:
    return {
        key: matrix.blocks(),
        "matrix": matrix.values,
        "rows": list(matrix.rows.labels()),
        "columns": list(matrix.columns.labels()),
        "mode": matrix.mode,
        "zeros": matrix.zeros,
    }


def _gradient(found: Jacobian) -> dict[str, Data]:
    """The keys that are added where a gradient v was given."""
    if found.gradient is None:
        return {}
    return {
        "gradient": found.gradient,
        "product": found.product,
        "grads": found.grads,
        "equal": found.agree,
    }
