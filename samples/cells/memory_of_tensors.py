import torch

points = torch.tensor([[4.0, 1.0], [5.0, 3.0], [2.0, 1.5]])
memory = points.storage()
print(memory)
print(memory[0], len(memory), points.t().storage().tolist())
memory[0] = 2.0
print(points)
print(points.t().storage().data_ptr() == memory.data_ptr())
print(torch.ones(1, 3).expand(4, 3).storage().size(), points[1].untyped_storage().nbytes())
print(torch.arange(3).storage())
like = torch.Tensor(points.size())
print(like.shape, points.new([1, 2]))
