import torch
import torch.nn as nn
import torch.nn.functional as F

def fc_layer(in_size, out_size, norm_layer):
    return nn.Sequential(nn.Linear(in_size, out_size), norm_layer(out_size))

class Net(nn.Module):
    def __init__(self, norm_layer):
        super(Net, self).__init__()
        self.fc0 = fc_layer(4, 3, norm_layer)
        self.fc1 = fc_layer(3, 3, norm_layer)
    def forward(self, x):
        x = F.relu(self.fc0(x))
        return self.fc1(x)

def hook_forward(module_name, grads, hook_backward):
    def hook(module, args, output):
        output.register_hook(hook_backward(module_name, grads))
    return hook

def hook_backward(module_name, grads):
    def hook(grad):
        grads.append((module_name, grad))
    return hook

def get_all_layers(model, hook_forward, hook_backward):
    layers, grads, handles = {}, [], []
    for name, layer in model.named_modules():
        if any(layer.children()) is False:
            layers[name] = layer
            handles.append(layer.register_forward_hook(hook_forward(name, grads, hook_backward)))
    return layers, grads, handles

net = Net(norm_layer=nn.Identity)
torch.manual_seed(3)
for i, p in enumerate(net.parameters()):
    p.data = torch.cos(torch.arange(p.numel(), dtype=torch.float)).view(p.shape)
layers, grads, handles = get_all_layers(net, hook_forward, hook_backward)
print(list(layers))
net(torch.ones(2, 4)).sum().backward()
for name, g in grads:
    print(name, g.abs().mean().item())
