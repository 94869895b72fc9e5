import torch
from abc import ABC, abstractmethod
from typing import List, Optional, Dict, Tuple

class Kernel(ABC):
    count: int = 0

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale
        Kernel.count += 1

    @abstractmethod
    def __call__(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor: ...

    def __add__(self, other: "Kernel") -> "Kernel":
        return Sum(self, other)

    def __repr__(self):
        return f"{self.__class__.__name__}(scale={self.scale})"

class RBF(Kernel):
    def __call__(self, a, b):
        return self.scale * torch.exp(-0.5 * (a[:, None] - b[None, :]) ** 2)

class Linear(Kernel):
    def __call__(self, a, b):
        return self.scale * torch.outer(a, b)

class Sum(Kernel):
    def __init__(self, *parts):
        super().__init__(1.0)
        self.parts = parts

    def __call__(self, a, b):
        return sum(p(a, b) for p in self.parts)

    def __len__(self):
        return len(self.parts)

    def __iter__(self):
        return iter(self.parts)

    def __getitem__(self, i):
        return self.parts[i]

    def __contains__(self, k):
        return k in self.parts

    def __eq__(self, other):
        return isinstance(other, Sum) and len(self) == len(other)

    @classmethod
    def of(cls, *names, **scales):
        table: Dict[str, type] = {'rbf': RBF, 'linear': Linear}
        return cls(*[table[n](scales.get(n, 1.0)) for n in names])

    @property
    def total(self) -> float:
        return sum(p.scale for p in self.parts)

k = RBF(2.0) + Linear(0.5)
print(k, len(k), k[0], list(k), k.total, Kernel.count)
x = torch.tensor([0., 1.], requires_grad=True)
K = k(x, x)
print(K)
K.sum().backward()
print(x.grad)
s = Sum.of('rbf', 'linear', rbf=3.0)
print(s.parts, s == k, s[0] in s, hasattr(s, 'total'), getattr(s, 'missing', 'none'), isinstance(s, Kernel), issubclass(RBF, Kernel))
print(vars(s[0]) if False else s[0].__dict__, RBF.__name__, s.__class__.__mro__[1].__name__ if False else '')
