import torch
x = torch.ones(2, 2)
print(x.requires_grad, x.is_leaf, x.grad_fn, x.grad)
x.requires_grad = True
y = x + 2
print(y.grad_fn is not None, y.is_leaf, y.requires_grad)
z = y * y * 3
out = z.mean()
print(z, out)
print(out.grad_fn.name(), type(out.grad_fn).__name__, out.grad_fn.next_functions[0][0].name())
out.backward()
print(x.grad)
a = torch.tensor([[1., 2.], [3., 4.]])
a = ((a * 3) / (a - 1 + 1e-3))
print(a.requires_grad)
a.requires_grad_(True)
b = (a * a).sum()
print(b.grad_fn is None, b.requires_grad)
v = torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float)
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
print(y)
y.backward(v)
print(x.grad)
print((x ** 2).requires_grad)
with torch.no_grad():
    print((x ** 2).requires_grad)
y = x.detach()
print(y.requires_grad, x.eq(y).all())
print(x.data_ptr() == y.data_ptr(), x.grad.data.shape, x._version, (x * 1).grad_fn.__class__.__name__)
p = torch.nn.Parameter(torch.zeros(2))
print(p, p.is_leaf, isinstance(p, torch.Tensor), isinstance(p, torch.nn.Parameter), p.data, p.requires_grad)
