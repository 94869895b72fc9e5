"""Einstein sums. One primitive contracts two operands; its adjoints are contractions again.

Other cases are reduced to the primitive: repeated labels by diagonals, labels of only one operand
by sums, lengths of 1 that broadcast by leaving them out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from string import ascii_letters
from typing import TYPE_CHECKING, TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape, Split
from gradcli.language.construct import argument, call
from gradcli.ops.axes import permute
from gradcli.ops.diagonals import diagonal
from gradcli.ops.group import Group
from gradcli.ops.kinds import NUMBERS, Linear
from gradcli.ops.promotion import promoted
from gradcli.ops.reductions import sum_
from gradcli.ops.shapes import normalize_axes, show
from gradcli.ops.shaping import of_single_elements, squeeze
from gradcli.ops.sums import product
from gradcli.ops.table import Alike, Case

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("linear algebra")

_ONE_DTYPE = Alike("both inputs should have same dtype")

# --- the contraction of two ----------------------------------------------------------------


def _parts(equation: str) -> tuple[str, str, str]:
    """`ab`, `bc` and `ac` from `ab,bc->ac`. Each label stands in two of them, or in all three."""
    inputs, _, out = equation.partition("->")
    left, _, right = inputs.partition(",")
    return left, right, out


def _contracted_shape(a: Node, b: Node, equation: str) -> Shape:
    left, right, out = _parts(equation)
    lengths = dict(zip(left + right, a.shape + b.shape, strict=True))
    return tuple(lengths[label] for label in out)


def _contract(xp: ArrayNamespace, a: Array, b: Array, equation: str) -> Array:
    """Products of matrices: labels of one operand are rows or columns, those of all are batches."""
    left, right, out = _parts(equation)
    batch = "".join(label for label in left if label in right and label in out)
    inner = "".join(label for label in left if label in right and label not in out)
    rows = "".join(label for label in left if label not in right)
    columns = "".join(label for label in right if label not in left)
    found = product(
        xp,
        _matrices(xp, a, left, batch, rows, inner),
        _matrices(xp, b, right, batch, inner, columns),
    )
    lengths = dict(
        zip(left + right, (*a.shape[-len(left) :], *b.shape[-len(right) :]), strict=True)
    )
    lead = found.ndim - 2 - len(batch)
    found = xp.reshape(found, (*found.shape[:-2], *(lengths[each] for each in rows + columns)))
    order = batch + rows + columns
    return xp.permute_dims(found, (*range(lead), *(lead + order.index(label) for label in out)))


def _matrices(
    xp: ArrayNamespace, x: Array, labels: str, batch: str, rows: str, columns: str
) -> Array:
    """x as matrices: `rows` and `columns` each as one axis behind the `batch` axes."""
    lead = x.ndim - len(labels)
    order = [lead + labels.index(label) for label in batch + rows + columns]
    x = xp.permute_dims(x, (*range(lead), *order))
    first, second = lead + len(batch), lead + len(batch) + len(rows)
    lengths = (prod(x.shape[first:second]), prod(x.shape[second:]))
    return xp.reshape(x, (*x.shape[:first], *lengths))


def _left(change: Node, y: Node, a: Node, b: Node, equation: str) -> Node:
    left, right, out = _parts(equation)
    return contract(change, b, f"{out},{right}->{left}")


def _right(change: Node, y: Node, a: Node, b: Node, equation: str) -> Node:
    left, right, out = _parts(equation)
    return contract(a, change, f"{left},{out}->{right}")


def _batched(y: Node, a: Node, b: Node, equation: str) -> Node:
    """The batch axis gets a label that no equation has."""
    left, right, out = _parts(equation)
    operands = f"*{left},{right}" if b is y.inputs[1] else f"{left},*{right}"
    return contract(a, b, f"{operands}->*{out}")


def _splits(node: Node) -> Iterator[Split]:
    """Along any label, as each stands in two of the operands and the result, or in all three."""
    left, right, out = _parts(node.attributes[0])
    terms = (out, left, right)
    for label in dict.fromkeys("".join(terms)):
        axis, *operands = [x.index(label) - len(x) if label in x else None for x in terms]
        yield Split(axis, tuple(operands))


CONTRACT: Linear = Linear(
    "einsum",
    infer=_contracted_shape,
    forward=_contract,
    adjoints=(_left, _right),
    batched=_batched,
    contracts=True,
    takes=NUMBERS,
    # Copies of the operands in the order of a product, and where nothing is summed, the product.
    work=lambda node: node.size + sum(each.size for each in node.inputs),
    splits=lambda node: of_single_elements(node, _splits(node)),
    spell=lambda node, a, b: call("einsum", argument(node.attributes[0]), a, b),
)


def contract(a: Node, b: Node, equation: str) -> Node:
    """Products of elements of a and b, summed over the labels that the output leaves out."""
    if not a.shape or not b.shape:
        left, right, out = _parts(equation)
        return permute(a * b, tuple((left + right).index(label) for label in out))
    return a.graph.apply(CONTRACT, (a, b), (equation,))


# --- any number of operands ----------------------------------------------------------------

Term: TypeAlias = tuple[Node, str]
"""An operand and a label for each of its axes."""


@table.function(
    op=CONTRACT,
    cases=[
        Case("einsum('ij,jk->ik', x, y)", {"x": (2, 3), "y": (3, 2)}),
        Case("einsum('ij,jk', x, y)", {"x": (2, 3), "y": (3, 2)}),
        Case("einsum('bij,bjk->bik', x, y)", {"x": (2, 2, 3), "y": (2, 3, 2)}),
        Case("einsum('...ij,...jk->...ik', x, y)", {"x": (2, 1, 2), "y": (3, 2, 2, 2)}),
        Case("einsum('ii->i', x)", {"x": (3, 3)}),
        Case("einsum('ii', x)", {"x": (3, 3)}),
        Case("einsum('iij,jk->ki', x, y)", {"x": (2, 2, 3), "y": (3, 2)}),
        Case("einsum('ij->', x)"),
        Case("einsum('ij,kl->jl', x, y)", {"x": (2, 3), "y": (3, 2)}),
        Case("einsum('i,i,i->i', x, x, y)", {"x": (3,), "y": (3,)}),
        Case("einsum('ij,jk,kl->il', x, y, x)", {"x": (2, 3), "y": (3, 2)}),
        Case("einsum('ij,ij->ij', x, y)", {"x": (2, 3), "y": (1, 3)}),
        Case("einsum(',ij->ji', x, y)", {"x": (), "y": (2, 3)}),
        Case("einsum('ij,ji->', x, y)", {"x": (2, 2), "y": (2, 2)}),
        Case("einsum('ij,jk,ki->', x, y, z)", {"x": (2, 3), "y": (3, 4), "z": (4, 2)}),
        Case("einsum('ijk,kij->', x, y)", {"x": (2, 3, 4), "y": (4, 2, 3)}),
    ],
    numpy="np.einsum",
    torch="torch.einsum",
    autocast="lower",
)
def einsum(equation: str, *operands: Node) -> Node:
    """Products of elements with equal labels, summed over labels that the output leaves out."""
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    written = inputs.split(",")
    if len(written) != len(operands):
        raise GradcliError(
            "value",
            f"einsum: {equation!r} is for {len(written)} operands; {len(operands)} are given",
        )
    free = [letter for letter in ascii_letters if letter not in equation]
    terms: list[Term] = []
    ellipsis = ""
    for labels, operand in zip(written, promoted(CONTRACT, operands), strict=True):
        dots = _dots(labels, operand, free)
        ellipsis = max(ellipsis, dots, key=len)
        terms.append((operand, labels.replace("...", dots)))
    every = "".join(labels for _, labels in terms)
    if arrow:
        output = output.replace("...", ellipsis)
    else:
        once = (each for each in every if every.count(each) == 1 and each not in ellipsis)
        output = ellipsis + "".join(sorted(once))
    for label in output:
        if label not in every or output.count(label) > 1:
            fault = "twice" if label in every else "but no operand has it"
            raise GradcliError("value", f"einsum: the output {output!r} has {label!r} {fault}")
    return _contract_all("einsum", terms, output)


def _dots(labels: str, operand: Node, free: Sequence[str]) -> str:
    """Labels for the axes that `...` stands for, the same ones counted from the right."""
    named = labels.replace("...", "", 1)
    if wrong := next((each for each in named if each not in ascii_letters), None):
        raise GradcliError(
            "value",
            f"einsum: {labels!r} has {wrong!r}; labels are letters, and ... may stand once",
        )
    count = operand.ndim - len(named)
    if count < 0 or (count > 0 and "..." not in labels):
        raise GradcliError(
            "shape",
            f"einsum: {labels!r} has {len(named)} labels for an operand of shape "
            f"{show(operand.shape)}",
            hint="... stands for the axes without a label",
        )
    if count > len(free):
        raise GradcliError("value", "einsum: there are more axes than letters")
    return "".join(reversed(free[:count])) if "..." in labels else ""


def _contract_all(name: str, terms: list[Term], output: str) -> Node:
    """The contraction of all terms, two at a time from the left."""
    lengths = _lengths(name, terms)
    terms = [_distinct(x, labels, lengths) for x, labels in terms]
    for place, (x, labels) in enumerate(terms):
        others = output + "".join(each for i, (_, each) in enumerate(terms) if i != place)
        terms[place] = _summed(x, labels, others)
    first, labels = terms[0]
    for place, (second, more) in enumerate(terms[1:], 1):
        later = "".join(each for _, each in terms[place + 1 :])
        kept = dict.fromkeys(each for each in labels + more if each in output + later)
        target = "".join(kept) if later else output
        first, labels = contract(first, second, f"{labels},{more}->{target}"), target
    return permute(first, tuple(labels.index(label) for label in output))


def _lengths(name: str, terms: Sequence[Term]) -> dict[str, int]:
    """The length of each label; a length of 1 broadcasts against another operand's."""
    found: dict[str, tuple[int, Node]] = {}
    for x, labels in terms:
        for label, length in zip(labels, x.shape, strict=True):
            known, before = found.setdefault(label, (length, x))
            if length != known and (1 not in (length, known) or before is x):
                raise GradcliError(
                    "shape",
                    f"{name}: label {label!r} has length {known} in {show(before.shape)} and "
                    f"{length} in {show(x.shape)}",
                )
            if known == 1:
                found[label] = (length, x)
    return {label: length for label, (length, _) in found.items()}


