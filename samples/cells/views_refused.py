# Which views PyTorch refuses: elements that lie in another order, or with others between them
import torch

y = torch.arange(12.0).reshape(3, 4)
tries = {
    "columns": lambda: y[:, :2].view(-1),
    "one column": lambda: y[:, 1].view(3, 1),
    "every other row": lambda: y[::2].view(-1),
    "columns apart": lambda: y[:, :2].view(3, 2, 1),
    "expand rows": lambda: y.expand(2, 3, 4).view(6, 4),
    "expand": lambda: torch.ones(3, 1).expand(3, 4).view(12),
    "narrow": lambda: y.narrow(1, 0, 2).view(6),
    "chunk": lambda: y.chunk(2, 1)[0].view(6),
    "split": lambda: y.split(2, dim=1)[1].view(-1),
    "unbind": lambda: y.unbind(1)[0].view(3),
    "rows by number": lambda: y[torch.tensor([0, 2])].view(-1),
    "mask": lambda: y[y > 3].view(2, 4),
    "columns by number": lambda: y[:, [0, 1]].view(-1),
    "rows": lambda: y[1:].view(2, 2, 2),
    "row": lambda: y[1].view(2, 2),
    "clone": lambda: y[:, :2].clone().view(-1),
    "sum": lambda: (y[:, :2] + 1).view(-1),
    "unsqueeze": lambda: y.unsqueeze(1).view(4, 3),
    "diagonal": lambda: torch.diagonal(torch.ones(3, 3)).view(3, 1),
}
for name, view in tries.items():
    try:
        print(name, view())
    except RuntimeError as error:
        print(name, error)
print(torch.arange(start=1, end=5, step=2), torch.arange(start=1.0, end=5))
print(torch.full(size=(2, 2), fill_value=7), torch.tensor(data=[1, 2]))
print(torch.zeros_like(input=torch.arange(start=0, end=3)))
