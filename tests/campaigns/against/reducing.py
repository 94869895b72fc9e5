"""Reductions, scans and sorts, as the generator draws them."""

from __future__ import annotations

from tests.campaigns.against.elementwise import kind, spelled
from tests.campaigns.against.maker import Drawn, Family, Maker
from tests.campaigns.against.program import Form, Node
from tests.campaigns.against.shaping import axis, length

SEVERAL = "sum mean amax amin std var logsumexp norm nansum nanmean all any count_nonzero".split()
"""Reductions along one axis, several or all."""
ONE = "prod argmax argmin".split()
PAIRED = "max min median kthvalue cummax cummin sort topk".split()
WHOLE = "sum prod amax amin all any argmax argmin count_nonzero max min".split()


def reduced(m: Maker, a: Node) -> Drawn:
    name = m.pick(SEVERAL if m.chance(0.8) else ONE)
    if kind(a) != "float":
        name = m.pick(WHOLE[:-2])
    if name == "norm" and m.chance(0.5):
        return normed(m, a)
    dims = str(axis(m, a))
    if name in SEVERAL and name != "logsumexp" and a.value.dim() > 1 and m.chance(0.25):
        first, second = m.random.sample(range(a.value.dim()), 2)
        dims = m.pick((f"({first}, {second})", f"[{first}, {second - a.value.dim()}]"))
    keyword = m.pick(("dim=", "dim=", "")) if name != "norm" else "dim="
    keep = m.pick(("", ", keepdim=True", ", keepdim=False"))
    if name == "count_nonzero":
        keep = ""
    if name in ("std", "var"):
        keep += m.pick(("", ", correction=0", ", unbiased=False", ", correction=2"))
        keyword = "dim="
    prefix = "torch."
    text = f"{name}({{0}}, {keyword}{dims}{keep})"
    if m.chance(0.3):
        method = f"{{0}}.{name}({keyword}{dims}{keep})"
        return method, a
    return Form(m.pick(("", prefix)) + text, prefix + text), a


def total(m: Maker, a: Node) -> Drawn:
    name = m.pick((*SEVERAL, *ONE, "sum", "mean", "max", "min", "median"))
    if kind(a) != "float":
        name = m.pick(WHOLE)
    if name in ("logsumexp",):
        return f"torch.logsumexp({{0}}, {tuple(range(a.value.dim()))})", a
    return spelled(m, name), a


def normed(m: Maker, a: Node) -> Drawn:
    order = m.pick(("1", "2", "3", "inf", "0.5", "0", "-inf", "'fro'"))
    dim = f", dim={axis(m, a)}" if m.chance(0.5) else ""
    keep = ", keepdim=True" if dim and m.chance(0.3) else ""
    if order == "'fro'" and dim:
        order = "2"
    plain = "2" if order == "'fro'" else order
    return m.pick(
        (
            f"torch.norm({{0}}, p={order}{dim}{keep})",
            f"{{0}}.norm({order}{dim}{keep})",
            f"torch.linalg.vector_norm({{0}}, {plain}{dim}{keep})",
            f"torch.linalg.norm({{0}}{dim}{keep})",
            f"F.normalize({{0}}, p={plain}, dim={axis(m, a)})",
        )
    ), a


def softened(m: Maker, a: Node) -> Drawn:
    name = m.pick(("softmax", "log_softmax", "softmin", "logsumexp"))
    dim = axis(m, a)
    keyword = m.pick(("", "dim="))
    if name == "softmin":
        return f"F.softmin({{0}}, dim={dim})", a
    return spelled(m, name, f"{{0}}, {keyword}{dim}"), a


def scanned(m: Maker, a: Node) -> Drawn:
    name = m.pick(("cumsum", "cumprod", "logcumsumexp", "cumsum"))
    return spelled(m, name, f"{{0}}, {m.pick(('', 'dim='))}{axis(m, a)}"), a


def paired(m: Maker, a: Node) -> Drawn:
    """Functions that give values and their places; one of the two is taken."""
    name, dim = m.pick(PAIRED), axis(m, a)
    n = length(a, dim)
    part = m.pick(("[0]", ".values", ".values", ".indices", "[1]"))
    arguments = f"{dim}"
    if name == "kthvalue":
        arguments = f"{m.between(1, max(n, 1))}, {dim}"
    elif name == "topk":
        arguments = f"{m.between(0, n)}, dim={dim}" + m.pick(("", ", largest=False"))
    elif name == "sort":
        arguments = m.pick((f"{dim}", f"dim={dim}, descending=True", ""))
    elif name in ("max", "min", "median"):
        arguments = f"dim={dim}" + m.pick(("", ", keepdim=True"))
    if m.chance(0.5):
        return f"{{0}}.{name}({arguments}){part}", a
    call = f"{name}({{0}}{', ' if arguments else ''}{arguments}){part}"
    return Form(m.pick(("", "torch.")) + call, "torch." + call), a


def ordered(m: Maker, a: Node) -> Drawn:
    dim = axis(m, a)
    text = m.pick(
        (
            f"argsort({{0}}, {dim})",
            f"argsort({{0}}, dim={dim}, descending=True)",
            f"argmax({{0}}, {dim})",
            f"argmin({{0}}, dim={dim}, keepdim=True)",
            f"quantile({{0}}, {m.pick((0.25, 0.5, 0.9))}, dim={dim})",
            f"quantile({{0}}, {m.pick((0.25, 0.5, 1.0))})",
            f"trapezoid({{0}}, dim={dim})",
            f"var_mean({{0}}, dim={dim})[{m.pick((0, 1))}]",
            f"std_mean({{0}}, dim={dim}, keepdim=True)[{m.pick((0, 1))}]",
        )
    )
    return Form(m.pick(("", "torch.")) + text, "torch." + text), a


FAMILIES: list[tuple[Family, int]] = [
    *((reduced, 8), (total, 4), (softened, 3), (scanned, 3), (paired, 4), (ordered, 3)),
    (normed, 2),
]
