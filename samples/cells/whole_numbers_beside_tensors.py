import torch

x = torch.tensor([7, -7])
b = torch.tensor([True, False])
u = torch.tensor([3, 250], dtype=torch.uint8)
print(b + 1, b * 2, 1 - b.int(), (x > 0) * 1, (x == 7) + 0)
for f in (torch.add, torch.sub, torch.mul, torch.remainder, torch.floor_divide, torch.pow):
    print(f(x, 2), f(u, 2), f(x, 2.0))
print(torch.bitwise_and(x, 2), torch.bitwise_or(b, 1), torch.rsub(x, 2), x.mul(2), u.add(10))
print(torch.div(x, 2), torch.div(x, 2, rounding_mode="trunc"), x.div(3, rounding_mode="floor"))
print(torch.div(x, 2.0, rounding_mode="trunc"), torch.div(u, 4, rounding_mode="floor"))
