"""Functions that work element by element, casts and masks, as the generator draws them."""

from __future__ import annotations

from functools import cache

import torch
from torch.nn import functional

from tests.campaigns.against.maker import Drawn, Family, Maker
from tests.campaigns.against.program import Form, Node

PREFIXES = {
    "torch.": torch,
    "F.": functional,
    "torch.nn.functional.": functional,
    "torch.special.": torch.special,
    "torch.linalg.": torch.linalg,
}

FLOAT = """abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp
    exp2 expm1 floor frac lgamma log log10 log1p log2 logit neg rad2deg reciprocal relu round rsqrt
    sigmoid sign sgn sin sinc sinh sqrt square tan tanh trunc fix nan_to_num arctan
    negative absolute
    relu6 elu selu celu gelu silu mish softplus softsign tanhshrink hardswish hardsigmoid logsigmoid
    leaky_relu hardtanh hardshrink softshrink
    entr erfcx expit gammaln psi i0 i1 log_ndtr ndtr positive""".split()
WHOLE = "abs neg sign square sqrt exp sin relu float floor round trunc log1p sigmoid".split()
TESTS = "isnan isinf isfinite logical_not".split()
PARAMETERS = """leaky_relu({0}, 0.2) leaky_relu({0},negative_slope=0.3) elu({0},0.5)
    elu({0},alpha=1.5) celu({0},2.0) hardtanh({0},-0.5,1) hardshrink({0},lambd=1)
    softshrink({0},0.25) softplus({0},beta=2) softplus({0},2,1.5) gelu({0},approximate='tanh')
    threshold({0},0.5,-1.0) relu6({0}) logit({0},eps=0.125)""".replace(", ", ",").split()
TORCH_PARAMETERS = """clamp({0},min=-0.5) clamp({0},max=1) clamp({0},-1,1) clamp({0},min=0,max=0.5)
    clip({0},-0.5,0.75) clamp_min({0},0.25) clamp_max({0},0.5) round({0},decimals=1) pow({0},2)
    pow({0},3) pow({0},-1) pow({0},0.5) pow(2.0,{0}) nan_to_num({0},nan=1.5) polygamma(1,{0})
    polygamma(2,{0}) mul({0},3) add({0},1,alpha=2) div({0},2,rounding_mode='floor')
    sub({0},0.5,alpha=2) remainder({0},0.75) fmod({0},0.75) true_divide({0},4)""".split()
BINARY = "+ - * / // % **".split()
PAIRS = """add sub mul div maximum minimum fmax fmin atan2 hypot copysign fmod remainder logaddexp
    logaddexp2 xlogy pow heaviside true_divide subtract multiply float_power""".split()
COMPARED = "> < >= <= == !=".split()
COMPARISONS = "gt lt ge le eq ne".split()
JOINED = "logical_and logical_or logical_xor".split()


@cache
def _prefixes(name: str) -> tuple[str, ...]:
    return tuple(p for p, module in PREFIXES.items() if hasattr(module, name))


@cache
def _is_method(name: str) -> bool:
    return hasattr(torch.Tensor, name)


def spelled(m: Maker, name: str, arguments: str = "{0}") -> Form:
    """A call under one of the prefixes that PyTorch has it under; without one in gradcli, too."""
    if _is_method(name) and m.chance(0.3) and arguments.startswith("{0}"):
        text = "{0}." + f"{name}({arguments[3:].lstrip(', ')})"
        return Form(text, text)
    prefix = m.pick(_prefixes(name))
    here = "" if m.chance(0.6) and prefix == _prefixes(name)[0] else prefix
    return Form(f"{here}{name}({arguments})", f"{prefix}{name}({arguments})")


def kind(node: Node) -> str:
    value = node.value
    if value.dtype == torch.bool:
        return "bool"
    return "float" if value.is_floating_point() else "int"


def unary(m: Maker, a: Node) -> Drawn:
    if kind(a) == "float":
        return spelled(m, m.pick(FLOAT)), a
    name = m.pick(WHOLE)
    if name == "float":
        return cast(m, a)
    if kind(a) == "bool" and name in ("abs", "neg", "sign", "floor", "round", "trunc", "relu"):
        return None
    return spelled(m, name), a


