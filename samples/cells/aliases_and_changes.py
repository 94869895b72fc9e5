import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np

# in place and aliases
a = torch.zeros(3)
b = a
b += 1
c = a.clone(); c[0] = 9; print(a, c)
d = {'w': a}
d['w'][1] = 5
print(a, d)
def change(t):
    t.mul_(2)
    t[0] = -1
change(a); print(a, d['w'])
class Box:
    def __init__(self, t): self.t = t
    def bump(self): self.t += 10; return self
bx = Box(a); bx.bump().bump(); print(a, bx.t)
v = a.view(3, 1); v[2, 0] = 0; print(a)
rows = [r for r in torch.zeros(2, 2)]
rows[0] += 1; rows[1][0] = 7
print(rows)
M = torch.zeros(2, 2)
for r in M: r += 1
print(M)
for i, r in enumerate(M): r[i] = 5
print(M)
l = [M[0], M[1]]
l[0].zero_(); print(M, l)
x, y = M
x += 3; print(M, x, y)
t = torch.arange(6.).reshape(2, 3)
t.T[0] = 100; print(t)
t[t > 50] = 0; t[:, 1:] *= 2; t[0], t[1] = t[1].clone(), t[0].clone()
print(t)
s = torch.ones(2); u = s.numpy(); s.add_(1); u[0] = 8; print(s, u)
n = np.ones(3); z = torch.from_numpy(n); np.add(n, 1, out=n); print(z, n); n += 1; print(z)
lst = [torch.tensor([1.]), torch.tensor([2.])]
tot = torch.zeros(1)
for k in lst: tot += k
print(tot, torch.cat(lst), sum(lst), torch.stack(lst).squeeze())
hist = []
w = torch.zeros(2)
for i in range(3):
    w += i
    hist.append(w.clone()); 
print(hist)
hist2 = []
for i in range(3):
    w += i
    hist2.append(w)
print(hist2)
p = nn.Parameter(torch.ones(2))
old = p.data
p.data = p.data * 2
print(old, p)
p.data.mul_(3); print(p)
with torch.no_grad():
    p[0] = 0
    p.clamp_(max=4)
print(p)
lin = nn.Linear(2, 2, bias=False)
with torch.no_grad():
    lin.weight.copy_(torch.eye(2)); lin.weight[0, 1] = 3
print(lin.weight, lin(torch.ones(2)))
lin.weight.data = torch.zeros(2, 2); print(lin.weight)
params = list(lin.parameters()); params[0].data += 1; print(lin.weight, params)
sd = lin.state_dict(); sd['weight'][0] = 42; print(lin.weight)
q = torch.ones(2, requires_grad=True)
r = q * 2
r[0] = 0
r.sum().backward(); print(q.grad)
e = torch.zeros(3); e[1:] = q; e.sum().backward(); print(q.grad, e)
q.grad *= 0; print(q.grad); q.grad = None
out = torch.empty(2); torch.mul(q.detach(), 3, out=out); print(out)
i = 5; i += 2; f = 1.5; f *= 2; st = 'a'; st += 'b'; tp = (1,); tp += (2,); print(i, f, st, tp)
aa = bb = torch.zeros(1); aa += 1; print(bb); bb = bb + 1; print(aa, bb)
h = torch.zeros(1, 3); seq = torch.ones(4, 3); outs = []
for xt in seq:
    h = torch.tanh(xt + h); outs.append(h)
print(torch.cat(outs).shape, outs[-1])
g = [[torch.tensor(float(i * j)) for j in range(2)] for i in range(2)]
g[1][1] += 5; g[0][0] = torch.tensor(7.); print(g, torch.tensor(g))
cache = {}
def memo(k):
    if k not in cache: cache[k] = torch.full((2,), float(k))
    return cache[k]
memo(1).add_(1); print(memo(1), cache)
st = torch.tensor([3., 1., 2.]); st2, ix = st.sort(); st2[0] = 100; print(st, st2, ix)
ex = torch.zeros(1, 3).expand(2, 3).clone(); ex[0] = 1; print(ex)
chunks = torch.arange(4.).chunk(2); chunks[0].zero_(); print(chunks)
base = torch.arange(4.); c1, c2 = base.split(2); c1 += 10; print(base, c2)
print(base.index_add_(0, torch.tensor([0]), torch.tensor([5.])), base.masked_fill_(base > 10, 0), base.fill_(2).pow_(3))
sw = torch.tensor([1, 2]); sw[0], sw[1] = sw[1], sw[0]; print(sw)
m1 = torch.zeros(2, 2); m1.diagonal().fill_(3); m1.fill_diagonal_(4); print(m1, m1.triu_())
sw = torch.arange(4.).view(2, 2); sw[0], sw[1] = sw[1], sw[0]; print(sw)
n1 = np.array([1, 2, 3]); n1[0], n1[2] = n1[2], n1[0]; print(n1)
n2 = np.arange(4).reshape(2, 2); n2[0], n2[1] = n2[1].copy(), n2[0].copy(); print(n2)
n2[[0, 1]] = n2[[1, 0]]; print(n2)
ls = [1, 2]; ls[0], ls[1] = ls[1], ls[0]; print(ls)
lt = [torch.ones(1), torch.zeros(1)]; lt[0], lt[1] = lt[1], lt[0]; print(lt)
