import torch
x = torch.ones(2)
x.add_(-0.1, torch.tensor([1., 2.])); print(x)
x.mul_(0.9).add_(1 - 0.9, torch.tensor([1., 2.])); print(x)
x.addcdiv_(-0.5, torch.ones(2), torch.tensor([2., 4.])); print(x)
x.addcmul_(0.5, torch.ones(2), torch.tensor([2., 4.])); print(x)
print(x.add(2, torch.ones(2)), torch.sub(x, 3, torch.ones(2)))

import torch
a, b = torch.ones(2, 2), torch.eye(2)
print(torch.addmm(2, a, 3, a, b), torch.addmm(2, a, a, b))
print(torch.addmv(2, torch.ones(2), 3, a, torch.ones(2)))
print(torch.baddbmm(2, a[None], 3, a[None], b[None]))
print(torch.add(a, 10, b))

import torch
p = torch.tensor([1., 2.], requires_grad=True)
(p ** 2).sum().backward()
p.data.add_(-0.1, p.grad.data)
print(p)
