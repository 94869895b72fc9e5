import torch
from torch import nn
m = nn.Linear(2, 3)
try:
    m.load_state_dict({'weight': torch.zeros(3, 3), 'foo': torch.tensor(1.)})
except RuntimeError as e:
    print(e)
print(m.load_state_dict({'weight': torch.zeros(3, 2), 'foo': torch.tensor(1.)}, strict=False))
print(m.weight)
class Timer:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        print('enter', self.name)
        return self
    def __exit__(self, exc_type, exc, tb):
        print('exit', self.name, exc_type is None)
        return exc_type is not None
with Timer('a') as t, torch.no_grad():
    print(t.name)
with Timer('b'):
    raise ValueError('x')
def f():
    with Timer('c'):
        return 3
print(f())
for *_, x in [(1, 2, 3), (4, 5)]:
    print(x)
print([x for *_, x in [(1, 2)]], "{!r:>5}|{!s}".format('a', 'b'))
for i, (a, *b) in enumerate([(1, 2, 3)]):
    print(i, a, b)
s = torch.optim.SGD(m.parameters(), lr=1.)
a = torch.optim.lr_scheduler.ExponentialLR(s, 0.5)
b = torch.optim.lr_scheduler.StepLR(s, 1, 0.1)
c = torch.optim.lr_scheduler.ReduceLROnPlateau(s, patience=0)
for i in range(3):
    s.step(); a.step(); b.step(); c.step(1.)
    print(a.get_last_lr(), b.get_last_lr(), c.get_last_lr(), s.param_groups[0]['lr'])
