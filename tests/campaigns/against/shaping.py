"""Views, indexing, gathering and joining, as the generator draws them."""

from __future__ import annotations

import torch

from tests.campaigns.against.elementwise import kind, spelled
from tests.campaigns.against.maker import Drawn, Family, Maker
from tests.campaigns.against.program import Form, Node


def axis(m: Maker, a: Node, extra: int = 0) -> int:
    """An axis of a, from either end; of a single value 0 or -1."""
    ndim = max(a.value.dim() + extra, 1)
    return m.between(-ndim, ndim - 1)


def length(a: Node, dim: int) -> int:
    return int(a.value.shape[dim]) if a.value.dim() else 1


def factored(m: Maker, count: int) -> list[int]:
    """A shape of that many elements."""
    if not count:
        return m.pick(([0], [0, 2], [3, 0], [1, 0]))
    shape, rest = [], count
    for factor in (2, 3, 5, 2, 3):
        if rest % factor == 0 and m.chance(0.5):
            shape.append(factor)
            rest //= factor
    if rest > 1 or m.chance(0.2) or not shape:
        shape.insert(m.between(0, len(shape)), rest)
    return shape


def reshaped(m: Maker, a: Node) -> Drawn:
    shape = factored(m, a.value.numel())
    if m.chance(0.3) and a.value.numel():
        shape[m.between(0, len(shape) - 1)] = -1
    text = ", ".join(map(str, shape))
    listed = m.pick((text, f"({text},)", f"[{text}]"))
    return m.pick(
        (f"{{0}}.reshape({listed})", f"torch.reshape({{0}}, [{text}])", f"{{0}}.view({text})")
    ), a


def turned(m: Maker, a: Node) -> Drawn:
    ndim = a.value.dim()
    order = list(range(ndim))
    m.random.shuffle(order)
    two = f"{axis(m, a)}, {axis(m, a)}"
    texts = [f"transpose({two})", f"swapaxes({two})", f"movedim({two})", f"permute({order})"]
    if ndim:
        texts += [f"permute({', '.join(map(str, order))})"]
    if ndim >= 2:
        texts += ["mT", "mT"]
    if ndim == 2:
        texts += ["T", "T", "t()"]
    return "{0}." + m.pick(texts), a


def sized(m: Maker, a: Node) -> Drawn:
    shape = a.value.shape
    wide = [n if n != 1 else m.pick((1, 2, 3)) for n in shape]
    kept = [-1 if m.chance(0.2) else n for n in wide]
    texts = [
        f"unsqueeze({axis(m, a, 1)})",
        f"unsqueeze(dim={axis(m, a, 1)})",
        "squeeze()",
        f"squeeze({axis(m, a)})",
        f"expand({m.pick((2, 1, 3))}, {', '.join(map(str, wide))})",
        f"expand({kept})",
        f"broadcast_to({wide})",
        "flatten()",
        "ravel()",
        f"flatten({axis(m, a)}, -1)",
        "clone()",
        "expand_as({0})",
        "view_as({0})",
        "reshape_as({0}.mT)" if a.value.dim() > 1 else "reshape_as({0})",
        "contiguous()",
    ]
    return "{0}." + m.pick(texts), a


def parted(m: Maker, a: Node) -> Drawn:
    dim = axis(m, a)
    n = length(a, dim)
    start = m.between(0, max(n - 1, 0))
    part = m.between(0, n - start)
    size = m.pick((1, 2, 3))
    first = m.pick((0, -1, 0))
    return (
        m.pick(
            (
                f"{{0}}.narrow({dim}, {start}, {part})",
                f"torch.narrow({{0}}, {dim}, {start}, {part})",
                f"{{0}}.chunk({size}, {dim})[{first}]",
                f"torch.chunk({{0}}, {size}, dim={dim})[{first}]",
                f"{{0}}.split({size}, {dim})[{first}]",
                f"torch.split({{0}}, [{start}, {n - start}], dim={dim})[{first}]",
                f"{{0}}.unbind({dim})[{first}]",
                f"{{0}}.select({dim}, {start})",
                f"torch.select({{0}}, {dim}, {start - n})",
                f"{{0}}.diagonal({m.pick((0, 1, -1))})",
                f"torch.linalg.diagonal({{0}}, offset={m.pick((0, 1, -1))})",
                f"{{0}}.unfold({dim}, {size}, {m.pick((1, 2))})",
                f"{{0}}.diff(dim={dim})",
                f"torch.diff({{0}}, n={m.pick((0, 1, 2))}, dim={dim})",
            )
        ),
        a,
    )


