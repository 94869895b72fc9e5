import torch


def t(f):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, str(e)[:75])


x = torch.ones(3, requires_grad=True)
t(lambda: (x * 2).backward())
t(lambda: torch.ones(3).sum().backward())
y = x.exp()
y.add_(1)
t(lambda: y.sum().backward())


def two():
    z = (x**2).sum()
    z.backward()
    z.backward()


t(two)
t(lambda: x.numpy())
t(lambda: x.add_(1))
t(lambda: torch.autograd.grad(x.sum(), torch.ones(2, requires_grad=True)))
t(lambda: torch.ones(2, 3) @ torch.ones(2, 3))
t(lambda: torch.ones(2) + torch.ones(3))
t(lambda: torch.tensor([1], requires_grad=True))
t(lambda: (x > 0).sum().backward())
t(lambda: bool(torch.ones(2)))
t(lambda: torch.ones(2).item())
t(lambda: torch.zeros(2).view(3))
t(lambda: torch.cat([torch.ones(2), torch.ones(2, 2)]))
t(lambda: torch.ones(2)[5])
t(lambda: torch.nn.Linear(2, 3)(torch.ones(1, 5)))
t(lambda: torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 5])))
t(lambda: x.detach().requires_grad_().data.backward())
