# Masks, bits and sets with ^, which binds tighter than | and looser than &
import torch

a = torch.tensor([True, True, False])
b = torch.tensor([True, False, False])
print(a ^ b, a | b ^ a, a & b ^ b)
x = torch.tensor([1, 2, 3])
print(x ^ 2, 5 ^ 3, True ^ True)
print(x & 2, x | 4, 5 & 3, 5 | 2)
x ^= 1
print(x)
print({1, 2} ^ {2, 3})
values = torch.arange(6.0, requires_grad=True)
outside = (values > 3) ^ (values < 2)
values[outside].sum().backward()
print(values.grad)
