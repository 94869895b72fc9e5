import torch
import torch.nn as nn
import torch.nn.utils.parametrize as P


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).T  # Return a symmetric matrix

    def right_inverse(self, A):
        return A.triu()


m = nn.Linear(5, 5)
print(P.register_parametrization(m, "weight", Symmetric()))
print(torch.allclose(m.weight, m.weight.T))  # m.weight is now symmetric
A = torch.rand(5, 5)
A = A + A.T  # A is now symmetric
m.weight = A  # Initialize the weight to be the symmetric matrix A
print(torch.allclose(m.weight, A))


class RankOne(nn.Module):
    def forward(self, x, y):
        # Form a rank 1 matrix multiplying two vectors
        return x.unsqueeze(-1) @ y.unsqueeze(-2)

    def right_inverse(self, Z):
        # Project Z onto the rank 1 matrices
        U, S, Vh = torch.linalg.svd(Z, full_matrices=False)
        # Return rescaled singular vectors
        s0_sqrt = S[0].sqrt().unsqueeze(-1)
        return U[..., :, 0] * s0_sqrt, Vh[..., 0, :] * s0_sqrt


print(m)
linear_rank_one = P.register_parametrization(nn.Linear(4, 4), "weight", RankOne())
print(torch.linalg.matrix_rank(linear_rank_one.weight).item())
print(linear_rank_one, [n for n, _ in linear_rank_one.named_parameters()])
w = linear_rank_one.weight
linear_rank_one.weight = torch.ones(4, 4)
print(linear_rank_one.weight)


class Bare(nn.Module):
    def forward(self, X):
        return X * 2


k = P.register_parametrization(nn.Linear(1, 1), "weight", Bare())
try:
    k.weight = torch.ones(1, 1)
except Exception as e:
    print("no")

from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence, unpack_sequence

rows = [torch.tensor([1, 2, 3]), torch.tensor([4, 5]), torch.tensor([6])]
print(unpack_sequence(pack_sequence(rows)), pad_packed_sequence(pack_sequence(rows))[0])
a = torch.tensor([0.0, 0.0], requires_grad=True)
print(
    isinstance(a.clone().grad_fn, torch.autograd.graph.Node),
    isinstance(a, torch.autograd.graph.Node),
)
print(torch.nn.utils.skip_init(nn.Linear, 5, 1).weight.shape)
