import torch
from collections import defaultdict

meters = defaultdict(list)
w = torch.tensor(0.0, requires_grad=True)
data = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]
for epoch in range(3):
    for x, y in data:
        loss = (w * x - y) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad.zero_()
        meters["loss"].append(loss.item())
        meters["w"].append(w.item())
    avg = sum(meters["loss"][-3:]) / 3
    print(f"epoch {epoch:>2d} | loss {avg:8.4f} | w {w.item():.4f}")
for name, values in sorted(meters.items()):
    print(name, len(values), f"{values[-1]:.4f}")
