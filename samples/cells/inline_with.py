import torch

x = torch.tensor([[1.0, 2.0]])
w = torch.tensor([[0.1], [0.2]], requires_grad=True)
y_true = torch.tensor([[1.0]])
for epoch in range(2):
    y_pred = x @ w
    loss = ((y_true - y_pred) ** 2).mean()
    if w.grad is not None: w.grad.zero_()
    loss.backward()
    print(f'Epoch {epoch + 1}/{2}: loss {loss:.4f}, grad {w.grad.view(-1).tolist()[0]:.3f}')
    with torch.no_grad(): w -= 0.1 * w.grad
