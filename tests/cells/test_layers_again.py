"""Layers that begin again, numbers of schedulers: gradcli prints what PyTorch 2.13 prints."""

from __future__ import annotations

import re

import pytest

from tests.cells.cells import difference
from tests.cells.test_python_lines import ours

CELLS = r"""
### layers begin again
import math
import torch
from torch import nn
torch.manual_seed(0)
l = nn.Linear(3, 2)
w = l.weight
before = l.weight.clone()
l.reset_parameters()
print(torch.equal(before, l.weight), l.weight is w)
print(l.weight.abs().max() <= 1 / math.sqrt(3))
print(l.weight.requires_grad)
def reset(m):
    if hasattr(m, 'reset_parameters'):
        print('reset', m)
        m.reset_parameters()
net = nn.Sequential(
    nn.Linear(3, 4), nn.ReLU(), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.LSTM(4, 2), nn.LayerNorm(2)
)
with torch.no_grad():
    net[2].weight.fill_(3.)
    net[5].bias.add_(1.)
net[2](torch.randn(5, 4))
print(net[2].num_batches_tracked)
net.apply(reset)
print(net[2].weight, net[2].running_mean, net[2].num_batches_tracked, net[5].bias)
class Own(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(o, i))
        self.bias = nn.Parameter(torch.empty(o))
        self.reset_parameters()
    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in, _ = nn.init._calculate_fan_in_and_fan_out(self.weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        nn.init.uniform_(self.bias, -bound, bound)
    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias)
m = Own(4, 2)
print(m(torch.ones(1, 4)).shape, m.bias.abs().max() <= 0.5)
print(hasattr(nn.ReLU(), 'reset_parameters'))
o = torch.optim.SGD(l.parameters(), lr=0.1)
l(torch.ones(1, 3)).sum().backward()
o.step()
print(l.bias.grad)
===
False True tensor(True)
True
tensor(1)
reset Linear(in_features=3, out_features=4, bias=True)
reset BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
reset LSTM(4, 2)
reset LayerNorm((2,), eps=1e-05, elementwise_affine=True, bias=True)
Parameter containing:
tensor([1., 1., 1., 1.], requires_grad=True) tensor([0., 0., 0., 0.]) tensor(0) Parameter
containing:
tensor([0., 0.], requires_grad=True)
torch.Size([1, 2]) tensor(True)
False
tensor([1., 1.])
### numbers of schedulers
import torch
from torch.optim.lr_scheduler import *
o = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=1.)
s = StepLR(o, 2, gamma=0.5)
print(s.gamma, s.step_size, s.base_lrs, s.last_epoch, s.optimizer is o)
print(ExponentialLR(o, 0.9).gamma, MultiStepLR(o, [2, 4]).gamma)
print(CosineAnnealingLR(o, 10, eta_min=0.01).T_max)
p = ReduceLROnPlateau(o, patience=3)
print(p.factor, p.patience, p.threshold, p.mode, p.min_lrs, p.best, p.num_bad_epochs)
print(len(LambdaLR(o, lambda e: 0.9 ** e).lr_lambdas))
===
0.5 2 [1.0] 0 True
0.9 0.1
10
0.1 3 0.0001 min [0] inf 0
1
"""
_TITLED = re.split(r"^### (.+)\n", CELLS, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize(
    "cell",
    [pytest.param(b, id=a) for a, b in zip(_TITLED[::2], _TITLED[1::2], strict=True)],
)
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)
