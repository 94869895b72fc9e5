import torch
from torch import nn

class TwoHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(3, 4, bias=False)
        self.heads = nn.ModuleDict({'cls': nn.Linear(4, 2), 'reg': nn.Linear(4, 1)})
        self.log_vars = nn.ParameterList([nn.Parameter(torch.zeros(())) for _ in range(2)])

    def forward(self, x, which=None):
        h = torch.relu(self.trunk(x))
        outs = {k: head(h) for k, head in self.heads.items() if which is None or k in which}
        return outs if len(outs) > 1 else next(iter(outs.values()))

net = TwoHead()
for i, p in enumerate(net.parameters()):
    with torch.no_grad():
        p.copy_(torch.full_like(p, 0.1 * (i + 1)))
x = torch.tensor([[1., 2., 3.], [-1., 0., 1.]])
out = net(x)
l1 = nn.functional.cross_entropy(out['cls'], torch.tensor([0, 1]))
l2 = nn.functional.mse_loss(out['reg'].squeeze(-1), torch.tensor([1., 2.]))
losses = [l1, l2]
total = sum(torch.exp(-s) * l + s for s, l in zip(net.log_vars, losses))
total.backward()
print({k: v.shape for k, v in out.items()}, total)
for name, p in net.named_parameters():
    print(name, tuple(p.shape), None if p.grad is None else round(p.grad.sum().item(), 4))
print(net)
print(net(x, which=('reg',)))
