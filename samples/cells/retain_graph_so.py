import torch
a = torch.rand(1, requires_grad=True)
a = torch.tensor([2.0], requires_grad=True)
b = a**2
c = b*2
d = c.mean()
e = c.sum()
d.backward(retain_graph=True)
print(a.grad)
e.backward(retain_graph=True)
print(a.grad)
try:
    d.backward()
    d.backward()
except RuntimeError as err:
    print(err)
    print(type(err).__name__, 'retain_graph=True' in str(err))
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * x
try:
    y.backward()
except RuntimeError as e:
    print("Error:", e)
y.backward(torch.tensor([1., 0., 0.]))
print(x.grad)
