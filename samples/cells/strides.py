import torch
t = torch.arange(12).reshape(3, 4)
print(t)
print(t.stride())
print(t.t().stride())
print(t.is_contiguous())
tt = t.transpose(0, 1)
print(tt.is_contiguous())
try:
    tt.view(12)
except RuntimeError as e:
    print(e)
print(tt.contiguous().view(12))
print(tt.reshape(-1))
print(tt.contiguous().stride())
print(t[:, 1].stride(), t[:, 1].storage_offset())
print(t.permute(1, 0).shape)
print(t.data_ptr() == t.view(-1).data_ptr())
print(t.numel(), t.ndim, t.dim(), t.size(), t.size(0), t.nelement(), t.element_size())
