import torch

w = torch.tensor([1., 2.], requires_grad=True)

def double(grad):
    grad *= 2

handle = w.register_hook(double)
(w**2).sum().backward()
print(w.grad)
handle.remove()
w.grad.zero_()
y = w * 3

def grow(grad):
    grad.mul_(10)

y.register_hook(grow)
y[0].backward()
print(w.grad)
