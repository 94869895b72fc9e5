import torch
import torch.nn as nn

class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size, hidden_size)
        self.h2h = nn.Linear(hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        hidden = torch.tanh(self.i2h(input) + self.h2h(hidden))
        output = self.h2o(hidden)
        output = self.softmax(output)
        return output, hidden

    def initHidden(self):
        return torch.zeros(1, self.hidden_size)

n_letters, n_hidden, n_categories = 5, 4, 3
rnn = RNN(n_letters, n_hidden, n_categories)
for p in rnn.parameters():
    nn.init.constant_(p, 0.1)
line_tensor = torch.zeros(3, 1, n_letters)
for li in range(3):
    line_tensor[li][0][li] = 1
hidden = rnn.initHidden()
criterion = nn.NLLLoss()
category = torch.tensor([1], dtype=torch.long)
rnn.zero_grad()
for i in range(line_tensor.size()[0]):
    output, hidden = rnn(line_tensor[i], hidden)
loss = criterion(output, category)
loss.backward()
for p in rnn.parameters():
    p.data.add_(p.grad.data, alpha=-0.005)
print(output, loss.item())
top_n, top_i = output.topk(1)
print(top_i[0].item())
print(hidden)
