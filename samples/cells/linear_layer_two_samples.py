import torch
from torch import nn, optim

torch.manual_seed(1)
net = nn.Linear(2, 1, bias=False)
net.weight = nn.Parameter(torch.tensor([[0.3, -0.6]]))
opt = optim.SGD(net.parameters(), lr=0.1)
data = [(torch.tensor([1., 2.]), torch.tensor([1.])), (torch.tensor([0., 1.]), torch.tensor([-1.]))]
for epoch in range(2):
    total = 0.0
    for inp, tgt in data:
        opt.zero_grad()
        out = net(inp)
        loss = nn.functional.mse_loss(out, tgt)
        loss.backward()
        opt.step()
        total += loss.item()
    print(f'epoch {epoch:>2}: total loss {total:.5f}')
