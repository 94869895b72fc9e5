import torch
import math

x = torch.tensor(1.0, requires_grad=True)
y = torch.sin(x)
z = torch.exp(y)
z.backward()

manual = math.exp(math.sin(1.0)) * math.cos(1.0)
print("autograd:", round(x.grad.item(), 5))
print("by hand: ", round(manual, 5))
print("equal" if abs(manual - x.grad.item()) < 1e-6 else "different")
