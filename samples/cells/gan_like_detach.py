import torch
import torch.nn as nn
torch.manual_seed(1)
G = nn.Linear(1, 1, bias=False)
D = nn.Linear(1, 1, bias=False)
nn.init.constant_(G.weight, 2.0)
nn.init.constant_(D.weight, 0.5)
z = torch.tensor([[1.0]])
fake = G(z)
loss_D = D(fake.detach()).mean()
loss_D.backward()
print(G.weight.grad, D.weight.grad)
D.zero_grad()
loss_G = -D(fake).mean()
loss_G.backward()
print(G.weight.grad, D.weight.grad)
for p in D.parameters():
    p.requires_grad = False
out = D(G(z))
print(out.requires_grad, D.weight.requires_grad)
for p in D.parameters():
    p.requires_grad_(True)
print([p.requires_grad for p in D.parameters()])
opt = torch.optim.SGD([{'params': G.parameters()}, {'params': D.parameters(), 'lr': 1e-2}], lr=0.1, momentum=0.9)
print(len(opt.param_groups), opt.param_groups[1]['lr'])
print(opt)
