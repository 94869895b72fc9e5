import torch
import copy
a = torch.tensor([1.0, 2.0])
r = [0, 0]
r[1] += a[1]
r[1] += a[1]
print(r, r[1], torch.tensor(r), sum(r), len(r), f"{r}", str(r))
t = torch.tensor(0.0)
u = torch.zeros(2)
held = [t, 5, (t, "a"), {"t": t, "u": u}, [u, [t]]]
t += 1
u.add_(2)
print(held)
print(held[2], held[3], held[4], held[3].items(), held[4][1], held[3]["u"], list(held[3].values()))
x, y, *rest = held
print(x, y, rest)
print([v for v in held], list(enumerate(held))[:2], list(zip(held, held))[:1], tuple(held)[:1])
print(held.index(5), held[0] == 1, max(held[0], 3), held + [t], held * 2, held[::2], sorted([t, torch.tensor(0.5)]))
print(torch.stack([held[0], t]), torch.cat([u, held[4][0]]), torch.tensor([t, 3.0]), torch.tensor([[t, 1.0], [2.0, t]]))
print(copy.copy(held), copy.deepcopy(held)[0], {**held[3]}, [*held][:1], dict(held[3]))
def f(*args, **kw):
    return args, kw
print(f(*held[:1], **held[3]))
print(held.pop(0), held)
state = {"w": u, "n": 3}
with torch.no_grad():
    u -= 1
print(state, state["w"], [state], "%s %s" % (u, [u, 1]), "{} {}".format([u, 1], t))
def matmul(a, b):
    result = [[0 for _ in range(len(b[0]))] for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(a[0])):
                result[i][j] += a[i][k] * b[k][j]
    return torch.FloatTensor(result)
m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(matmul(m, m), m @ m)
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)
params = [w, b]
history = [(0, w)]
for step in range(3):
    loss = (w * 2 + b).sum()
    loss.backward()
    with torch.no_grad():
        for p in params:
            p -= 0.1 * p.grad
            p.grad.zero_()
    print(params, history, loss.item())
