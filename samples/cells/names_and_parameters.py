import torch
def train(m, data, *, lr=0.1, steps=10, verbose=False, **kwargs):
    return lr * steps + m
def loss(pred, true):
    return ((pred - true) ** 2).mean()
true = torch.tensor([1., 2.])
print(train(1, 2, lr=0.5), loss(true + 1, true), true)
def g(a, b=2, *args, c, **kw):
    return a, b, args, c, kw
print(g(1, 2, 3, c=4, d=5))
def h(a=1, **kw):
    return kw
print(h(2, z=3))
