"""Products, linear algebra, losses and layers, as the generator draws them."""

from __future__ import annotations

import torch

from tests.campaigns.against.elementwise import kind, spelled
from tests.campaigns.against.maker import Drawn, Family, Maker
from tests.campaigns.against.program import Form, Node, same
from tests.campaigns.against.shaping import axis

SQUARE = """torch.linalg.det({0}) torch.det({0}) torch.linalg.inv({0}) torch.inverse({0})
    {0}.inverse()
    torch.linalg.slogdet({0})[1] torch.slogdet({0}).logabsdet torch.trace({0}) {0}.trace() {0}.det()
    torch.linalg.matrix_power({0},2) torch.matrix_power({0},3) torch.matrix_exp({0})
    torch.linalg.matrix_exp({0}) torch.linalg.eigvalsh({0}+{0}.mT) torch.linalg.svdvals({0})
    torch.linalg.qr({0})[1] torch.linalg.qr({0}).Q torch.linalg.pinv({0})
    torch.linalg.cholesky({0}@{0}.mT+torch.eye(2))[0] torch.linalg.cond({0})""".split()
MATRIX = """torch.linalg.matrix_norm({0}) torch.linalg.matrix_norm({0},1) torch.linalg.norm({0},inf)
    torch.linalg.svdvals({0}) torch.linalg.matrix_norm({0},'nuc') torch.linalg.norm({0},2)
    torch.linalg.qr({0})[1] torch.pinverse({0}) {0}@{0}.mT {0}.mT@{0} torch.cdist({0},{0}+1)
    torch.linalg.vander({0}) torch.vander({0}[0]) torch.linalg.norm({0},'fro')""".split()
REDUCTIONS = ("", ", reduction='sum'", ", reduction='none'", ", reduction='mean'")
LOSSES = """mse_loss l1_loss smooth_l1_loss huber_loss kl_div
    binary_cross_entropy_with_logits poisson_nll_loss""".split()


def multiplied(m: Maker, a: Node) -> Drawn:
    shape = a.value.shape
    if not shape or kind(a) != "float":
        return None
    rows = shape[-1]
    b = m.name(lambda v: v.is_floating_point() and v.dim() and v.shape[max(v.dim() - 2, 0)] == rows)
    if b is None:
        if not rows:
            return None
        b = m.literal((rows, m.pick((1, 2, 3))))
    return m.pick(("({0} @ {1})", "({0} @ {1})", "torch.matmul({0}, {1})", "{0}.matmul({1})")), a, b


def squared(m: Maker, a: Node) -> Drawn:
    if a.value.dim() < 2 or kind(a) != "float":
        return None
    shape = a.value.shape
    text = m.pick(SQUARE if shape[-1] == shape[-2] and m.chance(0.8) else MATRIX)
    if "eye" in text:
        text = text.replace("eye(2)", f"eye({shape[-2]})")
    return Form(text if m.chance(0.5) else text.replace("torch.eye", "eye"), text), a


def solved(m: Maker, a: Node) -> Drawn:
    shape = tuple(a.value.shape)
    if len(shape) < 2 or shape[-1] != shape[-2] or kind(a) != "float" or 0 in shape:
        return None
    b = m.literal((*shape[:-2], shape[-1], m.pick((1, 2))))
    upper = m.pick(("True", "False"))
    text = m.pick(
        (
            "torch.linalg.solve({0}, {1})",
            f"torch.linalg.solve_triangular({{0}}, {{1}}, upper={upper})",
            "torch.linalg.lstsq({0}, {1}).solution",
        )
    )
    return text, a, b


