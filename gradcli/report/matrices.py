"""Jacobians, Hessians and their products as JSON, as CSV, and as arrays to be saved."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.analysis.matrices import Answer, Hessian, Jacobian, Matrix, Product
from gradcli.analysis.problem import Problem
from gradcli.graph import Array
from gradcli.report.csv import HEADINGS, elements_of
from gradcli.report.json import arrays, closing, string, strings
from gradcli.report.numbers import nested


def to_json(found: Answer, problem: Problem) -> Iterator[str]:
    """One object on one line: the matrix by row and column names, and whole, with its labels; or
    the products and the vectors that went in.
    """
    if isinstance(found, Product):
        yield f'{{"{found.name}": '
        yield from arrays(found.products)
        yield ', "vectors": '
        yield from arrays(found.vectors)
    elif isinstance(found, Hessian):
        yield from _matrix("hessian", found.matrix)
        yield f', "symmetric": {_boolean(found.symmetric)}, "definiteness": "{found.definiteness}"'
        yield ', "eigenvalues": '
        yield from nested(found.eigenvalues)
    else:
        yield from _matrix("jacobian", found.matrix)
        yield from _gradient(found)
    yield closing(problem.notes, problem.graph.seed)
    yield "\n"


def to_csv(found: Answer) -> Iterator[str]:
    """A line of column labels, then a line a row, its label first; of products, as `eval` has it,
    a line for each element.
    """
    if isinstance(found, Product):
        yield HEADINGS
        yield from elements_of(found.products, found.name)
        return
    matrix = found.matrix
    yield ",".join(["", *(f'"{label}"' for label in matrix.columns.labels())]) + "\n"
    for label, row in zip(matrix.rows.labels(), matrix.values, strict=True):
        text = "".join(nested(row))[1:-1].replace(", ", ",").replace('"', "")
        yield f'"{label}",{text}\n'


def saved(found: Answer, *, whole: bool) -> dict[str, Array]:
    """The matrix `whole`, else its blocks as `out.x`; of products, arrays as `x.hvp`."""
    if isinstance(found, Product):
        return {f"{name}.{found.name}": array for name, array in found.products.items()}
    if whole:
        return {"matrix": found.matrix.values}
    return {
        f"{row}.{column}": block
        for row, columns in found.matrix.blocks().items()
        for column, block in columns.items()
    }


def _matrix(key: str, matrix: Matrix) -> Iterator[str]:
    yield f'{{"{key}": '
    separator = "{"
    for name, columns in matrix.blocks().items():
        yield f"{separator}{string(name)}: "
        yield from arrays(columns)
        separator = ", "
    yield '}, "matrix": '
    yield from nested(matrix.values)
    yield f', "rows": {strings(matrix.rows.labels())}, '
    yield f'"columns": {strings(matrix.columns.labels())}'
    yield f', "mode": "{matrix.mode}", "zeros": {matrix.zeros}'


def _gradient(found: Jacobian) -> Iterator[str]:
    """What there is where a gradient v was given."""
    if found.gradient is None:
        return
    for key, named in (
        ("gradient", found.gradient), ("product", found.product), ("grads", found.grads)
    ):  # fmt: skip
        yield f', "{key}": '
        yield from arrays(named)
    yield f', "equal": {_boolean(found.agree)}'


def _boolean(value: bool) -> str:
    return "true" if value else "false"
