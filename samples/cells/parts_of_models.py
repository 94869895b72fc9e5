# nn.Module.__init__ by its name, and the parts of a model with and without those inside
import torch
from torch import nn

print(issubclass(type(nn.ReLU()), nn.Module), issubclass(nn.Linear, nn.Module))
print(issubclass(type(torch.ones(2).size()), tuple), issubclass(torch.Tensor, nn.Module))


class Net(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        self.layer = nn.Linear(2, 3)
        self.scale = nn.Parameter(torch.ones(3))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        return self.layer(x) * self.scale


net = Net()
print(net, net._get_name())
print([name for name, _ in net.named_parameters(recurse=False)])
print([name for name, _ in net.named_parameters(prefix="net")])
print([name for name, _ in net.named_buffers()], len(list(net.parameters(recurse=False))))
print([name for name, _ in net.named_modules(prefix="net")])
