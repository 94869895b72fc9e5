import torch
a = torch.rand(3, requires_grad=True)
b = torch.rand(3).requires_grad_()
c = torch.rand(3, requires_grad=True) * 1
d = torch.nn.Parameter(torch.rand(3))
for name, t in [("a", a), ("b", b), ("c", c), ("d", d)]:
    print(name, t.is_leaf, t.requires_grad, t.grad_fn is None)
e = a.detach()
f = a.clone().detach().requires_grad_(True)
print(e.requires_grad, f.requires_grad, f.is_leaf)
with torch.no_grad():
    g = a * 2
print(g.requires_grad, g.is_leaf, g.grad_fn)
h = torch.tensor([1., 2.])
h.requires_grad = True
i = h.view(1, 2)
print(i.is_leaf, i.grad_fn.__class__.__name__)
try:
    c.requires_grad = False
except RuntimeError as err:
    print(err)
print(torch.is_grad_enabled())
with torch.set_grad_enabled(False):
    print(torch.is_grad_enabled(), (a * 2).requires_grad)
@torch.inference_mode()
def infer(x):
    return x * 2
print(infer(a).requires_grad)
