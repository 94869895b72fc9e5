import torch
import heapq
x = torch.tensor([1., 2.], requires_grad=True)

def show(label, fn):
    try:
        print(f"[{label}]", fn())
    except Exception as e:
        print(f"[{label}] {e.__class__.__name__}: {e}")

try:
    (x * 2).backward()
except RuntimeError as e:
    print(e.__class__.__name__, e.__class__, e.__class__ is RuntimeError)
show("shapes", lambda: x + torch.ones(3))
show("zero", lambda: 1 / 0)
show("grad", lambda: setattr(x, 'grad', torch.ones(3)))
show("retain", lambda: torch.ones(1).retain_grad())
show("hook", lambda: torch.ones(1).register_hook(print))
print('a'.__class__.__name__, (3).__class__.__name__, x.__class__.__name__, None.__class__.__name__)
print(heapq.nlargest(2, [3, 1, 2], key=lambda v: -v), heapq.nsmallest(1, ['bb', 'a'], key=len), heapq.nlargest(1, [3, 1]))
print(torch.distributions.Categorical(logits=torch.zeros(2, 3)).param_shape)
