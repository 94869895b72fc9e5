import torch
import torch.nn as nn

x = torch.arange(12.).view(1, 1, 3, 4)
conv = nn.Conv2d(1, 1, 3, padding=1, padding_mode='reflect', bias=False)
nn.init.ones_(conv.weight)
print(conv)
print(conv(x).detach())

row = nn.Conv1d(1, 1, 3, padding='same', padding_mode='circular')
nn.init.constant_(row.weight, 0.5)
nn.init.zeros_(row.bias)
print(row(x[0, :, 0]).detach())
out = row(x[0, :, 1]).sum()
out.backward()
print(row.weight.grad, row.bias.grad)
bias = row.bias
row.bias = None
print(row(x[0, :, 0]).detach(), bias)
up = nn.ConvTranspose2d(4, 2, 4, 2, 1, bias=False)
print(up, nn.ConvTranspose1d(4, 2, 3, dilation=2, groups=2))
