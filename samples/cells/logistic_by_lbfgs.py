import torch
X = torch.tensor([[0.5, 1.2], [1.5, -0.3], [-1.0, 0.7], [-0.5, -1.5], [2.0, 0.1]])
y = torch.tensor([1., 1., 0., 0., 1.])
w = torch.zeros(2, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.LBFGS([w, b], lr=0.5, max_iter=10, line_search_fn="strong_wolfe")
def closure():
    opt.zero_grad()
    logits = X @ w + b
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, y) + 0.01 * w.pow(2).sum()
    loss.backward()
    return loss
for i in range(3):
    loss = opt.step(closure)
    print(i, loss.item())
pred = (torch.sigmoid(X @ w + b) > 0.5).int()
print(pred)
acc = (pred == y).float().mean()
print(f"Accuracy: {acc:.2%}")
