import torch
import torch.nn as nn
import torch.nn.functional as F

class Router(nn.Module):
    def __init__(self, d, n_exp, k=2):
        super().__init__()
        self.gate = nn.Linear(d, n_exp, bias=False)
        self.experts = nn.ModuleList([nn.Linear(d, d) for _ in range(n_exp)])
        self.k = k

    def forward(self, x):
        logits = self.gate(x)
        w, idx = torch.topk(F.softmax(logits, dim=-1), self.k, dim=-1)
        w = w / w.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            mask = (idx == e)
            if not mask.any():
                continue
            rows, which = torch.where(mask)
            out[rows] += w[rows, which, None] * expert(x[rows])
        return out, idx

net = Router(3, 4)
for i, p in enumerate(net.parameters()):
    p.data = torch.cos(torch.arange(p.numel()) * (i + 1.)).reshape(p.shape)
x = torch.tensor([[1., 0., 2.], [0., 1., 0.], [-1., 1., 1.]])
out, idx = net(x)
print(out, idx, sep='\n')
out.pow(2).sum().backward()
print([None if e.weight.grad is None else round(e.weight.grad.norm().item(), 3) for e in net.experts])
print(net.gate.weight.grad)
