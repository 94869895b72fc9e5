import torch

def exp_adder(x, y):
    return 2 * x.exp() + 3 * y

inputs = (torch.tensor([0.1, 0.2]), torch.tensor([1.0, 2.0]))
J = torch.autograd.functional.jacobian(exp_adder, inputs)
print(J[0])
print(J[1])
