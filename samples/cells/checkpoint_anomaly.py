import torch
from torch.utils.checkpoint import checkpoint
def block(x):
    return torch.tanh(x * 2) ** 2
x = torch.tensor([0.1, 0.5], requires_grad=True)
y = checkpoint(block, x, use_reentrant=False)
y.sum().backward()
print(x.grad)
with torch.autograd.detect_anomaly():
    z = (x * 3).sum()
    z.backward()
print(x.grad)
with torch.autograd.set_detect_anomaly(True):
    (x ** 2).sum().backward()
print(x.grad)
@torch.no_grad()
def evaluate(t):
    return (t * 2).requires_grad
print(evaluate(x))
@torch.inference_mode()
def infer(t):
    return t + 1
print(infer(x).requires_grad)
print(torch.is_grad_enabled())
with torch.set_grad_enabled(False):
    print((x * 2).requires_grad)
inp = (torch.randn(3, dtype=torch.double, requires_grad=True),)
print(torch.autograd.gradcheck(lambda t: t ** 2, inp, eps=1e-6, atol=1e-4))
