import torch
import torch.nn as nn
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in model.parameters():
    nn.init.constant_(p, 0.5)
print(model)
for name, param in model.named_parameters():
    print(name, param.size(), param.requires_grad)
print(model[0].weight)
print(list(model[2].parameters()))
total = sum(p.numel() for p in model.parameters() if p.requires_grad)
print(f"{total:,} trainable parameters")
out = model(torch.tensor([[1., 2.], [3., 4.]]))
print(out)
loss = out.mean()
print(loss)
loss.backward()
print(model[0].weight.grad)
print(model[0].bias.grad)
