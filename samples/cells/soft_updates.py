import torch
import torch.nn as nn

q_net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2))
target = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2))
with torch.no_grad():
    for p in q_net.parameters():
        p.copy_(torch.linspace(-1, 1, p.numel()).reshape_as(p))
target.load_state_dict(q_net.state_dict())
optimizer = torch.optim.RMSprop(q_net.parameters(), lr=1e-2)
batch = [((0., 1.), 0, 1.0, (1., 1.), False), ((1., 1.), 1, -1.0, (0., 0.), True), ((.5, .2), 1, 0.5, (0.1, 0.9), False)]
states, actions, rewards, next_states, dones = zip(*batch)
states = torch.tensor(states)
actions = torch.tensor(actions).unsqueeze(1)
rewards = torch.tensor(rewards)
next_states = torch.tensor(next_states)
dones = torch.tensor(dones, dtype=torch.float32)
TAU = 0.1
for step in range(4):
    q = q_net(states).gather(1, actions).squeeze(1)
    with torch.no_grad():
        max_next = target(next_states).max(1)[0]
        y = rewards + 0.9 * max_next * (1 - dones)
    loss = nn.SmoothL1Loss()(q, y)
    optimizer.zero_grad()
    loss.backward()
    for param in q_net.parameters():
        param.grad.data.clamp_(-1, 1)
    optimizer.step()
    target_net_state_dict = target.state_dict()
    policy_net_state_dict = q_net.state_dict()
    for key in policy_net_state_dict:
        target_net_state_dict[key] = policy_net_state_dict[key]*TAU + target_net_state_dict[key]*(1-TAU)
    target.load_state_dict(target_net_state_dict)
    print(f"{step} {loss.item():.4f} {y.tolist()[1]} {q.argmax().item()}")
print(target[2].bias)
