import torch
from torch.optim import Optimizer


class Plain(Optimizer):
    def __init__(self, params, lr=0.1, betas=(0.9, 0.99), amsgrad=False):
        super().__init__(params, dict(lr=lr, betas=betas, amsgrad=amsgrad))


class Named(Plain):
    def __repr__(self):
        return f"Named({self.param_groups[0]['lr']})"


w = torch.nn.Parameter(torch.ones(2))
b = torch.nn.Parameter(torch.ones(1))
print(Plain([w]))
print([Plain([{"params": [w]}, {"params": [b], "lr": 1e-3}])], Named([w]), f"{Plain([b])}")
print(list(filter(None, [0, 1, 2])), list(filter(None, ["", "a"])))
