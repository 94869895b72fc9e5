import torch
import torch.nn as nn

y_true = torch.tensor([0, 1, 2, 2, 1, 0, 2])
y_pred = torch.tensor([0, 2, 2, 2, 1, 0, 1])
print(torch.bincount(y_true), torch.bincount(y_true, minlength=5))
print(torch.unique(y_pred))
values, counts = torch.unique(y_pred, return_counts=True)
print(values, counts)
print(y_pred.unique(return_inverse=True))
print(torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 3, 1])))
n = 3
confusion = torch.bincount(y_true * n + y_pred, minlength=n * n).reshape(n, n)
print(confusion)
edges = torch.tensor([1., 3., 5.])
print(torch.bucketize(torch.tensor([0.5, 3.0, 6.0]), edges), torch.bucketize(torch.tensor([3.0]), edges, right=True))
print(torch.searchsorted(edges, torch.tensor([2.0, 5.0])))
print(torch.histc(torch.tensor([1., 2., 1., 4.]), bins=4, min=0, max=4))
seqs = [torch.ones(2), torch.ones(3) * 2, torch.ones(1) * 3]
padded = nn.utils.rnn.pad_sequence(seqs, batch_first=True)
print(padded, padded.shape)
print(torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5])))
x = torch.tensor([1., 2.])
print(x.data_ptr() == x.detach().data_ptr(), x.data_ptr() == x.clone().data_ptr())
