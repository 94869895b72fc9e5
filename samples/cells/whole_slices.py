# A slice of all of a tensor is another tensor.
import torch

x = torch.ones(2, requires_grad=True)
print(x[:2], x[...], x[:], x[0:5], (x * 2)[:2], x[None], x.view(2), x[()])
y = x[:]
print(y is x, y.is_leaf, x.view(2).is_leaf)
y.retain_grad()
(y * torch.tensor([1.0, 2.0])).sum().backward()
print(y.grad, x.grad)
m = torch.ones(2, 3, requires_grad=True)
print(m[:, :], m[:2], m[:, 0:3], m[:2, ...], m[..., :])
plain = torch.zeros(2)
plain[:] += 1
same = plain[:]
same[0] = 5
print(plain, same)
for name, view in {
    "squeeze": lambda t: t.squeeze(), "permute": lambda t: t.permute(0, 1), "narrow": lambda t: t.narrow(0, 0, 2),
    "split": lambda t: t.split(2)[0], "flip": lambda t: t.flip([]), "reshape": lambda t: t.reshape(2, 3),
}.items():
    v = view(m)
    print(name, v is m, v.is_leaf, v.grad_fn.name())
