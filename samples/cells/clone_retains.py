import torch

a = torch.tensor([2., 3.], requires_grad=True)
b = a.clone()
b.retain_grad()
c = (b ** 3).sum()
c.backward()
print(a.grad, b.grad, sep='\n')
