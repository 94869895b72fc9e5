import torch
from torch import nn

model = nn.Linear(2, 1)
nn.init.constant_(model.weight, 0.5); nn.init.constant_(model.bias, 0.1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler('cpu', enabled=False)
data = [(torch.tensor([[i * 1., i - 1.]]), torch.tensor([[i * 2.]])) for i in range(6)]
accum_iter = 3
model.train()
for epoch in range(2):
    running = 0.
    for batch_idx, (inputs, labels) in enumerate(data):
        with torch.set_grad_enabled(True):
            preds = model(inputs)
            loss = nn.functional.mse_loss(preds, labels)
            loss = loss / accum_iter
            loss.backward()
            running += loss.item() * accum_iter
            if ((batch_idx + 1) % accum_iter == 0) or (batch_idx + 1 == len(data)):
                opt.step()
                opt.zero_grad()
    print(f'epoch {epoch}: {running / len(data):.4f}')
device = 'cuda' if torch.cuda.is_available() else 'cpu'
print(device, model.weight.device, next(model.parameters()).is_cuda)
with torch.autocast(device_type='cpu', enabled=False):
    print(model(data[1][0]).dtype)
scaler.scale(model(data[1][0]).sum()).backward()
scaler.step(opt)
scaler.update()
print(model.weight)
