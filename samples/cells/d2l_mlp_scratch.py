import torch
from torch import nn

def relu(X):
    a = torch.zeros_like(X)
    return torch.max(X, a)

num_inputs, num_outputs, num_hiddens = 4, 3, 5
W1 = nn.Parameter(torch.linspace(-1, 1, num_inputs * num_hiddens).reshape(num_inputs, num_hiddens) * 0.5)
b1 = nn.Parameter(torch.zeros(num_hiddens))
W2 = nn.Parameter(torch.linspace(1, -1, num_hiddens * num_outputs).reshape(num_hiddens, num_outputs) * 0.5)
b2 = nn.Parameter(torch.zeros(num_outputs))
params = [W1, b1, W2, b2]

def net(X):
    X = X.reshape((-1, num_inputs))
    H = relu(X @ W1 + b1)
    return (H @ W2 + b2)

loss = nn.CrossEntropyLoss(reduction='none')
updater = torch.optim.SGD(params, lr=0.5)

class Accumulator:
    """For accumulating sums over `n` variables."""
    def __init__(self, n):
        self.data = [0.0] * n

    def add(self, *args):
        self.data = [a + float(b) for a, b in zip(self.data, args)]

    def reset(self):
        self.data = [0.0] * len(self.data)

    def __getitem__(self, idx):
        return self.data[idx]

def accuracy(y_hat, y):
    if len(y_hat.shape) > 1 and y_hat.shape[1] > 1:
        y_hat = y_hat.argmax(axis=1)
    cmp = y_hat.type(y.dtype) == y
    return float(cmp.type(y.dtype).sum())

X = torch.tensor([[1., 0, 2, -1], [0, 1, -1, 2], [2, 2, 0, 0], [-1, -1, 1, 1], [0.5, 0, 0, 0.5], [1, 2, 3, 4]])
y = torch.tensor([0, 1, 2, 1, 0, 2])

def train_epoch(net, train_iter, loss, updater):
    metric = Accumulator(3)
    for X, y in train_iter:
        y_hat = net(X)
        l = loss(y_hat, y)
        updater.zero_grad()
        l.mean().backward()
        updater.step()
        metric.add(float(l.sum()), accuracy(y_hat, y), y.numel())
    return metric[0] / metric[2], metric[1] / metric[2]

for epoch in range(6):
    train_loss, train_acc = train_epoch(net, [(X[:3], y[:3]), (X[3:], y[3:])], loss, updater)
    print(f'epoch {epoch + 1}, loss {train_loss:.4f}, train acc {train_acc:.3f}')
