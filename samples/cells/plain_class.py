import torch
@torch.no_grad()
def evaluate(model, xs):
    return [model(x).item() for x in xs]
class Poly:
    coef = 2.0
    def __init__(self, a, b=1.0):
        self.a = torch.tensor(a, requires_grad=True)
        self.b = torch.tensor(b, requires_grad=True)
    def __call__(self, x):
        return self.a * x ** 2 + self.b
    @property
    def params(self):
        return [self.a, self.b]
    @staticmethod
    def name():
        return "poly"
    def step(self, lr):
        with torch.no_grad():
            for p in self.params:
                p -= lr * p.grad
                p.grad.zero_()
m = Poly(0.5)
xs = torch.tensor([1., 2., 3.])
target = 2 * xs ** 2 + 0.5
for it in range(4):
    loss = ((m(xs) - target) ** 2).mean()
    loss.backward()
    print(it, round(loss.item(), 4), [round(p.grad.item(), 3) for p in m.params])
    m.step(0.01)
print(Poly.name(), m.coef, evaluate(m, xs))
print(m.a, m.b.item())
