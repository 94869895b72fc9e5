import math
import torch
print(math.gamma(5), math.gamma(0.5), math.gamma(torch.tensor(3.0)), [math.gamma(i + 1) for i in range(4)])
