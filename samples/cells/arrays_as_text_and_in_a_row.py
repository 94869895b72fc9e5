import numpy as np
import torch
P = np.array([[0.18123, 0.13], [0.13, 0.2]])
print(np.array_str(P, precision=2), np.array2string(P, precision=2, separator=', '), np.array2string(np.arange(3)), np.array2string(np.float32(0.1)))
print("P = " + np.array_str(P))
for v in P.flat: print(v, end=' ')
print(P.flat[2], len(P.flat), list(P.flat), sum(P.flat))
P.flat[1] = 9.
print(P)
b = torch.tensor(0.609912345)
n = b.numpy()
print(repr(n.round(4)), repr(np.array([1.25, 2.75]).round(1)), repr(np.arange(3).round()), repr(np.float64(2.567).round(1)), repr(np.array([123.4]).round(-1)), repr(torch.tensor([0.5, 1.234]).numpy().round(2)), repr(torch.tensor([0.5, 1.234]).numpy()[1].round(2)))
print(repr(np.array(3.7).round()), repr(np.mean([1.5, 2.25]).round(1)))
