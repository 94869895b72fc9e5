import torch

w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor(4.0)
y = torch.tensor(10.0)

pred = w * x
loss = (pred - y) ** 2
print("loss:", loss.item())
loss.backward()
print("w.grad:", w.grad.item())
