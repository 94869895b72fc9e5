import copy
import torch
import torch.nn as nn
net = nn.Linear(2, 1)
nn.init.constant_(net.weight, 1.0); nn.init.constant_(net.bias, 0.0)
target = copy.deepcopy(net)
opt = torch.optim.RMSprop(net.parameters(), lr=0.01)
for _ in range(3):
    loss = (net(torch.ones(1, 2)) - 5).pow(2).sum()
    opt.zero_grad(); loss.backward(); opt.step()
tau = 0.1
for tp, p in zip(target.parameters(), net.parameters()):
    tp.data.copy_(tau * p.data + (1 - tau) * tp.data)
print(net.weight, target.weight)
target.load_state_dict(net.state_dict())
print(torch.equal(target.weight, net.weight))
sd = net.state_dict()
print(sd.keys())
print({k: v.shape for k, v in sd.items()})
