import torch

class AugmentedLagrangian:
    def __init__(self, f, constraints, rho=1.0):
        self.f, self.constraints, self.rho = f, constraints, rho
        self.lams = [torch.zeros(()) for _ in constraints]

    def __call__(self, x):
        total = self.f(x)
        for lam, (kind, c) in zip(self.lams, self.constraints):
            v = c(x)
            match kind:
                case 'eq':
                    total = total + lam * v + self.rho / 2 * v ** 2
                case 'ineq':
                    total = total + (torch.relu(lam + self.rho * v) ** 2 - lam ** 2) / (2 * self.rho)
                case _:
                    raise ValueError(kind)
        return total

    @torch.no_grad()
    def update(self, x):
        for i, (kind, c) in enumerate(self.constraints):
            new = self.lams[i] + self.rho * c(x)
            self.lams[i] = new if kind == 'eq' else torch.relu(new)
        self.rho *= 2

f = lambda x: (x[0] - 2) ** 2 + (x[1] - 1) ** 2
cons = [('eq', lambda x: x[0] - 2 * x[1] + 1), ('ineq', lambda x: x[0] ** 2 / 4 + x[1] ** 2 - 1)]
al = AugmentedLagrangian(f, cons)
x = torch.tensor([2., 2.], dtype=torch.float64, requires_grad=True)
for outer in range(8):
    opt = torch.optim.LBFGS([x], lr=1., max_iter=100, tolerance_grad=1e-9, line_search_fn='strong_wolfe')
    def closure():
        opt.zero_grad()
        l = al(x)
        l.backward()
        return l
    opt.step(closure)
    al.update(x)
print([round(v, 3) for v in x.tolist()], f'{f(x).item():.3f}')
print([f'{l.item():.2f}' for l in al.lams], al.rho)
