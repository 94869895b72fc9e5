import torch
print([[1, 2.5], [3, 'a']], ([1, 2], [3]), [([1, 2], 3), 'x'], {'a': [([1.5], 2)]})
print(*[1, 2, 3], sep=', ', end='!\n')
print('%r %s' % ('q', 'q'), [*[1, 2], *(3,)])
a, b = [1, 2], [3, 4]
t = torch.tensor(([1., 2.], [3., 4.]))
print(t, torch.stack([t, t]).shape, torch.cat((t, t)).shape)
print(t.sum().item(), torch.tensor(0.1).item(), torch.tensor([0.1, 0.7]).tolist(), (t / 3).tolist())
print([x.item() for x in torch.tensor([0.3, 1/3])], float(torch.tensor(0.7)), torch.tensor(0.1, dtype=torch.float64).item())
v = [0.1 * 3, torch.tensor(0.1).item() * 3]
print(v, min([[3, 1], [2, 5, 6]]), max((1, 2), (1, 3)), sorted([[2, 1], [1, 5, 7]]))
print(torch.tensor(1e-8).item(), torch.tensor(123456.789).item(), torch.tensor(2.0).item(), torch.tensor(3).item())
losses = []
w = torch.tensor(1.0, requires_grad=True)
for i in range(3):
    l = (w * 0.1 - 1) ** 2
    l.backward()
    losses.append(l.item())
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.zero_()
print(losses, w.item())
print(sum(losses) / len(losses))
for x in zip([1, 2], ['a', 'b']): print(x)
print(dict(zip('ab', [[1, 2], [3]])))
