import torch
import torch.nn as nn

torch.manual_seed(0)
lin = nn.Linear(3, 2)
print(lin.weight.shape, lin.bias.shape)
n_params = sum(p.numel() for p in lin.parameters() if p.requires_grad)
print(n_params)
for name, p in lin.named_parameters():
    print(name, tuple(p.shape))
