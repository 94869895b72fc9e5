import torch
from torch import optim
x = torch.tensor(5.0, requires_grad=True)
opt = optim.Adam([x], lr=0.5)
history = []
for step in range(1, 11):
    opt.zero_grad()
    loss = (x - 2) ** 2 + 1
    loss.backward()
    opt.step()
    history.append((step, x.item(), loss.item()))
    if step % 5 == 0:
        print(f"Step {step:02d} | x = {x.item():8.4f} | loss = {loss.item():.4e}")
best = min(history, key=lambda h: h[2])
print("best step:", best[0])
print(x)
print(opt.state_dict()['param_groups'][0]['lr'])
