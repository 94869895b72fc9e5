import torch
from collections import namedtuple, deque
import random

Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward'))

class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        """Save a transition"""
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return list(self.memory)[-batch_size:]

    def __len__(self):
        return len(self.memory)

memory = ReplayMemory(3)
for i in range(5):
    s = torch.tensor([[float(i), i + 1.]])
    memory.push(s, torch.tensor([[i % 2]]), s + 1 if i != 4 else None, torch.tensor([i * 0.5]))
print(len(memory))
transitions = memory.sample(3)
batch = Transition(*zip(*transitions))
non_final_mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
state_batch = torch.cat(batch.state)
action_batch = torch.cat(batch.action)
reward_batch = torch.cat(batch.reward)
print(non_final_mask, non_final_next_states, state_batch, action_batch, reward_batch, sep='\n')
net = torch.nn.Linear(2, 2)
torch.nn.init.ones_(net.weight); torch.nn.init.zeros_(net.bias)
q = net(state_batch).gather(1, action_batch)
next_state_values = torch.zeros(3)
with torch.no_grad():
    next_state_values[non_final_mask] = net(non_final_next_states).max(1).values
expected = (next_state_values * 0.99) + reward_batch
loss = torch.nn.SmoothL1Loss()(q, expected.unsqueeze(1))
print(loss, expected)
loss.backward()
torch.nn.utils.clip_grad_value_(net.parameters(), 100)
print(net.weight.grad)
print(transitions[0])
