import torch
from torch.autograd import grad

# physics informed: u' = -u
class PINN(torch.nn.Module):
    def __init__(self):
        super(PINN, self).__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(1, 4),
            torch.nn.Tanh(),
            torch.nn.Linear(4, 1),
        )

    def forward(self, t):
        return self.net(t)

def init(m):
    if isinstance(m, torch.nn.Linear):
        torch.nn.init.constant_(m.weight, 0.3)
        torch.nn.init.zeros_(m.bias)

model = PINN()
model.apply(init)
print(model)
t = torch.linspace(0, 1, 6).view(-1, 1).requires_grad_(True)
t0 = torch.zeros(1, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(30):
    optimizer.zero_grad()
    u = model(t)
    du_dt = grad(u, t, grad_outputs=torch.ones_like(u), create_graph=True)[0]
    physics = ((du_dt + u) ** 2).mean()
    ic = (model(t0) - 1).pow(2).mean()
    loss = physics + ic
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print('step {}: loss {:.5f}'.format(step, loss.item()))
