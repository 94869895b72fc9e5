"""Jacobians, Hessians and their products as JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gradcli.analysis.jacobian import Hessian, Jacobian, Matrix, Product, Side
from gradcli.diagnostics import Note
from gradcli.graph import Array
from gradcli.report.json import arrays, string
from gradcli.report.numbers import nested


def jacobian_json(found: Jacobian, notes: Iterable[Note]) -> Iterator[str]:
    """`jacobian` holds J by output and leaf, each block in the shape of both together."""
    yield from _matrix_json("jacobian", found.matrix)
    if found.gradient is not None:
        for key, named in (
            ("gradient", found.gradient), ("product", found.product), ("grads", found.grads)
        ):  # fmt: skip
            yield f', "{key}": '
            yield from arrays(named)
        yield f', "equal": {_boolean(found.agree)}'
    yield f", {notes_json(notes)}}}"


def hessian_json(found: Hessian, notes: Iterable[Note]) -> Iterator[str]:
    """`hessian` holds the second derivatives by leaf and leaf."""
    yield from _matrix_json("hessian", found.matrix)
    yield f', "symmetric": {_boolean(found.symmetric)}, "definiteness": "{found.definiteness}"'
    yield ', "eigenvalues": '
    yield from nested(found.eigenvalues)
    yield f", {notes_json(notes)}}}"


def product_json(key: str, found: Product, notes: Iterable[Note]) -> Iterator[str]:
    """`key` holds what came out, by name; `vectors` what went in."""
    yield f'{{"{key}": '
    yield from arrays(found.products)
    yield ', "vectors": '
    yield from arrays(found.vectors)
    yield f", {notes_json(notes)}}}"


def matrix_csv(matrix: Matrix) -> Iterator[str]:
    """A line of column labels, then a line a row, its label first."""
    labels = (f'"{matrix.columns.label(place)}"' for place in range(matrix.columns.size))
    yield ",".join(["", *labels]) + "\n"
    for place, row in enumerate(matrix.values):
        text = "".join(nested(row))[1:-1].replace(", ", ",").replace('"', "")
        yield f'"{matrix.rows.label(place)}",{text}\n'


def notes_json(notes: Iterable[Note]) -> str:
    """The notes as the last member of an object."""
    texts = (
        f'{{"code": {string(note.code)}, "message": {string(note.message)}}}' for note in notes
    )
    return f'"notes": [{", ".join(texts)}]'


def blocks(matrix: Matrix) -> dict[str, Array]:
    """The blocks of a matrix under names like `out.x`, to be saved."""
    return {
        f"{row}.{column}": block
        for row, columns in matrix.blocks().items()
        for column, block in columns.items()
    }


def _matrix_json(key: str, matrix: Matrix) -> Iterator[str]:
    yield f'{{"{key}": '
    separator = "{"
    for name, columns in matrix.blocks().items():
        yield f"{separator}{string(name)}: "
        yield from arrays(columns)
        separator = ", "
    yield '}, "matrix": '
    yield from nested(matrix.values)
    yield f', "rows": {_labels(matrix.rows)}, "columns": {_labels(matrix.columns)}'
    yield f', "mode": "{matrix.mode}", "zeros": {matrix.zeros}'


def _labels(side: Side) -> str:
    return "[" + ", ".join(string(side.label(place)) for place in range(side.size)) + "]"


def _boolean(value: bool) -> str:
    return "true" if value else "false"


def vector_arrays(named: Mapping[str, Array], suffix: str) -> dict[str, Array]:
    """Products under names like `x.hvp`, to be saved."""
    return {f"{name}.{suffix}": array for name, array in named.items()}
