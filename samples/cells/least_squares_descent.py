import torch

torch.manual_seed(0)
X = torch.linspace(0, 1, 10).reshape(-1, 1)
y = 3 * X + 0.5

w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

for epoch in range(100):
    y_hat = X @ w + b
    loss = torch.mean((y_hat - y) ** 2)
    loss.backward()
    with torch.no_grad():
        w.sub_(0.5 * w.grad)
        b.sub_(0.5 * b.grad)
    w.grad.zero_()
    b.grad.zero_()

print(f"w = {w.item():.2f}, b = {b.item():.2f}")
