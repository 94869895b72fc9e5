import torch

def exp_reducer(x):
    return x.exp().sum(dim=1)

inputs = torch.tensor([[0.1, 0.2], [0.3, 0.4]])
v = torch.ones(2)
out, g = torch.autograd.functional.vjp(exp_reducer, inputs, v)
print(out)
print(g)
out, t = torch.autograd.functional.jvp(exp_reducer, inputs, torch.ones(2, 2))
print(t)
