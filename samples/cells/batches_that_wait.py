import torch
def batches(x, n):
    for i in range(0, len(x), n):
        yield x[i:i + n]
w = torch.tensor([1., 2.], requires_grad=True)
x = torch.arange(8.).reshape(4, 2)
for b in batches(x, 2):
    loss = (b @ w).sum()
    loss.backward()
    print(w.grad)
    w.grad.zero_()
def ev():
    with torch.no_grad():
        yield w * 2
    yield w * 3
for v in ev(): print(v.requires_grad)
class D:
    def __init__(self, n): self.n = n
    def __iter__(self):
        for i in range(self.n):
            yield i, i * i
for a, b in D(3): print(a, b)
print(list(D(2)))
try:
    def bad():
        yield 1
        raise ValueError("no")
    for v in bad(): print(v)
except ValueError as e: print(e)
def f():
    try:
        yield 1
        yield 2
    finally:
        print("closed")
print(list(f()))
