import torch, copy
from torch import nn
online = nn.Linear(2, 2)
nn.init.constant_(online.weight, 1.0); nn.init.zeros_(online.bias)
target = copy.deepcopy(online)
target.requires_grad_(False)
opt = torch.optim.SGD(online.parameters(), lr=0.1)
tau = 0.05
for _ in range(3):
    loss = online(torch.ones(1, 2)).pow(2).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p, tp in zip(online.parameters(), target.parameters()):
            tp.data.mul_(1 - tau).add_(tau * p.data)
print(online.weight, target.weight)
for name, buf in target.named_parameters():
    print(name, buf.requires_grad, buf.data.norm().item())
vec = torch.nn.utils.parameters_to_vector(online.parameters())
print(vec.shape)
torch.nn.utils.vector_to_parameters(torch.zeros_like(vec), online.parameters())
print(online.weight)
total_norm = torch.nn.utils.clip_grad_norm_(online.parameters(), 0.5)
print(total_norm.item() > 0.5, [p.grad.norm().item() <= 0.5 for p in online.parameters()])
