import torch

x = torch.tensor(5.0, requires_grad=True)
optimizer = torch.optim.SGD([x], lr=0.1)

for i in range(10):
    optimizer.zero_grad()
    y = (x - 2) ** 2
    y.backward()
    optimizer.step()
    if (i + 1) % 5 == 0:
        print(f"step {i+1:2d}: x = {x.item():.4f}, y = {y.item():.4f}")
