import torch

# RNN by hand
torch.manual_seed(0)
hidden_size = 2
Wxh = torch.tensor([[0.1, 0.2]], requires_grad=True)
Whh = torch.tensor([[0.3, 0.0], [0.1, 0.2]], requires_grad=True)
bh = torch.zeros(1, hidden_size, requires_grad=True)
Why = torch.tensor([[1.0], [-1.0]], requires_grad=True)
params = {'Wxh': Wxh, 'Whh': Whh, 'bh': bh, 'Why': Why}
seq = [0.5, -0.3, 0.8]
h = torch.zeros(1, hidden_size)
loss = 0
outputs = []
for t, x in enumerate(seq):
    h = torch.tanh(torch.tensor([[x]]) @ Wxh + h @ Whh + bh)
    y = h @ Why
    outputs.append(y)
    loss += (y - x) ** 2
loss = loss.mean()
loss.backward()
for name, p in params.items():
    print(name, p.grad.norm().item())
print(torch.cat(outputs).squeeze().tolist())
