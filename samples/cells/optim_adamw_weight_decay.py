import torch

w = torch.ones(3, requires_grad=True)
opt = torch.optim.AdamW([w], lr=0.1, weight_decay=0.1)
for step in range(4):
    loss = ((w - torch.tensor([0., 1., 2.])) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(w)
