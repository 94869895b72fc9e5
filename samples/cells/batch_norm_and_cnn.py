import torch
import torch.nn as nn
bn = nn.BatchNorm1d(2)
x = torch.tensor([[1., 2.], [3., 6.], [5., 4.]], requires_grad=True)
y = bn(x)
print(y)
print(bn.running_mean, bn.running_var)
(y ** 2).sum().backward()
print(bn.weight.grad, bn.bias.grad)
bn.eval()
print(bn(x))
print(bn)
drop = nn.Dropout(p=0.5)
drop.eval()
print(drop(torch.ones(3)))
class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 2, 3, padding=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc = nn.Linear(8, 2)
        self.dropout = nn.Dropout(0.25)
    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = x.view(x.size(0), -1)
        x = self.dropout(x)
        return self.fc(x)
net = CNN()
for p in net.parameters():
    p.data.fill_(0.1)
net.eval()
print(net)
print(net(torch.ones(1, 1, 4, 4)))
