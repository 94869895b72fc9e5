# What programs ask of devices and dtypes, and models that would be computed on several GPUs
import torch
import torch.nn as nn

print(torch.float is torch.float32, torch.int64 is torch.long, torch.double)
x = torch.tensor([1.5])
print(type(x.dtype), isinstance(x.dtype, torch.dtype), type(x.shape))
print(x.dtype == torch.float, x.int().dtype == torch.int)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print(device, type(device), device.type, isinstance(device, torch.device))
print([device, torch.device("cuda", 1)], f"{device}", {"on": x.device})
print(x.device, type(x.device), x.device == device, x.is_cuda)
torch.cuda.empty_cache()
print(torch.cuda.memory_allocated(), torch.cuda.is_initialized())
print(torch.set_grad_enabled(True))

net = nn.DataParallel(nn.Sequential(nn.Linear(2, 1), nn.ReLU()))
for weight in net.parameters():
    nn.init.ones_(weight)
net.to(device)
print(net)
print(net.module[0], [name for name, _ in net.named_parameters()])
print(net(torch.ones(3, 2)))
if isinstance(net, nn.DataParallel):
    print(net.state_dict().keys())
print(torch.version.cuda, torch.version.hip)
