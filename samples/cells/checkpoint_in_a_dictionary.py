import torch
from torch import nn, optim
def make():
    torch.manual_seed(3)
    m = nn.Linear(2, 1)
    nn.init.constant_(m.weight, 0.5); nn.init.constant_(m.bias, 0.)
    return m, optim.Adam(m.parameters(), lr=0.1)
def train(m, o, n):
    for _ in range(n):
        o.zero_grad()
        l = (m(torch.tensor([[1., 2.]])) - 3).pow(2).mean()
        l.backward()
        o.step()
    return l.item()
m1, o1 = make()
train(m1, o1, 5)
ckpt = {'epoch': 5, 'model': {k: v.clone() for k, v in m1.state_dict().items()}, 'optim': o1.state_dict()}
m2, o2 = make()
m2.load_state_dict(ckpt['model'])
o2.load_state_dict(ckpt['optim'])
print(sorted(ckpt.keys()), o2.state_dict()['state'][0]['step'])
print(train(m1, o1, 3) == train(m2, o2, 3))
print(o2.state_dict()['param_groups'][0]['params'], m2.weight.data)
