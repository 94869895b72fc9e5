import torch

w = torch.tensor([3.0, 4.0], requires_grad=True)
(w**2).sum().backward()
print(torch.nn.utils.clip_grad_norm_([w], 1.0), w.grad)
torch.nn.utils.clip_grad_value_([w], 0.5)
print(w.grad)
print(torch.nn.utils.get_total_norm([w.grad]))
torch.nn.utils.clip_grads_with_norm_([w], 0.1, torch.tensor(2.0))
print(w.grad)

import torch

w = torch.tensor([3.0, -4.0], requires_grad=True)
v = torch.tensor(2.0, requires_grad=True)
((w**2).sum() + v).backward()
print(torch.nn.utils.clip_grad_norm_([w, v], 1.0, norm_type=float("inf")), w.grad, v.grad)
print(torch.nn.utils.clip_grad_norm_([w, v], 0.5, norm_type=1), w.grad, v.grad)
print(torch.nn.utils.clip_grad_norm_([torch.ones(1, requires_grad=True)], 0.5))