def moved(m: Maker, a: Node) -> Drawn:
    dim, k = axis(m, a), m.pick((1, -1, 2))
    repeats = ", ".join(str(m.pick((1, 2, 1, 0))) for _ in a.value.shape) or "2"
    text = m.pick(
        (
            f"roll({{0}}, {k}, {dim})",
            f"roll({{0}}, {k})",
            f"flip({{0}}, [{dim}])",
            f"flip({{0}}, dims=({dim},))",
            f"rot90({{0}}, {k})",
            f"tile({{0}}, ({repeats},))",
            f"repeat_interleave({{0}}, 2, dim={dim})",
            "repeat_interleave({0}, 2)",
            f"tril({{0}}, {m.pick((0, 1, -1))})",
            f"triu({{0}}, diagonal={m.pick((0, 1, -1))})",
            f"diag({{0}}, {m.pick((0, 1, -1))})",
            "diag_embed({0})",
            f"unflatten({{0}}, {dim}, ({m.pick((1, 2))}, -1))",
            f"movedim({{0}}, {dim}, {axis(m, a)})",
        )
    )
    if m.chance(0.1):
        return f"{{0}}.repeat({m.pick((1, 2))}, {repeats})", a
    return Form(m.pick(("", "torch.")) + text, "torch." + text), a


def _item(m: Maker, n: int) -> str:
    """What stands in one place of an index."""
    draw = m.between(0, 11)
    if draw < 3 and n:
        return str(m.between(-n, n - 1))
    if draw < 5:
        return f"{m.pick(('', '0', '1', '-1', '-2'))}:{m.pick(('', '1', '2', '-1', str(n)))}"
    if draw < 6:
        return f"::{m.pick((1, 2, 3))}"
    if draw < 8 and n:
        return str([m.between(-n, n - 1) for _ in range(m.between(1, 3))])
    if draw == 8:
        return "None"
    return ":"


def indexed(m: Maker, a: Node) -> Drawn:
    shape = a.value.shape
    draw = m.between(0, 9)
    if draw < 2:
        return "{0}[{1}]", a, m.mask(a)
    if draw == 2:
        found = m.name(lambda v: v.dtype == torch.bool and v.dim() and v.shape == shape[: v.dim()])
        return ("{0}[{1}]", a, found) if found else None
    if draw == 3:
        index = _index_like(m, a, 0)
        return ("{0}[{1}]", a, index) if index else None
    if draw == 4:
        return f"{{0}}[..., {_item(m, length(a, -1))}]", a
    if draw == 5 and a.value.dim() == 2:
        mask = m.apply(Form("({0}[:, 0] > 0)", "({0}[:, 0] > 0)"), (a,))
        return m.pick(("{0}[{1}]", "{0}[{1}, 0]", "{0}[{1}, 1:]")), a, mask
    count = m.between(1, max(len(shape), 1))
    items = [_item(m, n) for n in shape[:count]] or [m.pick(("None", "...", "..., None"))]
    return f"{{0}}[{', '.join(items)}]", a


def _index_like(m: Maker, a: Node, dim: int, shape: tuple[int, ...] | None = None) -> Node | None:
    """Whole numbers that name places along an axis, of the given shape."""
    n = length(a, dim)
    if not n:
        return None
    shape = shape if shape is not None else m.pick(((2,), (3,), (1,), (2, 2), ()))
    count = torch.Size(shape).numel()
    items = torch.tensor([m.between(0, n - 1) for _ in range(count)], dtype=torch.int64)
    value = items.reshape(shape)
    if 0 in shape:
        return None
    text = repr(value.tolist())
    here = m.pick((f"tensor({text}).long()", f"tensor({text})"))
    return Node(Form(here, f"torch.tensor({text})"), (), value)


