# What hooks see of a model that is run with and without recording.
import torch
import torch.nn as nn

model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for p in model.parameters():
    nn.init.constant_(p, 0.5)
x = torch.tensor([[1.0, 2.0]])
model[1].register_forward_pre_hook(lambda m, i: print("into", i))
model[1].register_forward_hook(lambda m, i, o: print("out of", o, o.requires_grad))
y = model(x)
with torch.no_grad():
    model(x)

first = model[0].register_full_backward_pre_hook(lambda m, g: print("before", g))
second = model[1].register_full_backward_hook(lambda m, gi, go: (gi[0] * 3,))
print(model(x), model[0](x))
model(x).sum().backward()
print(model[0].weight.grad)
first.remove()
second.remove()
print(model(x), model[0](x))
watched = model[1].register_full_backward_hook(lambda m, gi, go: None)
print(model(x).grad_fn.name())
watched.remove()
print(model(x).grad_fn.name())
