import copy

import torch
from torch.optim.lr_scheduler import CyclicLR, OneCycleLR

p = torch.nn.Parameter(torch.zeros(1))
for optimizer in (torch.optim.SGD([p], lr=0.1, momentum=0.9), torch.optim.Adam([p], lr=0.1)):
    group = optimizer.param_groups[0]
    scheduler = OneCycleLR(optimizer, max_lr=0.5, total_steps=5)
    for _ in range(5):
        momentum = group['betas'] if 'betas' in group else group['momentum']
        print(scheduler.get_last_lr(), momentum)
        optimizer.step()
        scheduler.step()
try:
    scheduler.step()
except ValueError as e:
    print(e)
optimizer = torch.optim.SGD([p], lr=0.1)
scheduler = CyclicLR(optimizer, 0.1, 0.5, step_size_up=2)
for _ in range(5):
    print(scheduler.get_last_lr(), optimizer.param_groups[0]['momentum'])
    optimizer.step()
    scheduler.step()
CyclicLR(optimizer, 0.1, 0.5, step_size_up=2, cycle_momentum=False)

x = torch.ones(2, requires_grad=True)
for view in (x.view_as(x), x.reshape(2), x.expand_as(x), x.view(2)):
    print(view.is_leaf, view is x, view.grad_fn.next_functions[0][0].variable is x)


def same(t):
    return t


class Model(torch.nn.Module):
    @staticmethod
    @torch.enable_grad()
    def recorded(t):
        return t * 2


with torch.no_grad():
    y = x * 2
    print(y.requires_grad, same(x * 1).requires_grad, Model.recorded(x).requires_grad)
z = x * 2
with torch.no_grad():
    print(same(z).requires_grad, (same(z) + 1).requires_grad)
try:
    copy.deepcopy(z)
except RuntimeError as e:
    print(str(e)[:60])
print(copy.deepcopy(x).requires_grad)
torch.nn.init.dirac_(w := torch.empty(3, 2, 3))
print(w[:2])
torch.nn.init.sparse_(w := torch.empty(10, 3), sparsity=0.3)
print((w == 0).sum(0) >= 3)
