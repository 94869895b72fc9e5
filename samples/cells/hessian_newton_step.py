import torch

Q = torch.tensor([[2., 0.5], [0.5, 1.]])
c = torch.tensor([-1., 1.])
x = torch.zeros(2, requires_grad=True)
f = lambda v: 0.5 * v @ Q @ v + c @ v
g = torch.autograd.grad(f(x), x, create_graph=True)[0]
H = torch.stack([torch.autograd.grad(gi, x, retain_graph=True)[0] for gi in g])
print(H)
print(torch.linalg.solve(H, -g).detach())
