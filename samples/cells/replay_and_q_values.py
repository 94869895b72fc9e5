import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import namedtuple, deque

Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward'))
memory = deque([], maxlen=3)
for i in range(4):
    memory.append(Transition(torch.tensor([[float(i), 1.0]]), torch.tensor([[i % 2]]), torch.tensor([[i + 1.0, 0.5]]), torch.tensor([float(i)])))
print(len(memory))
batch = Transition(*zip(*memory))
state_batch = torch.cat(batch.state)
action_batch = torch.cat(batch.action)
reward_batch = torch.cat(batch.reward)
print(state_batch)
print(action_batch.shape, reward_batch)
W = torch.tensor([[0.1, 0.2], [0.3, -0.1]], requires_grad=True)
q = (state_batch @ W).gather(1, action_batch)
with torch.no_grad():
    next_q = (torch.cat(batch.next_state) @ W).max(1).values
expected = next_q * 0.99 + reward_batch
criterion = nn.SmoothL1Loss()
loss = criterion(q, expected.unsqueeze(1))
loss.backward()
torch.nn.utils.clip_grad_value_([W], 100)
print(loss)
print(W.grad)
