import torch

z = torch.tensor(1.0, requires_grad=True)
@torch.no_grad()
def update(p, lr=0.1):
    p -= lr * p.grad
    p.grad = None

for i in range(3):
    (z ** 4).backward()
    update(z)
    print(z.item())
