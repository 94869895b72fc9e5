import torch
from torch import nn

x = torch.arange(24.).reshape(1, 2, 3, 4)
last = x.to(memory_format=torch.channels_last)
print(last.stride(), last.is_contiguous(), last.is_contiguous(memory_format=torch.channels_last))
print(x.contiguous(memory_format=torch.channels_last).stride(), torch.equal(x, last))
model = nn.Conv2d(2, 1, 1).to(memory_format=torch.channels_last)
print(model(last).shape, torch.channels_last, torch.contiguous_format)
row = torch.arange(6.)
print(row[2:].data_ptr() - row.data_ptr(), row.view(2, 3).data_ptr() == row.data_ptr())
print(row.clone().data_ptr() == row.data_ptr(), row.untyped_storage().nbytes(), row.element_size())
row.resize_(2, 3)
print(row, row[..., 0, ...], x[..., 0, ...].shape)
torch.zero_(row)
torch.fill_(row[0], 2.)
print(row)
print(torch.tensor(1e38) * 10, torch.exp(torch.tensor([88., 89., -200.])), torch.tensor(1e-46))
print((torch.tensor(-2e38) * 2).item(), f'{torch.tensor(3e38) * 2}')
m = nn.Linear(2, 2)
m.register_forward_pre_hook(lambda module, inputs: print('before', len(inputs)))
handle = m.register_forward_hook(lambda module, inputs, output: print('after', output.shape))
print(len(m._forward_hooks), len(m._forward_pre_hooks), len(m._backward_hooks))
m(torch.ones(1, 2))
m._forward_hooks.clear()
m(torch.ones(1, 2))
print(len(m._forward_hooks), isinstance(True, int))
try:
    torch.autograd.gradcheck(lambda x: x.detach() * x, torch.ones(2, dtype=torch.double,
                                                                requires_grad=True))
except Exception as e:
    print(type(e).__name__, str(e)[:30])
