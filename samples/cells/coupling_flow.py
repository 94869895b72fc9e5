import torch, math
class Coupling(torch.nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.s = torch.nn.Parameter(torch.tensor([0.1, -0.2])); self.t = torch.nn.Parameter(torch.tensor([0.3, 0.4]))
    def forward(self, x):
        a, b = x.chunk(2, dim=1)
        if self.flip: a, b = b, a
        s = torch.tanh(self.s[0] * a + self.s[1]); t = self.t[0] * a + self.t[1]
        b = b * s.exp() + t
        out = torch.cat([b, a], 1) if self.flip else torch.cat([a, b], 1)
        return out, s.sum(dim=1)
class Flow(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = torch.nn.ModuleList([Coupling(bool(i % 2)) for i in range(n)])
    def log_prob(self, x):
        logdet = torch.zeros(x.shape[0])
        for layer in self.layers:
            x, ld = layer(x)
            logdet += ld
        return (-0.5 * (x ** 2 + math.log(2 * math.pi))).sum(1) + logdet
flow = Flow(3)
opt = torch.optim.Adam(flow.parameters(), lr=1e-2)
x = torch.tensor([[0.5, 1.0], [-1.0, 0.2], [0.3, -0.7]])
for i in range(4):
    loss = -flow.log_prob(x).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    print(i, round(loss.item(), 4))
