import torch
# solve ODE parameters with Euler, gradient through time
def simulate(k, x0, dt=0.1, steps=20):
    xs = torch.empty(steps + 1)
    xs[0] = x0
    x = x0
    for i in range(steps):
        x = x - dt * k * x
        xs[i + 1] = x
    return xs
target = simulate(torch.tensor(1.5), torch.tensor(2.0))
k = torch.tensor(0.5, requires_grad=True)
x0 = torch.tensor(2.0)
opt = torch.optim.Adam([k], lr=0.2)
for it in range(1, 31):
    opt.zero_grad()
    loss = torch.mean((simulate(k, x0) - target) ** 2)
    loss.backward()
    opt.step()
    if it % 10 == 0:
        print(f'{it:3d}  loss={loss.item():.6f}  k={k.item():.4f}')
print(target[:3].tolist())
