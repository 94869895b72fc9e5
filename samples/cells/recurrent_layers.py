import torch
import torch.nn as nn
lstm = nn.LSTM(input_size=3, hidden_size=2, num_layers=1, batch_first=True)
with torch.no_grad():
    for i, p in enumerate(lstm.parameters()):
        p.copy_(torch.linspace(-1, 1, p.numel()).view(p.shape) * (i + 1) / 4)
print(lstm)
x = torch.arange(12.).reshape(2, 2, 3) / 10
out, (h, c) = lstm(x)
print(out.shape, h.shape, c.shape)
print(out)
out.sum().backward()
print(lstm.weight_ih_l0.grad)
for name, p in lstm.named_parameters():
    print(name, tuple(p.shape))
gru = nn.GRUCell(2, 2)
for p in gru.parameters():
    nn.init.constant_(p, 0.5)
hx = torch.zeros(1, 2)
for t in range(3):
    hx = gru(torch.ones(1, 2) * t, hx)
print(hx)
rnn = nn.RNN(2, 3, num_layers=2)
for p in rnn.parameters():
    nn.init.constant_(p, 0.1)
o, hn = rnn(torch.ones(4, 1, 2))
print(o.squeeze(1), hn.shape)
