import torch

x = torch.tensor([3.0], requires_grad=True)
with torch.no_grad():
    y = x * 2
try:
    y.backward()
except RuntimeError:
    print('no graph was recorded')
else:
    print('unexpected')
finally:
    print('done')
