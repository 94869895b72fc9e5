import torch
t = torch.tensor(0.9525)
print(t.item(), f"{t.item():.3f} {t:.3f} {float(t):.3f}", "%.3f" % t.item(), "{:.3f}".format(t.item()))
x = torch.tensor([0.1, 0.2])
a = (x > 0.15).float().mean().item()
print(a, f"{a:.3f}")
h = []
h.append(t.item())
d = {"loss": t.item()}
print(f"{d['loss']:.3f}", d)
