import torch
import torch.nn as nn
import torch.nn.functional as F
def t(f):
    try:
        f()
    except Exception as e:
        print(f.__name__, type(e).__name__, "|", e)
def a1():
    x = torch.ones(3, requires_grad=True); y = (x*2).sum(); y.backward(); y.backward()
def a2():
    x = torch.ones(3, requires_grad=True); (x*2).backward()
def a3():
    x = torch.ones(3, requires_grad=True); x += 1
def a4():
    torch.ones(2,3) @ torch.ones(2,3)
def a5():
    torch.ones(3) + torch.ones(2)
def a6():
    torch.ones(3).sum().backward()
def a7():
    torch.tensor([1, 2], requires_grad=True)
def a8():
    x = torch.ones(3, requires_grad=True); (x*2).backward(torch.ones(2))
def a9():
    x = torch.ones(3, requires_grad=True); x.numpy()
def a10():
    torch.ones(6).view(4, 2)
def a11():
    torch.ones(6).reshape(4, 2)
def a13():
    torch.ones(3).item()
def a14():
    nn.Linear(3, 2)(torch.ones(4, 5))
def a15():
    torch.cat([torch.ones(2, 3), torch.ones(2, 4)], dim=0)
def a16():
    torch.stack([torch.ones(2), torch.ones(3)])
def a17():
    torch.ones(2, 3)[5]
def a18():
    torch.mm(torch.ones(2, 3), torch.ones(4, 5))
def a19():
    torch.ones(3) @ torch.ones(4)
def a20():
    torch.ones(2, 3).sum(dim=4)
def a21():
    if torch.ones(3) > 0: pass
def a22():
    x = torch.ones(3, requires_grad=True); y = x * 2; torch.autograd.grad(y.sum(), torch.ones(3, requires_grad=True))
def a23():
    torch.ones(2, 3) + torch.ones(2, 4)
def a24():
    x = torch.ones(3, requires_grad=True); x.detach().sum().backward()
def a25():
    torch.linalg.inv(torch.zeros(2, 2))
def a26():
    F.nll_loss(torch.zeros(2, 3), torch.tensor([0, 3]))
def a27():
    F.cross_entropy(torch.zeros(2, 3), torch.tensor([0, 3]))
def a28():
    torch.ones(3).foo()
def a29():
    x = torch.ones(3, requires_grad=True); x[0] = 5.
def a30():
    x = torch.ones(3).requires_grad_(); y = x[0:2]; y.mul_(2)
def a31():
    torch.dot(torch.ones(2), torch.ones(3))
def a32():
    torch.bmm(torch.ones(2,3,4), torch.ones(2,5,6))
def a33():
    with torch.no_grad():
        y = torch.ones(3, requires_grad=True) * 2
    y.sum().backward()
def a35():
    torch.ones(2,3).matmul(torch.ones(2))
def a36():
    F.mse_loss(torch.ones(2), torch.ones(3))
def a39():
    torch.ones(2,3).expand(4, 3)
def a40():
    torch.ones(2, 3).squeeze(5)
def a44():
    {"a": 1}["b"]
def a47():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.requires_grad = False
def a49():
    len(torch.tensor(3.))
for f in [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a35, a36, a39, a40, a44, a47, a49]:
    t(f)
