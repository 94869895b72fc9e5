import torch
a = torch.tensor([1., 2., 3.], requires_grad=True)
b = a * 2
c = b.detach()
c.zero_()
print(b)
print(c)
try:
    b.pow(2).sum().backward()
    print(a.grad)
except RuntimeError as e:
    print("error", str(e)[:60])
d = a.data
d[0] = 10.
print(a)
e = a.detach().clone()
e[1] = -1
print(a, e)
