import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.tensor([[1., 2.]])
W = torch.tensor([[0.5, -0.5], [0.25, 1.0]], requires_grad=True)
b = torch.zeros(2, requires_grad=True)
z = x @ W + b
z.retain_grad()
y_pred = F.relu(z)
y_pred.retain_grad()
loss = F.mse_loss(y_pred, torch.ones(1, 2))
loss.retain_grad()
print(f"{x.is_leaf=}")
print(f"{z.is_leaf=}")
print(f"{W.is_leaf=}")
loss.backward()
for n in ["W", "b", "z", "y_pred", "loss"]:
    print(f"{n:<7}grad = {eval(n).grad if False else {'W': W, 'b': b, 'z': z, 'y_pred': y_pred, 'loss': loss}[n].grad}")
print(z.retains_grad, W.retains_grad)
