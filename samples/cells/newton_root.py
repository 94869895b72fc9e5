import torch

def func(x):
    return x**2 - 2

x = torch.tensor([1.0], requires_grad=True)
for it in range(6):
    y = func(x)
    y.backward()
    with torch.no_grad():
        x -= y / x.grad
        x.grad.zero_()
print("root:", x.item())
assert abs(x.item() - 2 ** 0.5) < 1e-5
