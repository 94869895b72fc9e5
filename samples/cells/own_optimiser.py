import torch
from torch.optim import Optimizer
class SGDMomentum(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0.0):
        defaults = dict(lr=lr, momentum=momentum)
        super().__init__(params, defaults)
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                state = self.state[p]
                if 'buf' not in state:
                    state['buf'] = torch.zeros_like(p)
                buf = state['buf']
                buf.mul_(group['momentum']).add_(p.grad)
                p.add_(buf, alpha=-group['lr'])
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = SGDMomentum([w], lr=0.1, momentum=0.9)
for i in range(3):
    opt.zero_grad()
    loss = (w ** 2).sum()
    loss.backward()
    opt.step()
    print(i, loss.item(), w)
