import torch

@torch.no_grad()
def doubler(x):
    return x * 2

x = torch.tensor([1.], requires_grad=True)
z = doubler(x)
print(z.requires_grad)

with torch.no_grad():
    with torch.enable_grad():
        y = x * 2
print(y.requires_grad)
y.backward()
print(x.grad)
