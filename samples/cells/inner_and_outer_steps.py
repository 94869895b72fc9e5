import torch
def net(x, params):
    x = torch.nn.functional.linear(x, params[0], params[1])
    x = torch.relu(x)
    return torch.nn.functional.linear(x, params[2], params[3])
params = [torch.tensor([[0.5], [-0.3]], requires_grad=True), torch.tensor([0.1, 0.2], requires_grad=True),
          torch.tensor([[1.0, -1.0]], requires_grad=True), torch.tensor([0.0], requires_grad=True)]
meta_opt = torch.optim.SGD(params, lr=0.01)
xs, ys = torch.tensor([[1.], [2.]]), torch.tensor([[1.], [3.]])
xq, yq = torch.tensor([[3.]]), torch.tensor([[5.]])
for it in range(3):
    meta_opt.zero_grad()
    inner = ((net(xs, params) - ys) ** 2).mean()
    grads = torch.autograd.grad(inner, params, create_graph=True)
    fast = [p - 0.1 * g for p, g in zip(params, grads)]
    outer = ((net(xq, fast) - yq) ** 2).mean()
    outer.backward()
    meta_opt.step()
    print(it, inner.item(), outer.item())
print(params[0].grad)
