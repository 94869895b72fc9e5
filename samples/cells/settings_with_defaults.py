from dataclasses import dataclass
from typing import Optional

import torch

@dataclass
class Camera:
    width: int
    focal: Optional[float] = None
    name: str = 'front'

    def __post_init__(self):
        if self.focal is None:
            self.focal = self.width / 2

print(Camera(4), Camera(2, 3., name='back'))

usual = {'lr': 0.1, 'momentum': 0.0}
options = {**usual, 'momentum': 0.9, **{'nesterov': True}}
print(options)
w = torch.tensor([1., -1.], requires_grad=True)
opt = torch.optim.SGD([w], **options)
(w**2).sum().backward()
opt.step()
print(w)
device = torch.device('mps' if hasattr(torch.backends, 'mps') and torch.backends.mps.is_available() else 'cpu')
print(device, torch.cuda.device_count(), ord('a'), chr(ord('a') + 1))

try:
    torch.ones(2, 3).view(-1, 5)
except RuntimeError as e:
    print(e)
try:
    torch.tensor([[1, 2, 3], [4, 5, 6]]).T.view(6)
except RuntimeError as e:
    print(e)