def _distinct(x: Node, labels: str, lengths: dict[str, int]) -> Term:
    """The operand with each label once: repeated ones become a diagonal, broadcast ones are
    removed.
    """
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first, second = labels.index(label), labels.rindex(label)
            x = diagonal(x, 0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    stretched = [i for i, label in enumerate(labels) if x.shape[i] != lengths[label]]
    if stretched:
        x = squeeze(x, tuple(stretched))
        labels = "".join(label for i, label in enumerate(labels) if i not in stretched)
    return x, labels


def _summed(x: Node, labels: str, others: str) -> Term:
    """The operand summed over the labels that neither the output nor another operand has."""
    alone = tuple(i for i, label in enumerate(labels) if label not in others)
    if not alone:
        return x, labels
    return sum_(x, alone), "".join(label for label in labels if label in others)


# --- spellings -----------------------------------------------------------------------------


@table.function(
    cases=[
        Case("tensordot(x, y, 1)", {"x": (2, 3), "y": (3, 2)}),
        Case("tensordot(x, y)", {"x": (2, 2, 3), "y": (2, 3)}),
        Case("tensordot(x, y, dims=([0], [-1]))", {"x": (2, 3), "y": (3, 2)}),
        Case("tensordot(x, y, 0)", {"x": (2,), "y": (2,)}),
        Case("tensordot(x, y, 1)", {"x": (2, 1), "y": (3, 2)}),
    ],
    demands={"a, b": _ONE_DTYPE},
    autocast="lower",
)
def tensordot(a: Node, b: Node, dims: int | tuple[Sequence[int], Sequence[int]] = 2) -> Node:
    """Sums of products over the last `dims` axes of a and the first of b, or over named pairs."""
    if isinstance(dims, int):
        if not 0 <= dims <= min(a.ndim, b.ndim):
            raise GradcliError(
                "axis",
                f"tensordot: {dims} axes of {show(a.shape)} and {show(b.shape)} cannot be summed",
            )
        dims = range(-dims, 0), range(dims)
    if len(dims[0]) != len(dims[1]):
        raise GradcliError("axis", "tensordot: as many axes of a as of b are needed")
    if a.ndim + b.ndim > len(ascii_letters):
        raise GradcliError("value", "tensordot: there are more axes than letters")
    if dims[0] and not (a.ndim and b.ndim):
        raise GradcliError("axis", "tensordot: a single value has no axes to sum over")
    for axes, node in zip(dims, (a, b), strict=True):
        normalize_axes("tensordot", tuple(axes), node.ndim)  # none of them twice
    for i, j in zip(*dims, strict=True):
        if a.shape[i] == 1:  # as in PyTorch, it is stretched: the same factor for all of b's
            b = sum_(b, (j,), keepdim=True)
        elif b.shape[j] == 1:
            a = sum_(a, (i,), keepdim=True)
    left = list(ascii_letters[: a.ndim])
    right = list(ascii_letters[a.ndim : a.ndim + b.ndim])
    for i, j in zip(*dims, strict=True):
        right[j] = left[i]
    output = [label for label in left if label not in right]
    output += [label for label in right if label not in left]
    a, b = promoted(CONTRACT, (a, b))
    terms = [(a, "".join(left)), (b, "".join(right))]
    return _contract_all("tensordot", terms, "".join(output))


@table.function(
    cases=[
        Case("inner(x, y)", {"x": (3,), "y": (3,)}),
        Case("inner(x, y)", {"x": (2, 3), "y": (4, 3)}),
        Case("inner(x, y)", {"x": (), "y": (2,)}),
    ],
    demands={"a, b": _ONE_DTYPE._replace(with_axes=True)},
    autocast="lower",
)
def inner(a: Node, b: Node) -> Node:
    """Sums of products along the last axes of both; a single value multiplies."""
    if not a.shape or not b.shape:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        raise GradcliError(
            "shape", f"inner: the last axes of {show(a.shape)} and {show(b.shape)} differ"
        )
    return tensordot(a, b, ((-1,), (-1,)))
