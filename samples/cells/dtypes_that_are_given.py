import torch
from torch import nn

f64, i32 = torch.float64, torch.int32
print(torch.randint(-8, 9, (5, 1), dtype=torch.float).dtype, torch.randint(3, (2,), dtype=f64).dtype)
print(torch.randint(0, 2, (3,), dtype=i32).dtype, torch.randint(0, 2, (3,), dtype=torch.bool).dtype)
print(torch.randint(1, 2, (3,), dtype=torch.float, requires_grad=True), torch.randperm(4, dtype=i32).dtype)
print(torch.normal(0.0, 1.0, (2,), dtype=f64).dtype, torch.normal(torch.zeros(2, dtype=f64), 1.0).dtype)
print(torch.randint_like(torch.zeros(2), 3).dtype, torch.randint_like(torch.zeros(2), 3, dtype=torch.int64).dtype)


class Own(nn.Linear):
    pass


x = torch.ones(3, 1, 2, dtype=f64)
layers = [nn.Linear(2, 2, dtype=f64), nn.LayerNorm(2, dtype=f64), nn.RNN(2, 2, dtype=f64), Own(2, 1, dtype=f64),
          nn.BatchNorm1d(1, dtype=f64), nn.GroupNorm(1, 1, dtype=f64), nn.Conv1d(1, 1, 1, dtype=f64)]
for layer in layers:
    out = layer(x)
    out = out[0] if isinstance(out, tuple) else out
    print(type(layer).__name__, out.dtype, {p.dtype for p in layer.parameters()})
print(nn.Embedding(3, 2, dtype=f64)(torch.tensor([1])).dtype, nn.BatchNorm1d(2, dtype=f64).running_mean.dtype)
