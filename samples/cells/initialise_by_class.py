import torch
import torch.nn as nn
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
def init_weights(m):
    if type(m) == nn.Linear:
        torch.nn.init.constant_(m.weight, 0.1)
        m.bias.data.fill_(0.01)
model.apply(init_weights)
for param in model[0].parameters():
    param.requires_grad = False
print([p.requires_grad for p in model.parameters()])
optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
out = model(torch.ones(2, 3))
loss = nn.CrossEntropyLoss()(out, torch.tensor([0, 1]))
loss.backward()
print(model[0].weight.grad)
print(model[2].weight.grad)
optimizer.step()
total = sum(p.numel() for p in model.parameters() if p.requires_grad)
print(f"{total} trainable of {sum(p.numel() for p in model.parameters())}")
print(model.state_dict()['2.bias'])
