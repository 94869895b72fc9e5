import torch
w = torch.tensor(2.0, requires_grad=True)
for epoch in range(3):
    loss = (w * 3 - 4) ** 2
    loss.backward()
    print(f"epoch {epoch}: loss={loss.item():.3f}, grad={w.grad.item()}")
print(w.grad)
w.grad.zero_()
print(w.grad)
w.grad = None
print(w.grad)
losses = []
lr = 0.1
for i in range(5):
    loss = (w * 3 - 4) ** 2
    if w.grad is not None:
        w.grad.zero_()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad / 10
    losses.append(round(loss.item(), 4))
print(losses)
print(w)
