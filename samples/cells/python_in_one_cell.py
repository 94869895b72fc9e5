from collections import defaultdict, Counter, deque
from dataclasses import dataclass, field, asdict, replace
from functools import reduce
from itertools import product, chain, permutations, cycle, islice, zip_longest, pairwise
from typing import Optional, Dict
import math, random, time, operator
import torch
@dataclass(order=True)
class Config:
    lr: float = 0.1
    layers: list = field(default_factory=lambda: [2, 1])
    name: str = field(default="net", compare=False)
    def __post_init__(self):
        self.depth = len(self.layers)
c = Config(lr=0.01)
print(c, asdict(c), replace(c, lr=0.5), c < Config(0.2), c == Config(0.01, name='x'), c.depth)
grid = list(product([1, 2], 'ab'))
print(grid, list(chain.from_iterable([[1], [2, 3]])), list(islice(cycle('ab'), 5)))
print(list(zip_longest([1, 2, 3], 'a', fillvalue='-')), list(pairwise([1, 2, 3])), len(list(permutations(range(4)))))
groups = defaultdict(lambda: [0, 0.0])
for k, v in [('a', 1.5), ('b', 2.0), ('a', 0.5)]:
    groups[k][0] += 1
    groups[k][1] += v
print({k: v[1] / v[0] for k, v in groups.items()})
d = deque([1, 2, 3], maxlen=3); d.append(4); d.appendleft(0); d.rotate(1)
print(d, d[-1], list(reversed(d)))
print(Counter("hello") + Counter("low"), Counter([1, 1, 2]).items(), sum(Counter('abca').values()))
def total(*args: float, scale: float = 1.0, **kw: int) -> Optional[float]:
    """Sum of things."""
    return scale * sum(args) + sum(kw.values())
print(total(1, 2, 3, scale=2, extra=4), total.__doc__, total(*[1], **{'k': 2}))
matrix = [[i * j for j in range(3)] for i in range(3)]
print(matrix, [*zip(*matrix)][1], [x for row in matrix for x in row if x % 2 == 0])
print(sorted([('b', 2), ('a', 2), ('c', 1)], key=lambda p: (-p[1], p[0])), sorted("bca"), max("abc", "b", key=len))
print(reduce(lambda a, b: a * b, range(1, 6)), any(x > 3 for x in (1, 2)), list(map(operator.neg, [1, -2])))
print(isinstance(3, (int, float)), isinstance(True, int), type(3.0).__name__, 7 // 2, -7 // 2, 7 % -3, 2 ** 10, round(2.5), round(3.14159, 2))
s = "The quick brown fox"
print(s.lower().split()[::-1], s.title(), s.count('o'), s.find('q'), s.replace('quick', 'slow'), s[4:9], s.startswith('The'))
start = time.time(); elapsed = time.time() - start
print(elapsed >= 0, f"{math.e:.3f}", math.factorial(5), math.inf > 1e308)
a, b = [1, 2], [1, 2]
print(a == b, a is b, a is not None, not a, a and 'yes', [] or 'empty', 1 < 2 < 3, 'x' if a else 'y')
lst = list(range(10)); lst[2:5] = [99]; del lst[0]; print(lst, lst[-3:], 99 in lst, lst.index(99))
match len(lst):
    case 0: print('zero')
    case n if n > 5: print('many', n)
    case _: print('few')
print({**{'a': 1}, 'b': 2}, {1, 2} ^ {2, 3}, frozenset([1]) <= {1, 2}, tuple(x * 2 for x in (1, 2)), dict(zip('ab', [1, 2])))
