import torch

hidden_size = 2
x = torch.tensor([[1.0], [0.5], [-0.5]])
Wx = torch.tensor([[0.1, -0.2]], requires_grad=True)
Wh = torch.eye(hidden_size).mul(0.5).requires_grad_()
h = torch.zeros(1, hidden_size)
outputs = []
for t in range(x.size(0)):
    h = torch.tanh(x[t].unsqueeze(0) @ Wx + h @ Wh)
    outputs.append(h)
out = torch.cat(outputs, dim=0)
out.sum().backward()
print(out.detach())
print(Wx.grad)
print(Wh.grad)