def gathered(m: Maker, a: Node) -> Drawn:
    dim = axis(m, a)
    shape = tuple(a.value.shape)
    full = _index_like(m, a, dim, shape)
    row = _index_like(m, a, dim, (m.pick((1, 2, 3)),))
    if full is None or row is None:
        return None
    src = m.like(a)
    if kind(a) != "float":
        src = a
    draw = m.between(0, 9)
    if draw == 0:
        return spelled(m, "gather", f"{{0}}, {dim}, {{1}}"), a, full
    if draw == 1:
        return spelled(m, "index_select", f"{{0}}, {dim}, {{1}}"), a, row
    if draw == 2:
        text = f"{{0}}.gather({dim}, {{1}}.argsort({dim}))"
        return text, a, a
    if draw == 3:
        flat = _index_like(m, m.apply(Form("{0}.ravel()", "{0}.ravel()"), (a,)), 0)
        return (spelled(m, "take", "{0}, {1}"), a, flat) if flat else None
    if draw == 4:
        return spelled(m, "take_along_dim", f"{{0}}, {{1}}, {dim}"), a, full
    if draw == 5:
        return spelled(m, "scatter_add", f"{{0}}, {dim}, {{1}}, {{2}}"), a, full, src
    if draw == 6:
        ordered = m.apply(Form(f"{{0}}.argsort({dim})", f"{{0}}.argsort({dim})"), (a,))
        return spelled(m, "scatter", f"{{0}}, {dim}, {{1}}, {{2}}"), a, ordered, src
    if draw == 7:
        rows = m.apply(
            Form(f"index_select({{0}}, {dim}, {{1}})", f"torch.index_select({{0}}, {dim}, {{1}})"),
            (a, row),
        )
        return spelled(m, "index_add", f"{{0}}, {dim}, {{1}}, {{2}}"), a, row, rows
    if draw == 8:
        return spelled(m, "index_fill", f"{{0}}, {dim}, {{1}}, {m.pick((0, 1, -2))}"), a, row
    return spelled(m, "scatter", f"{{0}}, {dim}, {{1}}, {m.pick((1.5, 0))}"), a, full


def joined(m: Maker, a: Node) -> Drawn:
    b = m.like(a)
    dim = axis(m, a)
    text = m.pick(
        (
            f"cat([{{0}}, {{1}}], dim={dim})",
            f"cat(({{0}}, {{1}}, {{0}}), {dim})",
            f"stack([{{0}}, {{1}}], dim={dim})",
            "stack(({0}, {1}))",
            "cat([{0}])",
            "hstack([{0}, {1}])",
            "vstack(({0}, {1}))",
            "dstack([{0}, {1}])",
            "column_stack([{0}, {1}])",
            "block_diag({0}, {1})",
            "cartesian_prod({0}, {1})",
            "meshgrid({0}, {1}, indexing='ij')[0]",
        )
    )
    return Form(m.pick(("", "torch.")) + text, "torch." + text), a, b


def padded(m: Maker, a: Node) -> Drawn:
    ndim = m.between(1, min(max(a.value.dim(), 1), 2))
    widths = [m.pick((0, 1, 2, -1, 1)) for _ in range(2 * ndim)]
    value = m.pick(("", ", value=1.5", ", 'constant', 2"))
    if m.chance(0.3):
        value = f", mode='{m.pick(('reflect', 'replicate', 'circular'))}'"
    text = f"F.pad({{0}}, {tuple(widths)}{value})"
    return m.pick((text, text.replace("F.", "torch.nn.functional."))), a


FAMILIES: list[tuple[Family, int]] = [
    *((reshaped, 4), (turned, 4), (sized, 5), (parted, 5), (moved, 4), (indexed, 9)),
    *((gathered, 4), (joined, 4), (padded, 2)),
]
