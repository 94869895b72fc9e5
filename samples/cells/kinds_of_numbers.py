import math
import torch

data = [[1, 2], [3, 4]]
print(data, torch.tensor(data), torch.tensor([[1., 2], [3, 4]]))
rows = [float(i) for i in range(3)]
print(rows, torch.tensor(rows), torch.tensor([i for i in range(3)]))
n = 10.0
print(n, n * 2, n / 5, 4 / 2, 7 // 2, 7.0 // 2, 2 ** 3, type(n), type(3))
print(f"{n} {n:.2f} {3} {12:5d} {n:>6}", "%s %d %.1f" % (n, n, 3))
x = torch.tensor([2.0, 3.0], requires_grad=True)
loss = (x ** 2).sum()
loss.backward()
print(loss.item(), x.grad.tolist(), float(x[0]), int(x[1]))
total = 0.0
for i in range(3):
    total += loss.item()
print(total, total / 3, sum([1.0, 2.0]), sum([1, 2]))
print(round(2.5), round(2.567, 1), round(4.0, 1), math.floor(2.7), math.ceil(2.1), math.sqrt(16))
print({"lr": 1.0, "epochs": 2}, (1.0, 2), isinstance(n, float), isinstance(n, int))
print(True + True, sum([True, True, False]), sum(x > 1 for x in [1, 2, 3]), sum([True]))
masks = torch.tensor([True, False])
print(sum([masks, masks, masks]), {"dtype": torch.float64, "text": "torch.float64"}, [str(torch.ones(1).dtype)])
