import torch
import torch.nn.utils.prune as prune

m = torch.nn.Linear(3, 2)
with torch.no_grad():
    m.weight.copy_(torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.1, -4.0]]))
prune.l1_unstructured(m, name="weight", amount=0.5)
print(m.weight, m.weight_mask)
print([n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()])
prune.remove(m, "weight")
print(m.weight)
print([n for n, _ in m.named_parameters()])

import torch
from torch.nn.utils import prune

m = torch.nn.Linear(3, 2)
with torch.no_grad():
    m.weight.copy_(torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.1, -4.0]]))
prune.ln_structured(m, name="weight", amount=1, n=2, dim=0)
print(m.weight)
print(prune.is_pruned(m))

import torch
from torch.nn.utils import prune

net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
with torch.no_grad():
    net[0].weight.copy_(torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.1, -4.0]]))
    net[2].weight.copy_(torch.tensor([[0.2, 5.0]]))
prune.global_unstructured(
    [(net[0], "weight"), (net[2], "weight")], pruning_method=prune.L1Unstructured, amount=0.5
)
print(net[0].weight, net[2].weight)
print(float(torch.sum(net[0].weight == 0)))
