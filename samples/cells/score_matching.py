import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Softplus(), torch.nn.Linear(3, 2))
with torch.no_grad():
    for p in net.parameters(): p.copy_(torch.linspace(-0.4, 0.6, p.numel()).reshape(p.shape))
x = torch.tensor([[0.5, -0.5], [1., 2.]], requires_grad=True)
s = net(x)
tr = sum(torch.autograd.grad(s[:, i].sum(), x, create_graph=True)[0][:, i] for i in range(2))
loss = (tr + 0.5 * (s ** 2).sum(1)).mean()
loss.backward()
print(loss.item(), net[0].weight.grad)
