import torch
import torch.nn as nn

critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
with torch.no_grad():
    for k, p in enumerate(critic.parameters()):
        p.copy_((torch.arange(p.numel(), dtype=torch.float32).remainder(5) - 2).view_as(p) / 4)

def gradient_penalty(critic, real, fake, epsilon):
    mixed = real * epsilon + fake * (1 - epsilon)
    mixed.requires_grad_(True)
    scores = critic(mixed)
    gradient = torch.autograd.grad(
        inputs=mixed,
        outputs=scores,
        grad_outputs=torch.ones_like(scores),
        create_graph=True,
        retain_graph=True,
    )[0]
    gradient = gradient.view(gradient.shape[0], -1)
    gradient_norm = gradient.norm(2, dim=1)
    return torch.mean((gradient_norm - 1) ** 2)

real = torch.tensor([[1., 2.], [3., -1.], [0.5, 0.5]])
fake = torch.tensor([[0., 0.], [1., 1.], [-1., 2.]])
eps = torch.tensor([[0.1], [0.5], [0.9]])
opt = torch.optim.Adam(critic.parameters(), lr=1e-2, betas=(0.0, 0.9))
for step in range(3):
    loss = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(critic, real, fake, eps)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, "%.5f" % loss)
for p in critic.parameters():
    p.data.clamp_(-0.3, 0.3)
print(critic[2].weight)
