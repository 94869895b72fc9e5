import torch
import torch.nn as nn
class BasicBlock(nn.Module):
    expansion = 1
    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != self.expansion * planes:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_planes, self.expansion * planes, kernel_size=1, stride=stride, bias=False),
                nn.BatchNorm2d(self.expansion * planes))
    def forward(self, x):
        out = torch.relu(self.bn1(self.conv1(x)))
        out += self.shortcut(x)
        return torch.relu(out)
net = nn.Sequential(BasicBlock(3, 4), BasicBlock(4, 8, stride=2), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(8, 2))
print(net)
y = net(torch.ones(2, 3, 8, 8))
print(y.shape)
for p in net[:2].parameters():
    p.requires_grad = False
net[-1] = nn.Linear(8, 5)
print(net(torch.ones(2, 3, 8, 8)).shape, sum(p.requires_grad for p in net.parameters()))
