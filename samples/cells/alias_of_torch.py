import torch as th

x = th.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
print(out.item())
out.backward()
print(x.grad)
assert x.grad.shape == (2, 2), "wrong shape"
