import torch

def attempt(f):
    try:
        print('ok', f())
    except Exception as e:
        print(type(e).__name__, '|', str(e).split('\n')[0][:100])

x = torch.ones(2, 2, requires_grad=True)
attempt(lambda: x.sum().backward(torch.ones(2)))
attempt(lambda: torch.autograd.grad((x * 2).sum(), torch.ones(1, requires_grad=True)))
attempt(lambda: torch.zeros(2, 3) @ torch.zeros(2, 3))
attempt(lambda: torch.tensor([1, 2]).mean())
attempt(lambda: torch.cat([torch.zeros(2, 2), torch.zeros(3, 3)]))
attempt(lambda: torch.zeros(3)[5])
attempt(lambda: torch.zeros(2, 3).view(5))
attempt(lambda: torch.tensor([1, 2, 3]).item())
attempt(lambda: torch.stack([torch.zeros(2), torch.zeros(3)]))
attempt(lambda: torch.nn.Linear(3, 2)(torch.zeros(2, 4)))
attempt(lambda: torch.zeros(2).foo)
attempt(lambda: x.retain_grad() or x.is_leaf)
attempt(lambda: int('3') + len([1, 2]))
attempt(lambda: [1, 2][7])
attempt(lambda: {'a': 1}['b'])
attempt(lambda: 1 / 0)
attempt(lambda: undefined_name)
attempt(lambda: torch.nn.functional.cross_entropy(torch.zeros(2, 3), torch.tensor([0, 5])))
attempt(lambda: torch.ones(2).backward())
attempt(lambda: torch.zeros(2, 3).sum(dim=4))
