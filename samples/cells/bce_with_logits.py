import torch
import torch.nn as nn

m = nn.Sigmoid()
loss = nn.BCEWithLogitsLoss()
logits = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
target = torch.tensor([1., 0., 1.])
output = loss(logits, target)
output.backward()
print(f"{output:.4f}")
print(logits.grad)
print(m(logits))