def pairwise(m: Maker, a: Node) -> Drawn:
    """Products of vectors, and other functions of two tensors alike."""
    b = m.like(a)
    if kind(a) != "float":
        return None
    dim = axis(m, a)
    if a.value.dim() == 1 and m.chance(0.6):
        text = m.pick(("dot", "inner", "outer", "vdot", "kron", "outer"))
        return spelled(m, text, "{0}, {1}"), a, b
    text = m.pick(
        (
            "torch.inner({0}, {1})",
            "torch.kron({0}, {1})",
            "torch.dist({0}, {1})",
            "torch.dist({0}, {1}, 1)",
            f"F.cosine_similarity({{0}}, {{1}}, dim={dim})",
            "F.pairwise_distance({0}, {1})",
            f"torch.linalg.cross({{0}}, {{1}}, dim={dim})",
            f"torch.linalg.vecdot({{0}}, {{1}}, dim={dim})",
            f"torch.tensordot({{0}}, {{1}}, dims=([{dim}], [{dim}]))",
            f"torch.tensordot({{0}}, {{1}}, {m.between(0, 2)})",
            "torch.einsum('...i,...i->...', {0}, {1})",
            "torch.einsum('ij,ij->j', {0}, {1})",
            "torch.einsum('ij,kj->ik', {0}, {1})",
            "torch.einsum('i,j->ij', {0}, {1})",
        )
    )
    return text, a, b


def lost(m: Maker, a: Node) -> Drawn:
    if kind(a) != "float":
        return None
    b, reduction = m.like(a), m.pick(REDUCTIONS)
    draw = m.between(0, 9)
    if draw == 0:
        p = m.apply(same("torch.sigmoid({0})"), (a,))
        q = m.apply(same("torch.sigmoid({0})"), (b,))
        return f"F.binary_cross_entropy({{0}}, {{1}}{reduction})", p, q
    if draw in (1, 2) and a.value.dim() >= 1:
        classes = a.value.shape[1 if a.value.dim() > 1 else 0]
        rest = tuple(n for k, n in enumerate(a.value.shape) if k != (1 if a.value.dim() > 1 else 0))
        if not classes or 0 in rest:
            return None
        count = torch.Size(rest).numel()
        items = torch.tensor([m.between(0, classes - 1) for _ in range(count)]).reshape(rest)
        text = repr(items.tolist())
        target = Node(Form(f"tensor({text})", f"torch.tensor({text})"), (), items)
        name = m.pick(("cross_entropy", "cross_entropy", "nll_loss"))
        smooth = ", label_smoothing=0.1" if name == "cross_entropy" and m.chance(0.3) else ""
        return f"F.{name}({{0}}, {{1}}{reduction}{smooth})", a, target
    if draw == 3:
        return (
            f"F.margin_ranking_loss({{0}}, {{1}}, torch.sign({{1}}), margin=0.3{reduction})",
            a,
            b,
        )
    if draw == 4:
        return f"F.gaussian_nll_loss({{0}}, {{1}}, {{0}}.exp(){reduction})", a, b
    return f"F.{m.pick(LOSSES)}({{0}}, {{1}}{reduction})", a, b


def layered(m: Maker, a: Node) -> Drawn:
    shape = tuple(a.value.shape)
    if kind(a) != "float" or not shape or 0 in shape:
        return None
    last = shape[-1]
    draw = m.between(0, 8)
    if draw == 0:
        return "F.linear({0}, {1})", a, m.literal((m.pick((1, 2)), last))
    if draw == 1:
        return "F.linear({0}, {1}, {2})", a, m.literal((2, last)), m.literal((2,))
    if draw == 2:
        return f"F.layer_norm({{0}}, ({last},))", a
    if draw == 3:
        return "F.batch_norm({0}, None, None, training=True)", a
    if draw == 4:
        return f"F.{m.pick(('avg', 'max'))}_pool1d({{0}}, 2{m.pick(('', ', 1'))})", a
    if draw == 5 and len(shape) >= 2:
        return f"F.conv1d({{0}}, {{1}}, padding={m.pick((0, 1))})", a, m.literal((2, shape[-2], 2))
    if draw == 6 and len(shape) >= 3:
        return "F.conv2d({0}, {1}, stride=1)", a, m.literal((1, shape[-3], 2, 2))
    if draw == 7 and len(shape) >= 2:
        return "F.scaled_dot_product_attention({0}, {1}, {0})", a, m.like(a)
    return "F.prelu({0}, {1})", a, m.literal((1,))


FAMILIES: list[tuple[Family, int]] = [
    *((multiplied, 5), (squared, 3), (solved, 1), (pairwise, 4), (lost, 4), (layered, 3)),
]
