import torch

t = torch.tensor([[1, 2, 3], [4, 5, 6]])
x = torch.tensor([1.5, 2.5])
print(t.new_zeros(2), x.new_ones(2, 2), x.new_zeros((3,)))
y = x.new_ones(2)
y += x
print(y, t.new_ones(2).dtype)
