# Everything of a module by its own name
from math import *
import torch
from torch.nn import *
from torch.nn.functional import *
from torch.optim import *
from torch.utils.data import *

print(relu(torch.tensor([-1.0, 2.0])), softmax(torch.ones(2), dim=0))


class Numbers(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return i


for x in DataLoader(Numbers()):
    print(x)
print(sqrt(4), pi)
net = Sequential(Linear(2, 1), ReLU())
for weight in net.parameters():
    init.ones_(weight)
optimizer = SGD(net.parameters(), lr=0.1)
net(torch.ones(1, 2)).sum().backward()
optimizer.step()
print(net[0].weight, one_hot(torch.arange(3)))
