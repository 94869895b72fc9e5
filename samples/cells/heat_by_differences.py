import torch
import numpy as np
N, alpha, dx = 11, 0.1, 0.1
dt = 0.4 * dx ** 2 / alpha
u = torch.zeros(N)
u[N // 2] = 1.0
src = torch.zeros(N, requires_grad=True)
state = u + src
for n in range(5):
    lap = torch.zeros_like(state)
    lap[1:-1] = (state[2:] - 2 * state[1:-1] + state[:-2]) / dx ** 2
    state = state + alpha * dt * lap
print(state)
state[3].backward()
print(src.grad)
print(f"total heat: {state.sum().item():.4f}, dt={dt:.3f}")
kernel = torch.tensor([0.4, 0.2, 0.4])
v = u.clone()
for _ in range(3):
    v = torch.nn.functional.conv1d(v.view(1, 1, -1), kernel.view(1, 1, -1), padding=1).view(-1)
print(v)
a = v.numpy()
print(np.roll(a, 1)[:4], a.argmax(), np.gradient(a, dx)[:3])
for i, val in enumerate(a):
    bar = '#' * int(round(val * 40))
    print(f"{i:>2} {val:6.3f} {bar}")
