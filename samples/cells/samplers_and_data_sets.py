# Orders of rows, data sets of data sets, and loaders that are given an order
import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset
from torch.utils.data import RandomSampler, Sampler, StackDataset, TensorDataset
from torch.utils.data import WeightedRandomSampler, default_collate
from torch.utils.data.sampler import BatchSampler, SequentialSampler, SubsetRandomSampler


class Squares(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.tensor([float(i) ** 2]), i


for x, y in DataLoader(Squares(5), batch_size=2):
    print(x, y)
both = ConcatDataset([Squares(2), Squares(3)])
print(len(both), both.cumulative_sizes, both[3])
print(list(BatchSampler(SequentialSampler(range(10)), batch_size=3, drop_last=False)))
print(len(BatchSampler(SequentialSampler(range(10)), batch_size=3, drop_last=True)))
for x in DataLoader(torch.arange(3.0), batch_size=None):
    print(x)
for x in DataLoader([1, 2, 3, 4, 5], batch_size=2, drop_last=True):
    print(x)


class Backwards(Sampler):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(reversed(range(self.n)))

    def __len__(self):
        return self.n


rows = TensorDataset(torch.arange(6.0), torch.arange(6))
for batch in DataLoader(rows, batch_size=4, sampler=Backwards(6)):
    print(batch)
for batch in DataLoader(rows, batch_sampler=BatchSampler(SequentialSampler(rows), 4, False)):
    print(batch)


class Count(IterableDataset):
    def __init__(self, first, last):
        super().__init__()
        self.first, self.last = first, last

    def __iter__(self):
        for i in range(self.first, self.last):
            yield i


for x in DataLoader(Count(0, 5), batch_size=2):
    print(x)
print(default_collate([(1.5, 2), (2.5, 3)]))
print(list(WeightedRandomSampler([0.0, 1.0, 0.0], 3, replacement=True)))
print(sorted(RandomSampler(range(4))), sorted(SubsetRandomSampler([3, 5, 7])))
pairs = StackDataset(torch.arange(3), torch.arange(3.0))
print(pairs[1], len(pairs))
for x in DataLoader(range(5), batch_size=2, collate_fn=lambda rows: len(rows)):
    print(x)
try:
    DataLoader(rows, shuffle=True, sampler=Backwards(6))
except ValueError as error:
    print(error)
