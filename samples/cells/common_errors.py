import torch
import torch.nn as nn
def attempt(f):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, "-", e)
x = torch.ones(2, 3, requires_grad=True)
attempt(lambda: x.view(4, 2))
attempt(lambda: x.backward())
attempt(lambda: torch.ones(2, 3).backward())
attempt(lambda: nn.Linear(4, 2)(x))
attempt(lambda: x.numpy())
attempt(lambda: x[5])
attempt(lambda: x.item())
attempt(lambda: torch.cat([torch.ones(2, 3), torch.ones(3, 2)], dim=0))
attempt(lambda: nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0, 3])))
attempt(lambda: x.foo())
attempt(lambda: torch.stack([torch.ones(2), torch.ones(3)]))
attempt(lambda: torch.autograd.grad(x.sum(), torch.ones(1, requires_grad=True)))
attempt(lambda: x.squeeze(7))
attempt(lambda: torch.tensor([1, 2]).requires_grad_())
