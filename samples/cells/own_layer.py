import torch
import torch.nn as nn
import torch.nn.functional as F
import math
class MyLinear(nn.Module):
    __constants__ = ['in_features', 'out_features']
    def __init__(self, in_units, units):
        super().__init__()
        self.in_units, self.units = in_units, units
        self.weight = nn.Parameter(torch.empty(in_units, units))
        self.bias = nn.Parameter(torch.empty(units,))
        self.reset_parameters()
    def reset_parameters(self) -> None:
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = nn.init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in)
            nn.init.uniform_(self.bias, -bound, bound)
    def forward(self, X):
        linear = torch.matmul(X, self.weight.data) + self.bias.data
        return F.relu(linear)
    def extra_repr(self) -> str:
        return f'in_units={self.in_units}, units={self.units}'
net = nn.Sequential(MyLinear(64, 8), MyLinear(8, 1))
print(net)
print(net(torch.rand(2, 64)).shape)
class CenteredLayer(nn.Module):
    def forward(self, X):
        return X - X.mean()
print(CenteredLayer()(torch.tensor([1.0, 2, 3, 4, 5])))
