import torch
from torch.func import grad, vmap

weights = torch.tensor([0.5, -0.25, 1.0])

def model(weights, feature_vec):
    return feature_vec.dot(weights).relu()

def compute_loss(weights, example, target):
    y = model(weights, example)
    return ((y - target) ** 2).mean()

examples = torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.5, 0.5]])
targets = torch.tensor([1.0, 0.0])
grad_weight_per_example = vmap(grad(compute_loss), in_dims=(None, 0, 0))(weights, examples, targets)
print(grad_weight_per_example)
