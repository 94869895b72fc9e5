import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)
        self.bn = nn.BatchNorm1d(1)
        self.register_buffer("running", torch.zeros(1))
    def forward(self, x):
        return self.bn(self.fc(x))
net = Net()
print("Model's state_dict:")
for param_tensor in net.state_dict():
    print(param_tensor, "\t", net.state_dict()[param_tensor].size())
optimizer = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
print("Optimizer's state_dict:")
for var_name in optimizer.state_dict():
    print(var_name, "\t", optimizer.state_dict()[var_name])
print(net.bn.num_batches_tracked)
net(torch.ones(3, 2))
print(net.bn.num_batches_tracked, net.bn.momentum, net.bn.eps)
print(list(dict(net.named_buffers()).keys()))
