import torch
import torch.nn.functional as F

X = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
t = torch.tensor([0.0, 0.0, 0.0, 1.0])
w = torch.zeros(2, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

for i in range(50):
    p = torch.sigmoid(X @ w + b)
    loss = F.binary_cross_entropy(p, t)
    loss.backward()
    w.data -= 1.0 * w.grad.data
    b.data -= 1.0 * b.grad.data
    w.grad.data.zero_()
    b.grad.data.zero_()

pred = (torch.sigmoid(X @ w + b) > 0.5).float()
print(pred)
print(f"accuracy: {(pred == t).float().mean().item() * 100:.1f}%")
