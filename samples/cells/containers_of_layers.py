from collections import defaultdict

import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterDict({'a': nn.Parameter(torch.ones(2, 3))})
        self.scales.update({'b': nn.Parameter(torch.tensor([2.]))})
        self.layers = nn.ModuleList()
        self.layers += [nn.Linear(3, 3)]
        self.layers = self.layers + [nn.ReLU()]

    def forward(self, x):
        return (x * self.scales['a']).sum() * self.scales['b']

net = Net()
print(net)
print(type(net.parameters()), len(list(net.parameters())))
out = net(torch.ones(2, 3))
out.backward()
print(out, net.scales['b'].grad)

rows = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
table = nn.Embedding.from_pretrained(rows)
print(table(torch.tensor([2, 0])), table.weight.requires_grad, table)
free = nn.Embedding.from_pretrained(rows, freeze=False)
free(torch.tensor([1, 1])).sum().backward()
print(free.weight.grad)

groups = defaultdict(list)
for i in range(4):
    groups['even' if i % 2 == 0 else 'odd'].append(i)
print(groups)
squares = (i * i for i in range(3))
print(next(squares), next(squares), next(squares))
one = torch.ones(1)
print(torch.tensor([[one], [one * 2]]), torch.tensor([one, one]))
