import torch
import torch.nn.functional as F

x = torch.linspace(-1, 1, 5, requires_grad=True)
for act in [torch.relu, torch.sigmoid, torch.tanh, F.softplus]:
    y = act(x)
    g, = torch.autograd.grad(y.sum(), x)
    print(g)
