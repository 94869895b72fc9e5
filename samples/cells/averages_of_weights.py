import torch
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn

m = torch.nn.Linear(2, 1)
torch.nn.init.ones_(m.weight)
torch.nn.init.zeros_(m.bias)
swa = AveragedModel(m)
o = torch.optim.SGD(m.parameters(), lr=0.1)
sched = SWALR(o, swa_lr=0.05)
for i in range(4):
    o.zero_grad()
    loss = (m(torch.tensor([[1.0, 2.0]])) - 1).pow(2).mean()
    loss.backward()
    o.step()
    swa.update_parameters(m)
    sched.step()
    print(o.param_groups[0]["lr"], swa.module.weight.data, swa.n_averaged)
print(swa(torch.ones(1, 2)))

import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

m = torch.nn.Linear(2, 1)
torch.nn.init.ones_(m.weight)
torch.nn.init.zeros_(m.bias)
ema = AveragedModel(m, multi_avg_fn=get_ema_multi_avg_fn(0.9))
ema.update_parameters(m)
with torch.no_grad():
    m.weight.add_(1)
ema.update_parameters(m)
print(ema.module.weight)

import torch

m = torch.nn.Linear(2, 1)
torch.nn.init.ones_(m.weight)
torch.nn.init.zeros_(m.bias)
avg = lambda a, p, n: 0.5 * a + 0.5 * p
ema = torch.optim.swa_utils.AveragedModel(m, avg_fn=avg)
ema.update_parameters(m)
with torch.no_grad():
    m.weight.add_(1)
ema.update_parameters(m)
print(ema.module.weight)

import torch
import copy

m = torch.nn.Linear(2, 1)
torch.nn.init.ones_(m.weight)
torch.nn.init.zeros_(m.bias)
o = torch.optim.SGD(m.parameters(), lr=1.0)
s = torch.optim.swa_utils.SWALR(o, swa_lr=0.2, anneal_epochs=3, anneal_strategy="linear")
for i in range(5):
    o.step()
    s.step()
    print(o.param_groups[0]["lr"], s.get_last_lr())
e = torch.optim.swa_utils.AveragedModel(
    m, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.5)
)
for v in (1.0, 2.0, 3.0):
    with torch.no_grad():
        m.weight.fill_(v)
    e.update_parameters(m)
print(e.module.weight, e.n_averaged)
w = torch.nn.utils.weight_norm(torch.nn.Linear(2, 1))
c = copy.deepcopy(m)
