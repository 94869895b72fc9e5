import torch
class Adam:
    """My own Adam"""
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params = list(params)
        self.lr, self.betas, self.eps = lr, betas, eps
        self.state = {}
        self.t = 0
    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()
    @torch.no_grad()
    def step(self):
        self.t += 1
        b1, b2 = self.betas
        for i, p in enumerate(self.params):
            if i not in self.state:
                self.state[i] = {'m': torch.zeros_like(p), 'v': torch.zeros_like(p)}
            s = self.state[i]
            s['m'] = b1 * s['m'] + (1 - b1) * p.grad
            s['v'] = b2 * s['v'] + (1 - b2) * p.grad ** 2
            m_hat = s['m'] / (1 - b1 ** self.t)
            v_hat = s['v'] / (1 - b2 ** self.t)
            p -= self.lr * m_hat / (v_hat.sqrt() + self.eps)
a = torch.tensor([1.0, -2.0], requires_grad=True)
b = torch.tensor([1.0, -2.0], requires_grad=True)
mine, ref = Adam([a], lr=0.1), torch.optim.Adam([b], lr=0.1)
for _ in range(10):
    for p, o in ((a, mine), (b, ref)):
        o.zero_grad()
        loss = (p ** 4 - p).sum()
        loss.backward()
        o.step()
print(a, b)
print(torch.allclose(a, b, atol=1e-6))
