import random
from collections import namedtuple, deque
import torch
Transition = namedtuple("Transition", ["s", "a", "r"])
class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)
    def push(self, *args):
        self.memory.append(Transition(*args))
    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)
    def __len__(self):
        return len(self.memory)
random.seed(0)
mem = ReplayMemory(4)
for i in range(6):
    mem.push(torch.tensor([float(i)]), i % 2, 0.5 * i)
print(len(mem))
batch = mem.sample(3)
print(batch[0])
t = Transition(*zip(*batch))
print(torch.cat(t.s), t.a, t.r)