def parameters(m: Maker, a: Node) -> Drawn:
    if kind(a) != "float":  # the numbers in these are floats in gradcli
        return None
    if m.chance(0.5):
        text = m.pick(PARAMETERS)
        prefix = "torch.special." if text.startswith("logit") else "F."
    else:
        text, prefix = m.pick(TORCH_PARAMETERS), "torch."
        prefix = "torch.special." if text.startswith("polygamma") else prefix
    return Form(m.pick(("", prefix)) + text, prefix + text), a


def binary(m: Maker, a: Node) -> Drawn:
    b = m.other(a, m.between(0, 1))
    if m.chance(0.2):
        a, b = b, a
    return f"({{0}} {m.pick(BINARY)} {{1}})", a, b


def products(m: Maker, a: Node) -> Drawn:
    return m.pick(("({0} * {1})", "({0} + {1})", "({0} - {1})")), a, m.other(a, m.between(0, 1))


def pairs(m: Maker, a: Node) -> Drawn:
    b = m.other(a)
    if not torch.is_tensor(b.value):
        return None
    return spelled(m, m.pick(PAIRS), "{0}, {1}"), a, b


def triples(m: Maker, a: Node) -> Drawn:
    b, c = m.like(a), m.like(a)
    text = m.pick(("lerp({0},{1},{2})", "addcmul({0},{1},{2},value=0.5)", "lerp({0},{1},0.25)"))
    text = m.pick((text, "addcdiv({0},{1},{2})", "addcmul({0},{1},{2})"))
    return Form(m.pick(("", "torch.")) + text, "torch." + text), a, b, c


def compared(m: Maker, a: Node) -> Drawn:
    b = m.other(a)
    if m.chance(0.3) and torch.is_tensor(b.value):
        return spelled(m, m.pick(COMPARISONS), "{0}, {1}"), a, b
    if m.chance(0.1):
        return spelled(m, m.pick(TESTS)), a
    return f"({{0}} {m.pick(COMPARED)} {{1}})", a, b


def logic(m: Maker, a: Node) -> Drawn:
    if kind(a) != "bool":
        return compared(m, a)
    b = m.name(lambda v: v.dtype == torch.bool and v.shape == a.value.shape) or a
    if m.chance(0.4):
        return m.pick(("({0} & {1})", "({0} | {1})", "(~{0})", "({0} ^ {1})")[:3]), a, b
    if m.chance(0.3):
        return m.pick(("({0} * {1})", "({0} + {1})")), a, b
    return spelled(m, m.pick(JOINED), "{0}, {1}"), a, b


def cast(m: Maker, a: Node) -> Drawn:
    default = "double" if torch.get_default_dtype() == torch.float64 else "float"
    if kind(a) != "float" and m.chance(0.5):
        return Form(f"{{0}}.{default}()", f"{{0}}.{default}()"), a
    text = m.pick(("long()", "int()", "bool()", "to(torch.int64)", "to(torch.bool)", "detach()"))
    if m.chance(0.15):
        text = m.pick(("clone()", "data"))
    elif m.chance(0.1) and (b := m.name()):
        return "{0}.type_as({1})", a, b
    return f"{{0}}.{text}", a


def selected(m: Maker, a: Node) -> Drawn:
    mask, b = m.mask(a), m.other(a)
    if m.chance(0.5):
        form = Form(
            m.pick(("where", "torch.where")) + "({0}, {1}, {2})", "torch.where({0}, {1}, {2})"
        )
        return (form, mask, a, b) if m.chance(0.7) else (form, mask, b, a)
    fill = m.pick(("0", "1", "-1.5", "inf")[: 4 if m.chance(0.1) else 3])
    if kind(a) != "float":
        fill = "1"
    text = f"masked_fill({{0}}, {{1}}, {fill})"
    return m.pick((f"torch.{text}", f"{{0}}.masked_fill({{1}}, {fill})")), a, mask


def made(m: Maker, a: Node) -> Drawn:
    text = m.pick(("zeros_like({0})", "ones_like({0})", "full_like({0}, 2)"))
    return Form(m.pick(("", "torch.")) + text, "torch." + text), a


FAMILIES: list[tuple[Family, int]] = [
    *((unary, 14), (parameters, 6), (binary, 10), (products, 12), (pairs, 6), (triples, 2)),
    *((compared, 3), (logic, 3), (cast, 3), (selected, 5), (made, 1)),
]
