import torch
from torch import optim

theta = torch.tensor([1.5, -0.5], requires_grad=True)
optimizer = optim.Adam([theta], lr=0.05)

def rosenbrock(t):
    x, y = t
    return (1 - x)**2 + 100 * (y - x**2)**2

history = []
for epoch in range(5):
    optimizer.zero_grad()
    loss = rosenbrock(theta)
    loss.backward()
    optimizer.step()
    history.append(loss.item())
print([round(h, 3) for h in history])
print(theta)
