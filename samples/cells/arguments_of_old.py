import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

x = torch.tensor([[1.0, 2.0], [3.0, 0.0]], requires_grad=True)
t = torch.tensor([1, 0])
print(nn.MSELoss(size_average=False)(x, torch.zeros(2, 2)), nn.L1Loss(reduce=False)(x, 2 * x))
print(F.cross_entropy(x, t, size_average=True), nn.CrossEntropyLoss(size_average=False)(x, t))
print(nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]), reduce=False, size_average=False)(x, t))
layer = nn.Linear(2, 2)
layer.weight.data = torch.from_numpy(np.array([[0.5, 1.0], [1.5, 2.0]]))
print(layer.weight, layer.weight.dtype, layer.bias.dtype)
state = layer.state_dict()
print(type(state), type(state).__name__, isinstance(state, dict), type({}) is dict)
