import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
h = y.register_hook(lambda g: print("grad of y:", g))
x.register_hook(lambda g: g * 2)
y.backward()
print(x.grad)
grads = {}
def save_grad(name):
    def hook(grad):
        grads[name] = grad
    return hook
a = torch.tensor([1., 2.], requires_grad=True)
b = a * 3
b.register_hook(save_grad('b'))
c = b.sum()
c.backward()
print(grads['b'], grads)
