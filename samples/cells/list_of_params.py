import torch

params = [torch.tensor(1.0, requires_grad=True) for _ in range(3)]
lr = 0.1
for epoch in range(2):
    loss = sum((p - i) ** 2 for i, p in enumerate(params))
    loss.backward()
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()
print([f"{p.item():.3f}" for p in params])
