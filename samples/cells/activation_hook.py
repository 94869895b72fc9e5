import torch
import torch.nn as nn
activations = {}
def get_activation(name):
    def hook(model, input, output):
        activations[name] = output.detach()
    return hook
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
for p in model.parameters():
    p.data = torch.arange(p.numel(), dtype=torch.float).view_as(p) - 2
handle = model[0].register_forward_hook(get_activation('fc1'))
x = torch.tensor([[1.0, -1.0]])
out = model(x)
print(activations['fc1'])
handle.remove()
activations.clear()
model(x)
print(activations)
probs = torch.softmax(out, dim=1)
conf, pred = probs.max(1)
print(conf, pred)
top = torch.topk(probs, k=2)
print(top.values, top.indices)
print(f"{conf.item():.2%} {pred.item()}")
print("%s has shape %s" % ("out", tuple(out.shape)))
