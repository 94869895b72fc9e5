import itertools
from itertools import accumulate, chain, groupby, islice, pairwise, repeat, starmap, zip_longest

import torch

rows = [[1, 2], [3], [4, 5, 6]]
print(list(itertools.chain.from_iterable(rows)), list(chain("ab", [1])))
print(list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b, initial=2)))
print(list(islice(range(10), 2, 8, 3)), list(repeat("x", 3)), list(pairwise([1, 2, 3])))
print(list(starmap(pow, [(2, 3), (3, 2)])), list(zip_longest([1, 2], [3], fillvalue=0)))
print([(key, list(group)) for key, group in groupby("aabbba")])
print([(key, len(list(group))) for key, group in groupby([1, 3, 2, 4], key=lambda n: n % 2)])
print(list(itertools.combinations_with_replacement([1, 2], 2)))
x = torch.tensor([1.0, 2.0], requires_grad=True)
sum(accumulate([x[0], x[1], x[0]])).backward()
print(x.grad)
for i in itertools.count(1):
    if i * i > 20:
        break
print(i, [pair for pair in zip(itertools.count(2, 3), "ab")])
