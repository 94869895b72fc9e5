import math
from math import comb, factorial, log

import torch

print(math.log(8, 2), log(100, 10), factorial(5), comb(5, 2), math.perm(5, 2), math.isqrt(10))
print(math.gcd(12, 18), math.lcm(4, 6), math.prod([1, 2, 3]), math.fsum([0.1, 0.2]))
print(math.isclose(0.1 + 0.2, 0.3), math.isclose(1.0, 1.1, abs_tol=0.2), math.log(2.0))
x = torch.tensor(0.5)
print(sum((-1) ** k / factorial(2 * k) * x ** (2 * k) for k in range(5)), torch.cos(x))
