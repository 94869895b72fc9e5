import torch
import torch.nn as nn
# GAN-ish: two optimisers, detach
G = nn.Linear(1, 1)
D = nn.Sequential(nn.Linear(1, 2), nn.LeakyReLU(0.2), nn.Linear(2, 1), nn.Sigmoid())
for net in (G, D):
    for i, p in enumerate(net.parameters()):
        nn.init.constant_(p, 0.2 * (i + 1))
opt_g = torch.optim.Adam(G.parameters(), lr=0.05, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=0.05, betas=(0.5, 0.999))
bce = nn.BCELoss()
real = torch.tensor([[1.0], [1.2], [0.8]])
noise = torch.tensor([[0.1], [-0.3], [0.5]])
ones, zeros = torch.ones(3, 1), torch.zeros(3, 1)
for epoch in range(3):
    opt_d.zero_grad()
    fake = G(noise)
    d_loss = bce(D(real), ones) + bce(D(fake.detach()), zeros)
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = bce(D(fake), ones)
    g_loss.backward()
    opt_g.step()
    print(f"[{epoch}] D: {d_loss.item():.4f} G: {g_loss.item():.4f}")
