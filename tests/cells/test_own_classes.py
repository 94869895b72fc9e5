"""Classes of the program that are made from layers and schedulers: what they refuse."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import evaluate

T = "import torch\n"
W = T + "w = torch.ones(1, requires_grad=True)\no = torch.optim.SGD([w], lr=0.1)\n"
WARM = "class W(torch.optim.lr_scheduler.LRScheduler):\n    def get_lr(self): return [3.0]\n"
LATE = (
    "class L(torch.nn.Linear):\n    def __init__(self):\n        self.k = 3\n"
    "    def forward(self, x): return x\n"
)

ERRORS = [
    (T + LATE + "L()(torch.ones(1)); print(L().weight)", "was not set up"),
    (T + "class L(torch.nn.Linear): pass\nL(2)", "out_features"),
    (T + "class N(torch.nn.Module): pass\nN(2)", "takes no arguments"),
    (T + WARM + "W(3)", "an optimiser first"),
    (W + "class W(torch.optim.lr_scheduler.LRScheduler): pass\nW(o)", "get_lr"),
]


@pytest.mark.parametrize(("program", "message"), ERRORS)
def test_errors(program: str, message: str) -> None:
    with pytest.raises(GradcliError, match=message) as caught:
        evaluate(parse_program(Source("cell", program), ParseLimits()), {})
    assert caught.value.diagnostic.span is not None


def printed(program: str) -> list[str]:
    return list(evaluate(parse_program(Source("cell", program), ParseLimits()), {}).printed)


def test_an_own_scheduler_sets_the_rate() -> None:
    assert printed(W + WARM + "W(o)\nprint(o.param_groups[0]['lr'])") == ["3.0"]


def test_views_stay_with_the_memory_that_they_were_made_of() -> None:
    program = T + (
        "p = torch.nn.Parameter(torch.zeros(2))\nold = p.data\nfor i in range(3):\n"
        "    p.data = p.data + 1\nprint(old, p.data)"
    )
    assert printed(program) == ["tensor([0., 0.]) tensor([3., 3.])"]
