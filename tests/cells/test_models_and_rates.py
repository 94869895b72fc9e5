"""Functions under no_grad, models as they are shown, and rates: as in PyTorch 2.13."""

from __future__ import annotations

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

CELLS = r"""
### transforms of functions under no_grad
import torch
f = lambda t: t ** 2
cube = lambda t: (t ** 3).sum()
x, one = torch.tensor([1., 2.]), torch.ones(2)
a = x.clone().requires_grad_()
with torch.no_grad():
    print(torch.autograd.functional.jacobian(f, x))
    print(torch.autograd.functional.hessian(cube, x))
    print(torch.autograd.functional.jvp(f, x, one), torch.autograd.functional.vjp(f, x, one))
    print(torch.autograd.functional.hvp(cube, x, one), torch.autograd.functional.vhp(cube, x, one))
    print(torch.func.grad(cube)(x), torch.func.grad_and_value(cube)(x))
    print(torch.func.jacrev(f)(x), torch.func.jacfwd(f)(x), torch.func.hessian(cube)(x))
    print(torch.func.jvp(f, (x,), (one,)), torch.func.vjp(f, x)[1](one))
    print(torch.func.linearize(f, x)[1](one), torch.func.vmap(torch.func.grad(f))(x))
    print(torch.func.grad(lambda p: (p["w"] * a).sum())({"w": x})["w"].requires_grad)
    print(torch.autograd.functional.jacobian(f, a, create_graph=True).requires_grad)
    print(torch.is_grad_enabled(), (a * 2).requires_grad)
@torch.no_grad()
def step(w):
    return w - 0.1 * torch.func.grad(cube)(w)
print(step(x))
===
tensor([[2., 0.],
        [0., 4.]])
tensor([[ 6.,  0.],
        [ 0., 12.]])
(tensor([1., 4.]), tensor([2., 4.])) (tensor([1., 4.]), tensor([2., 4.]))
(tensor(9.), tensor([ 6., 12.])) (tensor(9.), tensor([ 6., 12.]))
tensor([ 3., 12.]) (tensor([ 3., 12.]), tensor(9.))
tensor([[2., 0.],
        [0., 4.]]) tensor([[2., 0.],
        [0., 4.]]) tensor([[ 6.,  0.],
        [ 0., 12.]])
(tensor([1., 4.]), tensor([2., 4.])) (tensor([2., 4.]),)
tensor([2., 4.]) tensor([2., 4.])
False
True
False False
tensor([0.7000, 0.8000])
### tangents under no_grad
import torch
import torch.autograd.forward_ad as fwAD
x = torch.tensor([1., 2.])
with fwAD.dual_level():
    dual = fwAD.make_dual(x, torch.ones(2))
    with torch.no_grad():
        y = dual ** 2
        print(fwAD.unpack_dual(y.exp()).tangent, y.requires_grad)
    print(fwAD.unpack_dual(y).tangent, fwAD.unpack_dual(y.detach()).tangent)
===
tensor([  5.4366, 218.3926]) False
tensor([2., 4.]) None
### models that say how they are shown
import torch.nn as nn
class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 3)
    def __repr__(self):
        return f"{self.__class__.__name__}(me)"
class Lines(nn.Linear):
    def __repr__(self): return super().__repr__() + "!\nsecond"
    def extra_repr(self): return "own " + super().extra_repr()
class Said(nn.Module):
    def __str__(self): return "said"
    def extra_repr(self): return "k=3\nm=4"
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Conv()
        self.b = nn.Sequential(Lines(1, 2), Conv(), Said(), nn.ModuleList([Conv(), Conv(), Said()]))
        self.c = nn.ModuleDict({"x": Conv()})
    def _get_name(self): return "Renamed"
print(Net())
print([Conv(), Conv()], nn.Sequential(Conv(), Conv()), Said(), [Said()], repr(Said()), f"{Conv()}")
print("%s %r" % (Conv(), Conv()), nn.ReLU().__repr__(), nn.ReLU().__str__())
===
Renamed(
  (a): Conv(me)
  (b): Sequential(
    (0): Lines(own in_features=1, out_features=2, bias=True)!
    second
    (1): Conv(me)
    (2): Said(
      k=3
      m=4
    )
    (3): ModuleList(
      (0-1): 2 x Conv(me)
      (2): Said(
        k=3
        m=4
      )
    )
  )
  (c): ModuleDict(
    (x): Conv(me)
  )
)
[Conv(me), Conv(me)] Sequential(
  (0): Conv(me)
  (1): Conv(me)
) said [Said(
  k=3
  m=4
)] Said(
  k=3
  m=4
) Conv(me)
Conv(me) Conv(me) ReLU() ReLU()
### rates that fall on a plateau
import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR
def make(n=1):
    rows = [torch.nn.Parameter(torch.tensor([1.0])) for _ in range(n)]
    groups = [{"params": [p], "lr": 0.1 * (i + 1)} for i, p in enumerate(rows)]
    return torch.optim.SGD(groups, lr=0.1)
losses = [-1.0, -1.0, -1.00005, -2.0, -1.9, -1.9, -1.9, -3.0, 0.0, 0.0, 5, 5, 5, 5]
for kw in ({}, {"mode": "max"}, {"threshold_mode": "abs", "threshold": 0.5},
           {"mode": "max", "threshold_mode": "abs"}, {"cooldown": 2},
           {"min_lr": 0.03}, {"eps": 0.05}):
    o = make(); s = ReduceLROnPlateau(o, patience=1, factor=0.5, **kw)
    for l in losses:
        s.step(l)
        print(o.param_groups[0]["lr"], s.num_bad_epochs, s.best, s.cooldown_counter, end="; ")
    print(kw)
print(sorted(o.param_groups[0]))
o = make(2); s = ReduceLROnPlateau(o, patience=0, min_lr=[0.05, 0.001])
for l in (1, 2, 3): s.step(torch.tensor(float(l))); print(s.get_last_lr(), s.last_epoch)
state = s.state_dict(); print(state)
t = ReduceLROnPlateau(make(2)); t.load_state_dict(state)
print(t.best, t.patience, t.get_last_lr())
for bad in ({"mode": "mean"},
            {"factor": 1.0}, {"threshold_mode": "x"}, {"min_lr": [1.0, 2.0, 3.0]}):
    try: ReduceLROnPlateau(make(2), **bad)
    except ValueError as e: print(e)
a = StepLR(make(), 2, 0.5); b = StepLR(make(), 7, 0.9); b.load_state_dict(a.state_dict())
print(a.state_dict(), b.step_size, b.gamma, b.base_lrs)
===
0.1 0 -1.0 0; 0.1 0 -1.0 0; 0.1 0 -1.00005 0; 0.1 0 -2.0 0; 0.1 1 -2.0 0; 0.05 0 -2.0 0; 0.05 1
-2.0 0; 0.05 0 -3.0 0; 0.05 1 -3.0 0; 0.025 0 -3.0 0; 0.025 1 -3.0 0; 0.0125 0 -3.0 0; 0.0125 1
-3.0 0; 0.00625 0 -3.0 0; {}
0.1 0 -1.0 0; 0.1 0 -1.0 0; 0.1 0 -1.00005 0; 0.1 1 -1.00005 0; 0.05 0 -1.00005 0; 0.05 1 -1.00005
0; 0.025 0 -1.00005 0; 0.025 1 -1.00005 0; 0.025 0 0.0 0; 0.025 1 0.0 0; 0.025 0 5.0 0; 0.025 1
5.0 0; 0.0125 0 5.0 0; 0.0125 1 5.0 0; {'mode': 'max'}
0.1 0 -1.0 0; 0.1 1 -1.0 0; 0.05 0 -1.0 0; 0.05 0 -2.0 0; 0.05 1 -2.0 0; 0.025 0 -2.0 0; 0.025 1
-2.0 0; 0.025 0 -3.0 0; 0.025 1 -3.0 0; 0.0125 0 -3.0 0; 0.0125 1 -3.0 0; 0.00625 0 -3.0 0;
0.00625 1 -3.0 0; 0.003125 0 -3.0 0; {'threshold_mode': 'abs', 'threshold': 0.5}
0.1 0 -1.0 0; 0.1 1 -1.0 0; 0.05 0 -1.0 0; 0.05 1 -1.0 0; 0.025 0 -1.0 0; 0.025 1 -1.0 0; 0.0125 0
-1.0 0; 0.0125 1 -1.0 0; 0.0125 0 0.0 0; 0.0125 1 0.0 0; 0.0125 0 5.0 0; 0.0125 1 5.0 0; 0.00625 0
5.0 0; 0.00625 1 5.0 0; {'mode': 'max', 'threshold_mode': 'abs'}
0.1 0 -1.0 0; 0.1 0 -1.0 0; 0.1 0 -1.00005 0; 0.1 0 -2.0 0; 0.1 1 -2.0 0; 0.05 0 -2.0 2; 0.05 0
-2.0 1; 0.05 0 -3.0 0; 0.05 1 -3.0 0; 0.025 0 -3.0 2; 0.025 0 -3.0 1; 0.025 0 -3.0 0; 0.025 1 -3.0
0; 0.0125 0 -3.0 2; {'cooldown': 2}
0.1 0 -1.0 0; 0.1 0 -1.0 0; 0.1 0 -1.00005 0; 0.1 0 -2.0 0; 0.1 1 -2.0 0; 0.05 0 -2.0 0; 0.05 1
-2.0 0; 0.05 0 -3.0 0; 0.05 1 -3.0 0; 0.03 0 -3.0 0; 0.03 1 -3.0 0; 0.03 0 -3.0 0; 0.03 1 -3.0 0;
0.03 0 -3.0 0; {'min_lr': 0.03}
0.1 0 -1.0 0; 0.1 0 -1.0 0; 0.1 0 -1.00005 0; 0.1 0 -2.0 0; 0.1 1 -2.0 0; 0.1 0 -2.0 0; 0.1 1 -2.0
0; 0.1 0 -3.0 0; 0.1 1 -3.0 0; 0.1 0 -3.0 0; 0.1 1 -3.0 0; 0.1 0 -3.0 0; 0.1 1 -3.0 0; 0.1 0 -3.0
0; {'eps': 0.05}
['dampening', 'differentiable', 'foreach', 'fused', 'lr', 'maximize', 'momentum', 'nesterov',
'params', 'weight_decay']
[0.1, 0.2] 1
[0.05, 0.020000000000000004] 2
[0.05, 0.0020000000000000005] 3
{'factor': 0.1, 'default_min_lr': None, 'min_lrs': [0.05, 0.001], 'patience': 0, 'cooldown': 0,
'eps': 1e-08, 'last_epoch': 3, '_last_lr': [0.05, 0.0020000000000000005], 'mode_worse': inf,
'mode': 'min', 'threshold': 0.0001, 'threshold_mode': 'rel', 'best': 1.0, 'cooldown_counter': 0,
'num_bad_epochs': 0}
1.0 0 [0.05, 0.0020000000000000005]
mode mean is unknown!
Factor should be < 1.0.
threshold mode x is unknown!
expected 2 min_lrs, got 3
{'step_size': 2, 'gamma': 0.5, 'base_lrs': [0.1], 'last_epoch': 0, '_step_count': 1,
'_is_initial': False, '_get_lr_called_within_step': False, '_last_lr': [0.1]} 2 0.5 [0.1]
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)
