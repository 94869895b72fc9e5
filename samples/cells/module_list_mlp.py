import torch
import torch.nn as nn
import torch.nn.functional as F

class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList()
        for i in range(len(sizes) - 1):
            self.layers.append(nn.Linear(sizes[i], sizes[i + 1]))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.tanh(layer(x))
        return self.layers[-1](x)

model = MLP([1, 4, 1])
for i, p in enumerate(model.parameters()):
    nn.init.constant_(p, 0.1 * (i + 1))
x = torch.linspace(-1, 1, 5).unsqueeze(1)
y = x ** 2
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
losses = []
for epoch in range(20):
    optimizer.zero_grad()
    out = model(x)
    loss = criterion(out, y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    if (epoch + 1) % 10 == 0:
        print(f"Epoch [{epoch+1}/20], Loss: {loss.item():.4f}")
print(len(losses), losses[-1] < losses[0])
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
