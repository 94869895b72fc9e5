# Sequences of several lengths in a recurrent network, without what fills them up
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence
from torch.nn.utils.rnn import unpad_sequence

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 0.0], [6.0, 0.0, 0.0]]).unsqueeze(-1)
packed = pack_padded_sequence(x, [3, 2, 1], batch_first=True)
print(packed)
print(packed.data.shape, packed.batch_sizes)
print(pad_packed_sequence(packed, batch_first=True))
print(pack_sequence([torch.tensor([1, 2]), torch.tensor([3, 4, 5])], enforce_sorted=False))
try:
    pack_padded_sequence(x, [1, 2, 1], batch_first=True)
except RuntimeError as error:
    print(error)
print(unpad_sequence(x, torch.tensor([3, 2, 1]), batch_first=True))

for make in (nn.LSTM, nn.GRU, nn.RNN):
    for both in (False, True):
        net = make(1, 2, num_layers=2, batch_first=True, bidirectional=both)
        for i, weight in enumerate(net.parameters()):
            nn.init.constant_(weight, 0.1 * (i % 5) - 0.15)
        leaf = x.clone().requires_grad_()
        lengths = torch.tensor([1, 3, 2])
        out, state = net(
            pack_padded_sequence(leaf, lengths, batch_first=True, enforce_sorted=False)
        )
        print(type(out).__name__, out.sorted_indices)
        padded, found = pad_packed_sequence(out, batch_first=True, padding_value=-1)
        print(padded.shape, found)
        print(padded.detach())
        print(state[0].detach() if make is nn.LSTM else state.detach())
        padded.sum().backward()
        print(leaf.grad.sum(0))
