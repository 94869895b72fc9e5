import torch
def rk4(f, y, t, dt):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt / 2 * k1)
    k3 = f(t + dt / 2, y + dt / 2 * k2)
    k4 = f(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
k = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
A = lambda t, y: torch.stack([y[1], -k[0] * y[0]])
y = torch.tensor([1.0, 0.0], dtype=torch.float64)
ts = torch.linspace(0, 1, 11, dtype=torch.float64)
for i in range(len(ts) - 1):
    y = rk4(A, y, ts[i], ts[i + 1] - ts[i])
print(y)
print(torch.cos(torch.sqrt(k)))
y[0].backward()
print(k.grad)
