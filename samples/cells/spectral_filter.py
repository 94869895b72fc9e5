# A filter that is learned in the frequency domain, and what the spectrum of a signal is
import math
import torch

n = 16
t = torch.arange(n) / n
signal = torch.sin(2 * math.pi * 2 * t) + 0.5 * torch.cos(2 * math.pi * 5 * t)
spectrum = torch.fft.rfft(signal)
print((spectrum.abs() * 2 / n).round(decimals=3))
freqs = torch.fft.rfftfreq(n, d=1 / n)
print(freqs[spectrum.abs() > 1])

gain = torch.full((n // 2 + 1,), 0.5, requires_grad=True)
wanted = torch.sin(2 * math.pi * 2 * t)
opt = torch.optim.SGD([gain], lr=1.0)
for step in range(50):
    filtered = torch.fft.irfft(torch.fft.rfft(signal) * gain, n=n)
    loss = ((filtered - wanted) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(gain.detach()[[2, 5]].round(decimals=3), loss < 1e-4)

z = torch.tensor([1 + 1j, -2j], requires_grad=True)
loss = ((z - (0.5 - 1j)).abs() ** 2).sum()
loss.backward()
print(loss, z.grad, z.is_leaf)
with torch.no_grad():
    print(z - 0.5 * z.grad)
