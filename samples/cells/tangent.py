import torch, math

x = torch.tensor(math.pi / 4, requires_grad=True)
y = torch.tan(x)
y.backward()
print("%.4f" % x.grad.item())
print(f"expected: {1 / math.cos(math.pi / 4) ** 2:.4f}")
