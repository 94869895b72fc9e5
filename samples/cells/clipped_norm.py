import torch

w = torch.tensor([1., 2.], requires_grad=True)
loss = (w ** 2).sum()
loss.backward()
total_norm = torch.nn.utils.clip_grad_norm_([w], max_norm=1.0)
print(total_norm)
print(w.grad)
