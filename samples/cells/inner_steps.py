import torch
import torch.nn.functional as F
w = torch.tensor([[0.5]], requires_grad=True)
b = torch.tensor([0.0], requires_grad=True)
inner_lr = 0.1
def forward(x, params):
    return F.linear(x, params[0], params[1])
meta_loss = 0.
for a in [1.0, 2.0]:
    x = torch.tensor([[1.], [2.]])
    y = a * x
    loss = F.mse_loss(forward(x, [w, b]), y)
    grads = torch.autograd.grad(loss, [w, b], create_graph=True)
    fast = [p - inner_lr * g for p, g in zip([w, b], grads)]
    meta_loss = meta_loss + F.mse_loss(forward(x, fast), y)
    print(f"task {a}: inner loss {loss.item():.4f}")
meta_loss.backward()
print(meta_loss, w.grad, b.grad)
meta_opt = torch.optim.SGD([w, b], lr=0.01)
meta_opt.step()
print(w, b)
