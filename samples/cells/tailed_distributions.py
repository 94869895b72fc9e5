import torch
import torch.distributions as D

x = torch.tensor([0.3, 0.7])
p = torch.tensor([1.5, 2.7], requires_grad=True)
q = torch.tensor([0.1, 0.2])
for d in (
    D.Weibull(q, p),
    D.Pareto(q, p),
    D.HalfCauchy(p),
    D.InverseGamma(p, q),
    D.Kumaraswamy(p, q),
    D.FisherSnedecor(p, q),
    D.VonMises(q, p),
    D.RelaxedBernoulli(p, q),
):
    found = torch.autograd.grad(d.log_prob(x).sum(), p)
    print(d, d.log_prob(x).data, found, d.sample((3,)).shape)
for d in (D.Weibull(q, p), D.Pareto(q, p), D.HalfCauchy(p), D.Kumaraswamy(p, q)):
    print(d.mean.data, d.variance.data, d.entropy().data, d.cdf(x).data)
print(D.InverseGamma(p, q).entropy().data, D.VonMises(q, p).variance.data)
print(D.FisherSnedecor(q, p + 2).mean.data, D.FisherSnedecor(q, p + 4).variance.data)
n = D.NegativeBinomial(torch.tensor([3.0, 5.0]), probs=q)
print(n, n.batch_shape)
print(n.log_prob(torch.tensor([2.0, 4.0])), n.mean, n.variance, n.total_count)
soft = D.RelaxedOneHotCategorical(torch.tensor(0.5), torch.tensor([0.1, 0.2, 0.3, 0.4]))
print(soft, soft.log_prob(torch.tensor([0.1, 0.2, 0.3, 0.4])), soft.rsample((2,)).sum(-1).round(decimals=3))
hard = D.OneHotCategoricalStraightThrough(logits=torch.zeros(3, requires_grad=True))
print(hard, hard.rsample().sum().data, hard.rsample().requires_grad)

print(D.Normal(0.0, 1.0), D.Normal(torch.tensor([0.0]), torch.tensor([1.0])), D.Normal(q, q))
print(D.Bernoulli(torch.tensor(0.3)), D.Categorical(logits=torch.ones(4)), D.Beta(1.0, 2.0))
print(D.Binomial(10, torch.tensor(0.5)), D.Multinomial(3, torch.ones(3)), D.Chi2(torch.tensor(3.0)))
print(D.Independent(D.Normal(q, q), 1), D.LogNormal(0.0, 1.0), D.Chi2(torch.tensor(3.0)).df)
print(D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Normal(q, q)))
