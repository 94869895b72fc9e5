import torch

a = torch.tensor(3.0, requires_grad=True)
def closure_power(n):
    return lambda v: v ** n
cube = closure_power(3)
cube(a).backward()
print(a.grad.item())
