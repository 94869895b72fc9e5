import torch
import numpy as np
x = torch.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0]]))
w = torch.ones(2, 1)
try:
    print(x @ w)
except RuntimeError as e:
    print("Error:", e)
print(x.float() @ w)
lin = torch.nn.Linear(2, 1)
try:
    lin(x)
except RuntimeError as e:
    print("Error:", e)
try:
    torch.ones(2, 3) @ torch.ones(2, 3)
except RuntimeError as e:
    print(e)
try:
    torch.ones(2) + torch.ones(3)
except RuntimeError as e:
    print(e)
