import torch
# vector-Jacobian product, chain of functions
x = torch.randn(3, requires_grad=True)
x.data = torch.tensor([0.5, -1.0, 2.0])
y = x * 2
i = 0
while y.data.norm() < 100:
    y = y * 2
    i += 1
print(y, i)
v = torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float)
y.backward(v)
print(x.grad)
inp = torch.eye(4, 5, requires_grad=True)
out = (inp+1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nCall after zeroing gradients\n{inp.grad}")
