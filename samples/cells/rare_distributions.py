import torch
from torch import distributions as D
from torch.distributions.multinomial import Multinomial

p = torch.tensor([0.2, 0.3, 0.5], requires_grad=True)
rolls = Multinomial(10, probs=p)
x = torch.tensor([2.0, 3.0, 5.0])
print(rolls.log_prob(x), rolls.mean, rolls.variance, rolls.total_count, rolls.batch_shape)
rolls.log_prob(x).backward()
print(p.grad)
print(rolls.sample().sum(), rolls.sample((4, 2)).shape, rolls.sample((4, 2)).sum(-1))
fair = Multinomial(1, torch.ones(6) / 6)
counts = fair.sample((500,))
print(counts.shape, counts.sum(), counts.max(), fair.event_shape)

q = torch.tensor([0.25, 0.6])
few = D.Binomial(4, q)
print(few.log_prob(torch.tensor([1.0, 3.0])), few.mean, few.variance, few.sample().shape)
waits = D.Geometric(probs=q)
print(waits.log_prob(torch.tensor([2.0, 0.0])), waits.mean, waits.variance, waits.entropy())
one = D.OneHotCategorical(logits=torch.tensor([[0.0, 1.0, 2.0]]))
print(one.log_prob(torch.tensor([0.0, 1.0, 0.0])), one.mean, one.entropy(), one.sample((5,)).sum())
parts = D.Dirichlet(torch.tensor([1.5, 2.0, 3.0]))
print(parts.log_prob(torch.tensor([0.2, 0.3, 0.5])), parts.mean, parts.variance, parts.entropy())
print(parts.sample((7,)).shape)
for made in (D.Cauchy(0.5, 2.0), D.Gumbel(0.5, 2.0), D.HalfNormal(2.0)):
    print(made.log_prob(torch.tensor(1.5)), made.entropy(), made.variance, made.sample((2,)).shape)
tails = D.StudentT(3.0)
print(tails.log_prob(torch.tensor([0.0, 2.0])), tails.variance, tails.mean, tails.sample().shape)
print(D.Chi2(torch.tensor(3.0)).log_prob(torch.tensor(2.0)), D.Chi2(3.0).mean)
