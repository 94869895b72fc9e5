import torch
import torch.nn as nn
import torch.optim as optim

x = torch.linspace(-1, 1, 8).unsqueeze(1)
y = x ** 2
model = nn.Sequential(
    nn.Linear(1, 4),
    nn.ReLU(),
    nn.Linear(4, 1),
)
for p in model.parameters():
    nn.init.constant_(p, 0.1)
criterion = nn.MSELoss()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(6):
    model.train()
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    test = model(torch.tensor([[0.5]]))
print(f"{test.item():.4f}")
