"""Layers that begin again, numbers of schedulers: gradcli prints what PyTorch 2.13 prints."""

from __future__ import annotations

import pytest

from tests.cells.cells import difference, titled
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
### an LSTM whose hidden state is projected
import torch
from torch import nn
def filled(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()) * 0.7 + i).reshape(p.shape))
    return m
m = filled(nn.LSTM(3, 4, num_layers=2, bidirectional=True, proj_size=2, batch_first=True))
print(m, m.proj_size)
print([(n, tuple(p.shape)) for n, p in m.named_parameters() if 'reverse' not in n])
x = torch.cos(torch.arange(12.0)).reshape(1, 4, 3).requires_grad_()
out, (h, c) = m(x)
print(out, h, c.detach())
(out.sum() + c.sum()).backward()
print(x.grad, m.weight_hr_l1_reverse.grad)
m = filled(nn.LSTM(3, 4, proj_size=2, bias=False))
print(m, list(m.state_dict()))
o, (h, c) = m(torch.ones(2, 3), (torch.ones(1, 2), torch.zeros(1, 4)))
print(o.detach(), h.detach(), c.detach())
try:
    m(torch.ones(2, 3), (torch.ones(1, 4), torch.zeros(1, 4)))
except RuntimeError:
    print('the state has other lengths')
for make in (lambda: nn.LSTM(3, 4, proj_size=4), lambda: nn.LSTM(3, 4, proj_size=-1),
             lambda: nn.GRU(3, 4, proj_size=2)):
    try:
        make()
    except ValueError as e:
        print(e)
rows = torch.nn.utils.rnn.pack_sequence([torch.ones(3, 3), torch.ones(2, 3)])
o, (h, c) = nn.LSTM(3, 4, proj_size=2)(rows)
print(o.data.shape, h.shape, c.shape)
o, _ = nn.LSTM(3, 4, proj_size=2)(torch.ones(2, 2, 3))
print(type(o.grad_fn).__name__)
===
LSTM(3, 4, proj_size=2, num_layers=2, batch_first=True, bidirectional=True) 2
[('weight_ih_l0', (16, 3)), ('weight_hh_l0', (16, 2)), ('bias_ih_l0', (16,)), ('bias_hh_l0',
(16,)), ('weight_hr_l0', (2, 4)), ('weight_ih_l1', (16, 4)), ('weight_hh_l1', (16, 2)),
('bias_ih_l1', (16,)), ('bias_hh_l1', (16,)), ('weight_hr_l1', (2, 4))]
tensor([[[-0.3068,  0.1693, -0.8656,  0.5439],
         [-0.3420,  0.1520, -0.7753,  0.4890],
         [-0.4083,  0.1937, -0.6624,  0.4481],
         [-0.3429,  0.1217, -0.4396,  0.3111]]], grad_fn=<TransposeBackward0>) tensor([[[ 0.2552,
-0.3647]],

        [[-0.1189, -0.0045]],

        [[-0.3429,  0.1217]],

        [[-0.8656,  0.5439]]], grad_fn=<StackBackward0>) tensor([[[ 0.6355,  0.5915, -0.6580,
-0.1334]],

        [[ 0.8294,  0.4421,  0.7861,  0.5257]],

        [[-1.3299,  0.4294,  0.7520,  0.8045]],

        [[-0.3922, -0.9449, -0.8586,  0.3583]]])
tensor([[[-0.7694, -0.5395, -0.0559],
         [ 0.1099, -0.1742, -0.3763],
         [ 0.0790, -0.0884, -0.2142],
         [ 0.2162,  0.3491,  0.3179]]]) tensor([[-0.9205, -1.6224, -2.1275,  0.7468],
        [-1.0152, -1.8017, -2.3440,  0.8447]])
LSTM(3, 4, proj_size=2, bias=False) ['weight_ih_l0', 'weight_hh_l0', 'weight_hr_l0']
tensor([[ 0.1548, -0.1822],
        [ 0.0817,  0.0459]]) tensor([[0.0817, 0.0459]]) tensor([[-1.4590,  0.7374,  0.0690,
-1.2272]])
the state has other lengths
proj_size has to be smaller than hidden_size
proj_size should be a positive integer or zero to disable projections
proj_size argument is only supported for LSTM, not RNN or GRU
torch.Size([5, 2]) torch.Size([1, 2, 2]) torch.Size([1, 2, 4])
StackBackward0
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)
