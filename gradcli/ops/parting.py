"""Taking tensors apart along an axis."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.group import Group
from gradcli.ops.shapes import normalize_axis, show
from gradcli.ops.shaping import part, squeeze
from gradcli.ops.table import Case

table = Group("shaping")


@table.function(
    aliases=("unsafe_split",),
    cases=[
        Case("split(x, 2, dim=1)[0]"),
        Case("split(x, 2, dim=1)[1]"),
        Case("x.split([1, 2], -1)[1]"),
    ],
)
def split(x: Node, split_size: int | tuple[int, ...], dim: int = 0) -> tuple[Node, ...]:
    """Parts of `split_size` elements along `dim` (the last may be smaller), or of given sizes."""
    axis = normalize_axis("split", dim, x.ndim)
    length = _length("split", x, axis)
    if isinstance(split_size, int):
        if split_size < (1 if length else 0):
            raise GradcliError(
                "value",
                f"split: parts of {split_size} elements cannot be made of axis {axis} of length "
                f"{length}",
            )
        step = max(split_size, 1)
        starts = range(0, max(length, 1), step)
        x.graph.check_room(len(starts))
        return tuple(part(x, axis, i, min(step, length - i)) for i in starts)
    if sum(split_size) != length or any(size < 0 for size in split_size):
        raise GradcliError(
            "shape",
            f"split: sizes {split_size} do not add up to the {length} elements of axis {dim} of "
            f"{show(x.shape)}",
        )
    starts_of = [sum(split_size[:i]) for i in range(len(split_size))]
    return tuple(part(x, axis, *each) for each in zip(starts_of, split_size, strict=True))


@table.function(
    aliases=("split_with_sizes_copy",),
    cases=[Case("split_with_sizes(x, [1, 2], dim=1)[1]")],
)
def split_with_sizes(x: Node, split_sizes: tuple[int, ...], dim: int = 0) -> tuple[Node, ...]:
    """Parts of the given sizes along `dim`."""
    return split.build(x, split_sizes, dim)  # type: ignore[no-any-return]


@table.function(
    aliases=("np.array_split",),
    cases=[
        Case("tensor_split(x, 2, dim=1)[0]"),
        Case("x.tensor_split([1, 2], 1)[2]"),
    ],
    overloaded=True,
)
def tensor_split(
    x: Node, indices_or_sections: int | tuple[int, ...], dim: int = 0
) -> tuple[Node, ...]:
    """So many parts along `dim`, the first ones longer by 1 where they cannot be equal; or parts
    that begin at the given places.
    """
    axis = normalize_axis("tensor_split", dim, x.ndim)
    length = _length("tensor_split", x, axis)
    if not isinstance(indices_or_sections, int):
        return _cut(x, axis, indices_or_sections)
    if indices_or_sections < 1:
        raise GradcliError("value", f"tensor_split: {indices_or_sections} parts cannot be made")
    x.graph.check_room(indices_or_sections)
    least, longer = divmod(length, indices_or_sections)
    sizes = (least + 1,) * longer + (least,) * (indices_or_sections - longer)
    return split.build(x, sizes, dim)  # type: ignore[no-any-return]


def _cut(x: Node, axis: int, places: tuple[int, ...]) -> tuple[Node, ...]:
    """Parts that begin at the given places, as slices do."""
    length = x.shape[axis]
    starts = [slice(place).indices(length)[1] for place in places]
    pairs = zip([0, *starts], [*starts, length], strict=True)
    return tuple(part(x, axis, start, max(0, end - start)) for start, end in pairs)


def _equal_parts(
    name: str, x: Node, indices_or_sections: int | tuple[int, ...], dim: int
) -> tuple[Node, ...]:
    axis = normalize_axis(name, dim, x.ndim)
    length = _length(name, x, axis)
    if not isinstance(indices_or_sections, int):
        return _cut(x, axis, indices_or_sections)
    if indices_or_sections < 1 or length % indices_or_sections:
        raise GradcliError(
            "shape",
            f"{name}: axis {dim} of {show(x.shape)} has no {indices_or_sections} equal parts",
            hint="tensor_split(x, n, dim) and chunk(x, n, dim) let the last parts be smaller",
        )
    sizes = (length // indices_or_sections,) * indices_or_sections
    return split.build(x, sizes, dim)  # type: ignore[no-any-return]


@table.function(
    "np.split", cases=[Case("np.split(x, 3, axis=1)[2]"), Case("np.split(x, [1, 2], axis=1)[1]")]
)
def numpy_split(
    x: Node, indices_or_sections: int | tuple[int, ...], dim: int = 0
) -> tuple[Node, ...]:
    """`split` as NumPy has it: into so many equal parts, or at these places."""
    return _equal_parts("np.split", x, indices_or_sections, dim)


@table.function(
    cases=[Case("hsplit(x, 3)[2]"), Case("hsplit(x, [1, 3])[1]", {"x": (4,)})],
    overloaded=True,
)
def hsplit(x: Node, indices_or_sections: int | tuple[int, ...]) -> tuple[Node, ...]:
    """Equal parts along axis 1, or parts that begin at the given places; a vector's along its
    only axis.
    """
    return _equal_parts("hsplit", x, indices_or_sections, 0 if x.ndim == 1 else 1)


@table.function(cases=[Case("vsplit(x, 2)[1]"), Case("vsplit(x, [1])[0]")], overloaded=True)
def vsplit(x: Node, indices_or_sections: int | tuple[int, ...]) -> tuple[Node, ...]:
    """Equal parts along axis 0 of two or more, or parts that begin at the given places."""
    _check_axes("vsplit", x, 2)
    return _equal_parts("vsplit", x, indices_or_sections, 0)


@table.function(
    cases=[
        Case("dsplit(x, 2)[1]", {"x": (1, 2, 2)}),
        Case("dsplit(x, [1])[0]", {"x": (1, 2, 3)}),
    ],
    overloaded=True,
)
def dsplit(x: Node, indices_or_sections: int | tuple[int, ...]) -> tuple[Node, ...]:
    """Equal parts along axis 2 of three or more, or parts that begin at the given places."""
    _check_axes("dsplit", x, 3)
    return _equal_parts("dsplit", x, indices_or_sections, 2)


def _check_axes(name: str, x: Node, least: int) -> None:
    if x.ndim < least:
        raise GradcliError(
            "shape", f"{name} needs at least {least} dimensions; this is {show(x.shape)}"
        )


@table.function(
    aliases=("unsafe_chunk",), cases=[Case("chunk(x, 2, dim=1)[1]"), Case("x.chunk(5)[1]")]
)
def chunk(x: Node, chunks: int, dim: int = 0) -> tuple[Node, ...]:
    """At most `chunks` parts of equal length along `dim`; the last one may be smaller."""
    if chunks < 1:
        raise GradcliError("value", f"chunk: {chunks} parts cannot be made")
    axis = normalize_axis("chunk", dim, x.ndim)
    length = _length("chunk", x, axis)
    if not length:
        x.graph.check_room(chunks)
        return (x,) * chunks
    return split.build(x, -(-length // chunks), dim)  # type: ignore[no-any-return]


@table.function(aliases=("unbind_copy",), cases=[Case("unbind(x)[1]"), Case("x.unbind(-1)[0]")])
def unbind(x: Node, dim: int = 0) -> tuple[Node, ...]:
    """The slices along `dim`, each without that axis."""
    axis = normalize_axis("unbind", dim, x.ndim)
    count = _length("unbind", x, axis)
    x.graph.check_room(count)
    return tuple(squeeze(part(x, axis, i, 1), (axis,)) for i in range(count))


@table.function(
    aliases=("narrow_copy",),
    cases=[Case("narrow(x, 1, 1, 2)"), Case("x.narrow(0, -1, 1)")],
    overloaded=True,
)
def narrow(x: Node, dim: int, start: int, length: int) -> Node:
    """`length` elements along `dim`, from `start` on."""
    axis = normalize_axis("narrow", dim, x.ndim)
    count = _length("narrow", x, axis)
    first = start + count if start < 0 else start
    if not 0 <= first <= count:
        raise GradcliError(
            "index",
            f"narrow: it cannot begin at {start} in axis {dim} of {show(x.shape)}",
            hint=f"begin within {-count} and {count}",
        )
    if not 0 <= length <= count - first:
        raise GradcliError(
            "index",
            f"narrow: {length} elements from {start} on are not within axis {dim} of "
            f"{show(x.shape)}",
        )
    return part(x, axis, first, length)


@table.function(
    aliases=("select_copy",),
    cases=[Case("select(x, 1, 2)"), Case("x.select(0, -1)")],
    unlike={"np.select": "where(condition, a, where(…, b, c)), or indexing"},
)
def select(x: Node, dim: int, index: int) -> Node:
    """The slice at one place of an axis, without that axis."""
    axis = normalize_axis("select", dim, x.ndim)
    count = _length("select", x, axis)
    first = index + count if index < 0 else index
    if not 0 <= first < count:
        raise GradcliError(
            "index", f"select: {index} is out of range for axis {dim} of {show(x.shape)}"
        )
    return squeeze(part(x, axis, first, 1), (axis,))


def _length(name: str, x: Node, axis: int) -> int:
    if not x.shape:
        raise GradcliError("shape", f"{name}: a single value has no axis to take apart")
    return x.shape[axis]
