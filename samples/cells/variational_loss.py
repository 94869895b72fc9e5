import torch
import torch.nn.functional as F
mu = torch.tensor([[0.1, -0.2]], requires_grad=True)
logvar = torch.tensor([[0.3, -0.5]], requires_grad=True)
eps = torch.tensor([[0.5, -1.0]])
z = mu + torch.exp(0.5 * logvar) * eps
recon = torch.sigmoid(z @ torch.tensor([[1., 0., 2.], [0., 1., -1.]]))
x = torch.tensor([[1., 0., 1.]])
BCE = F.binary_cross_entropy(recon, x, reduction='sum')
KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
(BCE + KLD).backward()
print(BCE, KLD, mu.grad, logvar.grad)
