import torch
import torch.nn.functional as F
torch.set_printoptions(precision=4)
# attention by hand
Q = torch.tensor([[1., 0.], [0., 1.]], requires_grad=True)
K = torch.tensor([[1., 1.], [0., 1.]], requires_grad=True)
V = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
scores = Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5
mask = torch.triu(torch.ones(2, 2), diagonal=1).bool()
scores = scores.masked_fill(mask, float('-inf'))
weights = F.softmax(scores, dim=-1)
out = weights @ V
out.sum().backward()
print(weights)
print(Q.grad, K.grad, V.grad, sep='\n')
device = 'cuda' if torch.cuda.is_available() else 'cpu'
print(device, Q.device, Q.dtype, Q.requires_grad, out.is_leaf)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
t = torch.ones(2, 2).to(device)
print(t.cpu().numpy().sum(), t.type(), type(t))
