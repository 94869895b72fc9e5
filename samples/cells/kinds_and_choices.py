import numpy as np
import torch
A = np.arange(6).reshape(2, 3)
print(np.where(A > 2, 1, 0), np.where(A > 2, A, -A), np.where(A > 2, 1.5, 0))
print(torch.Tensor(A).dtype, torch.Tensor([1, 2]).dtype, torch.where(torch.tensor(A) > 2, 1, 0))
print('%s' % [1, 2], '%s %s' % ([1], 'a'), 'a %s' % ({'a': 1},), f"{torch.tensor(1/3):%}")
class B: pass
class C(B): pass
print(issubclass(C, B), issubclass(B, C), isinstance(torch.ones(2), torch.nn.Parameter))
p = torch.nn.Parameter(torch.ones(2))
print(type(p), isinstance(p, torch.Tensor), isinstance(p, torch.nn.Parameter))
print(type(torch.nn.Linear(1, 1)).__name__, type(torch.optim.SGD([p], 0.1)).__name__, p.__class__.__name__)
