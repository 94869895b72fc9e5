import torch
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 2, 3, padding=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc = nn.Linear(2 * 2 * 2, 3)
    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = torch.flatten(x, 1)
        return self.fc(x)
net = Net()
print(net)
for p in net.parameters():
    nn.init.constant_(p, 0.1)
x = torch.arange(16.).view(1, 1, 4, 4)
out = net(x)
print(out)
loss = F.cross_entropy(out, torch.tensor([2]))
net.zero_grad()
print(net.conv1.bias.grad)
loss.backward()
print(net.conv1.bias.grad)
print(net.conv1.weight.grad[0, 0])
params = list(net.parameters())
print(len(params), params[0].size())
