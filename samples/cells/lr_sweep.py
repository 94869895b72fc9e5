import torch

results = []
for lr in [0.01, 0.1, 1.0]:
    x = torch.tensor([4.0], requires_grad=True)
    for _ in range(20):
        loss = (x ** 2).sum()
        loss.backward()
        x.data -= lr * x.grad
        x.grad.zero_()
    results.append((lr, x.item()))
for lr, final in results:
    print(f'lr={lr:<5} final x={final:8.4f}')
