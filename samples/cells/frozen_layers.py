import torch
from torch import nn, optim
from collections import OrderedDict, defaultdict
import copy

model = nn.Sequential(OrderedDict([
    ('fc1', nn.Linear(2, 2)),
    ('act', nn.ReLU()),
    ('out', nn.Linear(2, 1)),
]))
for name, param in model.named_parameters():
    if 'weight' in name:
        nn.init.eye_(param)
    else:
        nn.init.zeros_(param)
print(model)
print(model.fc1.weight, model[2])
for param in model.fc1.parameters():
    param.requires_grad = False
trainable = [n for n, p in model.named_parameters() if p.requires_grad]
print(trainable)
opt = optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
old = copy.deepcopy(model.state_dict())
X = torch.tensor([[1., 2.], [3., 4.]])
loss = model(X).pow(2).mean()
loss.backward()
opt.step()
log = defaultdict(list)
for k in old:
    changed = not torch.equal(old[k], model.state_dict()[k])
    log[changed].append(k)
print(dict(log))
model.load_state_dict(old)
print(model(X))
