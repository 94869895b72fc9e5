import torch

xs = torch.linspace(0, 1, 5)
ys = 2 * xs + 1
m = torch.nn.Parameter(torch.zeros(1))
c = torch.nn.Parameter(torch.zeros(1))
opt = torch.optim.Adam([m, c], lr=0.5)
for epoch in range(1, 4):
    pred = m * xs + c
    loss = torch.nn.functional.mse_loss(pred, ys)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"[{epoch:02d}] loss={loss.item():.3f} m={m.item():.3f} c={c.item():.3f}")
