import torch

v = torch.tensor([0., 0., 0.], requires_grad=True)
h = v.register_hook(lambda grad: grad * 2)  # double the gradient
v.backward(torch.tensor([1., 2., 3.]))
print(v.grad)
h.remove()
v.grad = None
v.backward(torch.tensor([1., 2., 3.]))
print(v.grad)

grads = {}
def save_grad(name):
    def hook(grad):
        grads[name] = grad
    return hook

x = torch.ones(1, requires_grad=True)
y = 3 * x
z = y * y
y.register_hook(save_grad('y'))
z.register_hook(save_grad('z'))
z.backward()
print(grads['y'])
print(grads['z'])
print(grads)

def clip(g):
    print("before", g)
    g = torch.clamp(g, -1, 1)
    print("after", g)
    return g

a = torch.tensor([3., -4.], requires_grad=True)
a.register_hook(clip)
(a ** 2).sum().backward()
print(a.grad)
def post(p):
    print('accumulated', p.grad)
a.grad = None
a.register_post_accumulate_grad_hook(post)
(a * 0.1).sum().backward()
