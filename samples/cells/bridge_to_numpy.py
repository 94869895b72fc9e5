import torch
import numpy as np
a = torch.ones(5)
print(a)
b = a.numpy()
print(b)
a.add_(1)
print(a)
print(b)
a = np.ones(5)
b = torch.from_numpy(a)
np.add(a, 1, out=a)
print(a)
print(b)
t = torch.tensor([[1., 2.], [3., 4.]])
arr = t.numpy()
print(arr.shape, arr.dtype, arr.size, arr.ndim, type(arr))
c = arr.copy()
c[0, 0] = 100
print(t, c)
print(np.mean(arr), arr.sum(axis=0), arr.T)
d = torch.as_tensor(arr)
e = torch.tensor(arr)
d[0, 0] = -1
print(arr[0, 0], e[0, 0])
print(float(t.sum()), int(t[1, 1]), t.tolist(), t[0, 1].item())
x = torch.tensor([1., 2.], requires_grad=True)
try:
    x.numpy()
except RuntimeError as e:
    print(e)
print(x.detach().numpy())
