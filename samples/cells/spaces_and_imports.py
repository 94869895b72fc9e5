import os, re
import torch
from torch.utils.data import DataLoader, TensorDataset

print(re.findall("a", "banana"), os.path.splitext("model.pt"))
data = TensorDataset(torch.arange(4.0))
for (x,) in DataLoader(dataset=data, batch_size=2, shuffle = True):
    print(x.shape)
for (x,) in DataLoader(data, 3, True):
    print(x.shape)
print(torch.normal (torch.zeros(2), torch.ones(2)).shape, torch.isin (torch.arange(3), torch.tensor([2])))

from torch.functional import F

print(F.relu(torch.tensor([-1.0, 2.0])), torch.functional.einsum("i,i->", torch.ones(2), torch.ones(2)))
