import numpy as np
import torch
d = {'a': 1.5, 'b': [1, 2]}
n = 'a'
print(f"{ {'a': 1, 'b': 2}[n] } {d['b'][0]:>3} {dict(x=1)} {[v for v in {1: 2}.values()]} {d}")
print(f"{n:<7}= { {'a': d}[n]['b'] }")
losses, nums = (0.5, 0.25), (4, 4)
print(np.sum(np.multiply(losses, nums)) / np.sum(nums))
print(torch.add(torch.tensor([1, 2]), 1))
