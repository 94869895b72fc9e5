import torch

x = torch.tensor([0.1, 0.2], requires_grad=True)
J = torch.autograd.functional.jacobian(lambda v: torch.stack([v.sum(), v.prod()]), x)
H = torch.autograd.functional.hessian(lambda v: v.prod() ** 2, x)
print(J)
print(H)
