import torch
import torch.nn as nn
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, d)
        self.act = nn.GELU()
        self.gamma = nn.Parameter(torch.tensor(0.5))
        self.register_buffer('count', torch.zeros(1, dtype=torch.long))
    def forward(self, x):
        self.count += 1
        return x + self.gamma * self.act(self.lin(x))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(2), Block(2))
        self.head = nn.Linear(2, 1)
        self.head.weight = nn.Parameter(torch.tensor([[1.0, -1.0]]))
    def forward(self, x):
        return self.head(self.blocks(x))
net = Net()
for n, p in net.named_parameters():
    if p.dim() == 2 and 'head' not in n:
        nn.init.eye_(p)
    elif 'bias' in n:
        nn.init.zeros_(p)
print(net)
print(net(torch.tensor([[1.0, 2.0]])))
for name, m in net.named_modules():
    print(repr(name), type(m).__name__, len(list(m.parameters(recurse=False))))
print(net.get_submodule("blocks.1.lin"), net.get_parameter("blocks.0.gamma"))
print([b for b in net.named_buffers()])
def count(m):
    return {k: sum(p.numel() for p in v.parameters()) for k, v in m.named_children()}
print(count(net))
net.apply(lambda m: setattr(m, 'tag', type(m).__name__.lower()))
print(net.blocks[0].act.tag, hasattr(net, 'tag'), getattr(net.head, 'missing', 'none'))
del net.blocks[1]
print(len(net.blocks), list(net.state_dict().keys()))
net.blocks.add_module('extra', nn.Identity())
net.add_module('tail', nn.Sigmoid())
print([n for n, _ in net.named_children()], net.blocks)
try:
    net.nothing
except AttributeError as e:
    print(e)
try:
    net.head.weight = torch.ones(1, 2)
except TypeError as e:
    print(e)
net.half()
print(next(net.parameters()).dtype, net.blocks[0].count.dtype)
net.float().requires_grad_(False)
print(any(p.requires_grad for p in net.parameters()), net.training, net.eval().training)
x = nn.Linear(3, 2)
y = nn.Linear(3, 2)
y.weight = x.weight
print(x.weight is y.weight, len({id(p) for m in (x, y) for p in m.parameters()}))
print(nn.Sequential(x, y.requires_grad_(False))[0].bias.requires_grad)
