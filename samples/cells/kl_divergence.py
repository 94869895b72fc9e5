import torch

p = torch.tensor([0.2, 0.3, 0.5], requires_grad=True)
q = torch.tensor([0.1, 0.6, 0.3])
kl = (p * (p / q).log()).sum()
kl.backward()
print('KL divergence', kl.item())
print(p.grad)
