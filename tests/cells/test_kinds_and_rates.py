"""Misspelt classes, and functions that delete what they have used."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate


def printed(program: str) -> list[str]:
    return list(evaluate(parse_program(Source("cell", program), ParseLimits()), {}).printed)


def test_a_misspelt_class_is_an_error() -> None:
    program = "import torch\nfrom torch import nn\nprint(isinstance(nn.ReLU(), nn.Relu))"
    with pytest.raises(GradcliError, match=r"gradcli has no torch\.nn\.Relu"):
        printed(program)


def test_jvp_may_delete_what_it_has_used() -> None:
    program = """import torch
import torch.autograd.forward_ad as fwAD
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = torch.exp(x)
        return ctx.result.clone()
    @staticmethod
    def jvp(ctx, t):
        given = t * ctx.result
        del ctx.result
        return given
with fwAD.dual_level():
    y = Exp.apply(fwAD.make_dual(torch.zeros(2), torch.tensor([1., 3.])))
    print(fwAD.unpack_dual(y).tangent, fwAD.unpack_dual(y).tangent)
"""
    assert printed(program) == ["tensor([1., 3.]) tensor([1., 3.])"]
