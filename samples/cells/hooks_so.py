import torch
# https://stackoverflow.com how to get gradient of intermediate variable
grads = {}
def save_grad(name):
    def hook(grad):
        grads[name] = grad
    return hook

x = torch.tensor([1.0], requires_grad=True)
y = 3*x
z = y**2
y.register_hook(save_grad('y'))
z.register_hook(save_grad('z'))
z.backward()
print(grads['y'])
print(grads['z'])
print(grads)
h = x.register_hook(lambda g: g * 2)
(x * 3).backward()
print(x.grad)
h.remove()
(x * 3).backward()
print(x.grad)
y = x * 2
y.retain_grad()
y.sum().backward()
print(y.grad, y.is_leaf, x.is_leaf)
