import torch
from torch import nn

w = torch.empty(3, 5)
seen = w[1]
print(nn.init.constant_(w, 0.3))
nn.init.eye_(w)
print(seen, w.requires_grad, nn.init.ones_(torch.empty(2)))
layer = nn.Linear(2, 2)
nn.init.zeros_(layer.weight[0])
nn.init.constant_(layer.bias.data, 2.0)
print(layer.weight[0], layer.bias, layer.weight.is_leaf)
for fill in (nn.init.uniform_, nn.init.normal_, nn.init.xavier_uniform_, nn.init.xavier_normal_,
             nn.init.kaiming_uniform_, nn.init.kaiming_normal_, nn.init.orthogonal_,
             nn.init.trunc_normal_):
    v = torch.zeros(4, 6)
    fill(v)
    print(v.shape, v.abs().sum() > 0, v.requires_grad)
y = torch.ones(2, requires_grad=True) * 3
nn.init.zeros_(y)
print(y, y.sum().requires_grad)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x / torch.tensor([0.5, 1.0])
with torch.no_grad():
    y.fill_(4.0)
(y * y).sum().backward()
print(y, x.grad)
