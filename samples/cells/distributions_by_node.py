import torch
import torch.distributions as D
def p(v): return torch.tensor(v, requires_grad=True)
made = [
 D.Normal(p(0.5), p(2.0)), D.Laplace(p(0.5), p(2.0)), D.Uniform(p(0.5), p(2.0)), D.Exponential(p(2.0)), D.Gumbel(p(0.5), p(2.0)),
 D.Gamma(p(3.0), p(2.0)), D.Beta(p(3.0), p(2.0)), D.Poisson(p(2.0)), D.Bernoulli(p(0.3)), D.Bernoulli(logits=p(0.3)), D.Geometric(p(0.3)), D.LogNormal(p(0.5), p(0.7)),
 D.HalfNormal(p(2.0)), D.HalfCauchy(p(2.0)), D.StudentT(p(5.0), p(0.5), p(2.0)), D.Chi2(p(5.0)), D.Weibull(p(2.0), p(1.5)), D.Pareto(p(2.0), p(4.0)), D.Binomial(10, p(0.3)), D.NegativeBinomial(5, p(0.3)),
 D.Dirichlet(p([1.5, 2.0, 3.0])), D.Categorical(p([0.2, 0.8])), D.MultivariateNormal(p([0.5, 1.0]), p([[2.0, 0.3], [0.3, 1.0]])), D.VonMises(p(0.5), p(2.0)), D.Kumaraswamy(p(2.0), p(3.0)), D.InverseGamma(p(4.0), p(2.0)), D.FisherSnedecor(p(4.0), p(6.0)), D.Cauchy(p(0.5), p(1.0)),
 D.Independent(D.Normal(p([0.5]), p([2.0])), 1), D.MixtureSameFamily(D.Categorical(p([0.2, 0.8])), D.Normal(p([0.5, 1.0]), p([2.0, 1.0]))), D.OneHotCategorical(p([0.2, 0.8])), D.Multinomial(3, p([0.2, 0.8])), D.LowRankMultivariateNormal(p([0.5, 1.0]), p([[1.0], [0.3]]), p([1.0, 2.0])),
 D.TransformedDistribution(D.Normal(p(0.5), p(2.0)), [D.AffineTransform(1.0, 2.0)]),
]
x = {'Bernoulli': 1., 'Geometric': 2., 'Poisson': 2., 'Binomial': 4., 'NegativeBinomial': 4., 'Dirichlet': [.2, .3, .5], 'Categorical': 1, 'MultivariateNormal': [.1, .2], 'OneHotCategorical': [0., 1.], 'Multinomial': [1., 2.], 'LowRankMultivariateNormal': [.1, .2], 'Independent': [.4], 'Pareto': 2.5, 'Uniform': 0.75}
for d in made:
    print(d)
    for name in ('mean', 'mode', 'stddev', 'entropy', 'perplexity', 'log_prob'):
        try:
            v = getattr(d, name)
            if name == 'log_prob': v = v(torch.tensor(x.get(type(d).__name__, 0.25)))
            else: v = v() if callable(v) else v
            print(' ', name, v, v.grad_fn.name() if v.grad_fn is not None else None)
        except (NotImplementedError, AttributeError) as e:
            print(' ', name, type(e).__name__)
