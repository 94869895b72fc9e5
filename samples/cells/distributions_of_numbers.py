import torch
import torch.distributions as D
for d in (D.Beta(11., 4.), D.Normal(0., 1.), D.Gamma(2., 3.), D.Exponential(2.), D.Poisson(3.), D.Bernoulli(0.3), D.Laplace(0., 1.), D.Uniform(0., 2.), D.Binomial(10, 0.3), D.LogNormal(0., 1.), D.StudentT(5.), D.HalfNormal(2.), D.Gumbel(0., 1.), D.Cauchy(0., 1.), D.Pareto(1., 3.), D.Weibull(1., 2.), D.Geometric(0.3), D.HalfCauchy(1.), D.InverseGamma(3., 2.), D.Kumaraswamy(2., 2.), D.NegativeBinomial(5, 0.4), D.FisherSnedecor(4., 6.), D.VonMises(0., 1.), D.Categorical(torch.tensor([.2, .8])), D.Dirichlet(torch.tensor([1., 2.]))):
    print(d)
    for n in ('mean', 'mode', 'variance', 'stddev', 'entropy', 'perplexity', 'loc', 'scale', 'rate', 'probs', 'concentration', 'batch_shape', 'event_shape', 'df'):
        try:
            v = getattr(d, n); print(n, v() if callable(v) else v)
        except (NotImplementedError, AttributeError) as e: print(n, type(e).__name__)
mu = torch.zeros(1, requires_grad=True); s = torch.ones(1)
dist = D.Normal(mu, s)
e = D.Exponential(s)
with torch.no_grad(): mu += 3.; s.mul_(2)
print(dist, dist.mean, dist.loc, dist.log_prob(torch.tensor([1.])), e)
