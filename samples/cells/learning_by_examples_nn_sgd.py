import torch

x = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
y = torch.tensor([[3.0], [5.0], [7.0], [9.0]])

model = torch.nn.Linear(1, 1)
model.weight.data.fill_(0.5)
model.bias.data.fill_(0.0)

loss_fn = torch.nn.MSELoss()
for epoch in range(5):
    y_pred = model(x)
    loss = loss_fn(y_pred, y)
    print(epoch, loss.item())
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for param in model.parameters():
            param -= 0.05 * param.grad
print(model.weight, model.bias)
