import torch
# gradient accumulation
torch.manual_seed(42)
model = torch.nn.Linear(2, 1, bias=False)
model.weight.data = torch.tensor([[1.0, -1.0]])
data = [(torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0]])),
        (torch.tensor([[3.0, 4.0]]), torch.tensor([[2.0]])),
        (torch.tensor([[5.0, 6.0]]), torch.tensor([[3.0]])),
        (torch.tensor([[7.0, 8.0]]), torch.tensor([[4.0]]))]
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
accumulation_steps = 2
optimizer.zero_grad()
for i, (inputs, labels) in enumerate(data):
    outputs = model(inputs)
    loss = criterion(outputs, labels) / accumulation_steps
    loss.backward()
    if (i + 1) % accumulation_steps == 0:
        print(i, model.weight.grad)
        optimizer.step()
        optimizer.zero_grad()
print(model.weight.data)
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
for g in optimizer.param_groups:
    g['lr'] = g['lr'] * 0.1
print(optimizer.param_groups[0]['lr'])
