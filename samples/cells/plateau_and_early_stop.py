import torch
from torch import nn, optim
model = nn.Linear(1, 1)
with torch.no_grad():
    model.weight.fill_(0.0); model.bias.fill_(0.0)
opt = optim.AdamW(model.parameters(), lr=0.5, weight_decay=0.01)
sched = optim.lr_scheduler.ReduceLROnPlateau(opt, mode='min', factor=0.5, patience=1)
x = torch.linspace(-1, 1, 9).unsqueeze(1); y = 2 * x + 1
best, bad = float('inf'), 0
history = {'loss': [], 'lr': []}
for epoch in range(30):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    sched.step(loss)
    history['loss'].append(loss.item()); history['lr'].append(opt.param_groups[0]['lr'])
    if loss.item() < best - 1e-3:
        best, bad = loss.item(), 0
        best_state = {k: v.clone() for k, v in model.state_dict().items()}
    else:
        bad += 1
        if bad >= 5:
            print(f"early stop at epoch {epoch}, best {best:.4f}")
            break
model.load_state_dict(best_state)
print({k: [round(v, 4) for v in vs[-3:]] for k, vs in history.items()})
print(model.weight.item() > 1.0, len(history['loss']) == len(history['lr']))
