import torch

torch.manual_seed(0xdead)
x = torch.tensor([0xFF, 0b101, 0o17, 1_000])
print(x, 0x10 + 0X1f, 0B11, 0O7, 0xE+1, hex(0xBEEF), 0x10 / 2, float(0xff), [0x1] * 2)
print(torch.full((2,), 0x7f), x[0b1], f"{0xff:.1f}", 1_000.5)
