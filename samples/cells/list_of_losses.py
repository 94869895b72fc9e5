import torch

w = torch.tensor([1.0], requires_grad=True)
losses = []
for step in range(4):
    loss = (w - 5).pow(2)
    losses.append(loss.item())
    loss.backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
        w.grad.zero_()
print(losses)
print(min(losses), max(losses), sum(losses) / len(losses))
print(losses[-1] < losses[0])
