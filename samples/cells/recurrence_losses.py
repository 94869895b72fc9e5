import torch

h = torch.zeros(2)
W = torch.tensor([[0.5, 0.1], [0.0, 0.3]], requires_grad=True)
losses = []
for t, x in enumerate([1.0, -1.0, 2.0]):
    h = torch.tanh(W @ h + x)
    losses.append(h.sum() ** 2)
loss = torch.stack(losses).mean()
loss.backward()
print(round(loss.item(), 4))
print(W.grad)
