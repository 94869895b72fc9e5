import torch
import torch.nn as nn
class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.A = nn.Parameter(torch.tensor([[-0.1, 2.0], [-2.0, -0.1]]))
    def forward(self, t, y):
        return (y ** 3) @ self.A
def odeint(func, y0, t):
    ys = [y0]
    for i in range(len(t) - 1):
        h = t[i + 1] - t[i]
        k1 = func(t[i], ys[-1])
        k2 = func(t[i] + h / 2, ys[-1] + h / 2 * k1)
        ys.append(ys[-1] + h * k2)
    return torch.stack(ys)
t = torch.linspace(0., 1., 11)
y0 = torch.tensor([[2., 0.]])
func = ODEFunc()
sol = odeint(func, y0, t)
print(sol.shape, sol[-1])
loss = sol[-1].abs().sum()
loss.backward()
print(func.A.grad)
print(torch.max(torch.abs(sol), dim=0).values)
