import torch
# Euler-Lagrange: d/dt dL/dqdot = dL/dq
m, l, g = 1.0, 0.5, 9.81
def lagrangian(q, qd):
    T = 0.5 * m * (l * qd) ** 2
    V = -m * g * l * torch.cos(q)
    return T - V

def acc(q, qd):
    q = q.detach().requires_grad_(True)
    qd = qd.detach().requires_grad_(True)
    L = lagrangian(q, qd)
    dLdq, dLdqd = torch.autograd.grad(L, (q, qd), create_graph=True)
    d2L_dqd2, = torch.autograd.grad(dLdqd, qd, retain_graph=True)
    mixed = torch.autograd.grad(dLdqd, q, allow_unused=True)[0]
    if mixed is None:
        mixed = torch.zeros_like(q)
    return ((dLdq - mixed * qd) / d2L_dqd2).detach()

q, qd = torch.tensor(0.3), torch.tensor(0.0)
dt = 0.01
traj = []
for step in range(100):
    qd = qd + dt * acc(q, qd)
    q = q + dt * qd
    if step % 25 == 0:
        traj.append((round(q.item(), 4), round(qd.item(), 4)))
print(traj)
E = 0.5 * m * (l * qd) ** 2 - m * g * l * torch.cos(q)
print(f"energy {E:.4f}")
