import copy
import torch
import torch.nn as nn

class QNet(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.layer1 = nn.Linear(n_obs, 4)
        self.layer2 = nn.Linear(4, n_act)
    def forward(self, x):
        return self.layer2(torch.relu(self.layer1(x)))

policy_net = QNet(2, 3)
for p in policy_net.parameters():
    nn.init.constant_(p, 0.1)
target_net = QNet(2, 3)
target_net.load_state_dict(policy_net.state_dict())
GAMMA, TAU = 0.99, 0.005
optimizer = torch.optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
state = torch.tensor([[1., 2.], [0.5, -1.]])
action = torch.tensor([[0], [2]])
reward = torch.tensor([1.0, -1.0])
next_state = torch.tensor([[0., 1.], [1., 1.]])
done = torch.tensor([False, True])
for _ in range(5):
    q = policy_net(state).gather(1, action)
    next_q = torch.zeros(2)
    with torch.no_grad():
        next_q[~done] = target_net(next_state[~done]).max(1).values
    expected = (next_q * GAMMA) + reward
    criterion = nn.SmoothL1Loss()
    loss = criterion(q, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    target_sd = target_net.state_dict()
    policy_sd = policy_net.state_dict()
    for key in policy_sd:
        target_sd[key] = policy_sd[key]*TAU + target_sd[key]*(1-TAU)
    target_net.load_state_dict(target_sd)
    print(f"{loss.item():.6f}")
for tp, pp in zip(target_net.parameters(), policy_net.parameters()):
    tp.data.copy_(TAU * pp.data + (1.0 - TAU) * tp.data)
print(target_net.layer2.bias)
