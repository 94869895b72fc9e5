import torch
import torch.nn as nn
G = nn.Linear(1, 1)
D = nn.Sequential(nn.Linear(1, 2), nn.LeakyReLU(0.2), nn.Linear(2, 1), nn.Sigmoid())
for m in (G, D):
    for p in m.parameters():
        nn.init.constant_(p, 0.2)
criterion = nn.BCELoss()
optD = torch.optim.Adam(D.parameters(), lr=0.01, betas=(0.5, 0.999))
optG = torch.optim.Adam(G.parameters(), lr=0.01, betas=(0.5, 0.999))
real = torch.tensor([[1.0], [2.0]])
noise = torch.tensor([[0.5], [-0.5]])
for step in range(3):
    D.zero_grad()
    label = torch.full((2, 1), 1.)
    errD_real = criterion(D(real), label)
    errD_real.backward()
    fake = G(noise)
    label.fill_(0.)
    output = D(fake.detach())
    errD_fake = criterion(output, label)
    errD_fake.backward()
    D_G_z1 = output.mean().item()
    errD = errD_real + errD_fake
    optD.step()
    G.zero_grad()
    label.fill_(1.)
    errG = criterion(D(fake), label)
    errG.backward()
    optG.step()
    print('[%d/%d]\tLoss_D: %.4f\tLoss_G: %.4f\tD(G(z)): %.4f' % (step, 3, errD.item(), errG.item(), D_G_z1))
print(G.weight.grad)
