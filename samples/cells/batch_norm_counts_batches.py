import torch
import torch.nn as nn
bn = nn.BatchNorm1d(2)
x = torch.tensor([[1., 2.], [3., 6.]])
print(bn(x))
print(bn.running_mean, bn.running_var, bn.num_batches_tracked)
bn.eval()
print(bn(x))
d = nn.Dropout(0.5)
d.eval()
print(d(x), d.training, d)
print(bn.state_dict())
ln = nn.LayerNorm(2)
print(ln(x))
