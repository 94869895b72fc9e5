"""Distributions and transforms: gradcli prints what PyTorch 2.13 prints.

`distributions.txt` has cells of all distributions, and what PyTorch printed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

CELLS = r"""
### values that a distribution does not have, and parameters that it cannot have
import torch
import torch.distributions as D
t = torch.tensor
half = t([0.3, 0.6])
cases = [
    (D.Normal(t([0., 1.]), 2.), t([float("nan"), 1.])), (D.Exponential(t([1., 2.])), t([-1., 1.])),
    (D.Uniform(0., t([1., 3.])), t([-1., 2.])), (D.Bernoulli(half), t([0.5, 1.])),
    (D.Categorical(t([0.2, 0.3, 0.5])), t([3])), (D.OneHotCategorical(t([0.2, 0.8])), t([1., 1.])),
    (D.Gamma(t([1.5, 2.]), 3.), t(-1.)), (D.Beta(2., 3.), t(1.5)), (D.Poisson(4.), t([0.5])),
    (D.Dirichlet(t([1., 2.])), t([0.5, 0.6])), (D.HalfNormal(1.), t(-2.)), (D.Chi2(3.), t(-1.)),
    (D.LogNormal(0., 1.), t(-1.)), (D.Weibull(1., 2.), t(-1.)), (D.Geometric(half), t([1., -1.])),
    (D.Pareto(t([1., 2.]), 3.), t([0.5, 3.])), (D.Kumaraswamy(2., 3.), t(2.)),
    (D.FisherSnedecor(2., 5.), t(-1.)), (D.NegativeBinomial(5., half), t(-1.)),
    (D.Binomial(10, half), t([11., 1.])), (D.Multinomial(5, half), t([3., 3.])),
    (D.MultivariateNormal(t([0., 1.]), torch.eye(2)), t([0., float("nan")])),
    (D.Independent(D.Exponential(half), 1), t([-1., 1.])), (D.HalfCauchy(1.), t([-1.])),
    (D.InverseGamma(3., 2.), t(-1.)), (D.RelaxedBernoulli(t(0.5), half), t(2.)),
]
for d, wrong in cases:
    try:
        print(d.log_prob(wrong))
    except ValueError as e:
        print(str(e).partition("to be within ")[2])
print(D.Exponential(1., validate_args=False).log_prob(t(-1.)))
for make in (lambda: D.Chi2(t([0., 1.])), lambda: D.Geometric(t([0., .5])), lambda: D.Geometric(0.),
             lambda: D.Pareto(-1., 1.)):
    try:
        make()
    except ValueError as e:
        print(e)
print(D.LogNormal(0., t([1., 0.5])).cdf(t([0.25, 0.5])), D.Laplace(0., 2.).cdf(t([-1., 0., 3.])))
print(D.Categorical(half).mean)
===
the support (Real()) of the distribution Normal(loc: torch.Size([2]), scale: torch.Size([2])), but
found invalid values:
tensor([nan, 1.])
the support (GreaterThanEq(lower_bound=0.0)) of the distribution Exponential(rate:
torch.Size([2])), but found invalid values:
tensor([-1.,  1.])
the support (Interval(lower_bound=tensor([0., 0.]), upper_bound=tensor([1., 3.]))) of the
distribution Uniform(low: torch.Size([2]), high: torch.Size([2])), but found invalid values:
tensor([-1.,  2.])
the support (Boolean()) of the distribution Bernoulli(probs: torch.Size([2])), but found invalid
values:
tensor([0.5000, 1.0000])
the support (IntegerInterval(lower_bound=0, upper_bound=2)) of the distribution Categorical(probs:
torch.Size([3])), but found invalid values:
tensor([3])
the support (OneHot()) of the distribution OneHotCategorical(), but found invalid values:
tensor([1., 1.])
the support (GreaterThanEq(lower_bound=0.0)) of the distribution Gamma(concentration:
torch.Size([2]), rate: torch.Size([2])), but found invalid values:
-1.0
the support (Interval(lower_bound=0.0, upper_bound=1.0)) of the distribution Beta(), but found
invalid values:
1.5
the support (IntegerGreaterThan(lower_bound=0)) of the distribution Poisson(rate: 4.0), but found
invalid values:
tensor([0.5000])
the support (Simplex()) of the distribution Dirichlet(concentration: torch.Size([2])), but found
invalid values:
tensor([0.5000, 0.6000])
the support (GreaterThanEq(lower_bound=0.0)) of the distribution HalfNormal(), but found invalid
values:
-2.0
the support (GreaterThanEq(lower_bound=0.0)) of the distribution Chi2(), but found invalid values:
-1.0
the support (GreaterThan(lower_bound=0.0)) of the distribution LogNormal(), but found invalid
values:
-1.0
the support (GreaterThan(lower_bound=0.0)) of the distribution Weibull(scale: 1.0, concentration:
2.0), but found invalid values:
-1.0
the support (IntegerGreaterThan(lower_bound=0)) of the distribution Geometric(probs:
torch.Size([2])), but found invalid values:
tensor([ 1., -1.])
the support (GreaterThanEq(lower_bound=tensor([1., 2.]))) of the distribution Pareto(alpha:
torch.Size([2]), scale: torch.Size([2])), but found invalid values:
tensor([0.5000, 3.0000])
the support (Interval(lower_bound=0.0, upper_bound=1.0)) of the distribution
Kumaraswamy(concentration1: 2.0, concentration0: 3.0), but found invalid values:
2.0
the support (GreaterThan(lower_bound=0.0)) of the distribution FisherSnedecor(df1: 2.0, df2: 5.0),
but found invalid values:
-1.0
the support (IntegerGreaterThan(lower_bound=0)) of the distribution NegativeBinomial(total_count:
torch.Size([2]), probs: torch.Size([2])), but found invalid values:
-1.0
the support (IntegerInterval(lower_bound=0, upper_bound=tensor([10., 10.]))) of the distribution
Binomial(total_count: torch.Size([2]), probs: torch.Size([2])), but found invalid values:
tensor([11.,  1.])
the support (Multinomial()) of the distribution Multinomial(), but found invalid values:
tensor([3., 3.])
the support (IndependentConstraint(Real(), 1)) of the distribution MultivariateNormal(loc:
torch.Size([2]), covariance_matrix: torch.Size([2, 2])), but found invalid values:
tensor([0., nan])
the support (GreaterThanEq(lower_bound=0.0)) of the distribution Exponential(rate:
torch.Size([2])), but found invalid values:
tensor([-1.,  1.])
the support (GreaterThanEq(lower_bound=0.0)) of the distribution HalfCauchy(), but found invalid
values:
tensor([-1.])
the support (GreaterThan(lower_bound=0.0)) of the distribution InverseGamma(), but found invalid
values:
-1.0
the support (Interval(lower_bound=0.0, upper_bound=1.0)) of the distribution RelaxedBernoulli(),
but found invalid values:
2.0
tensor(1.)
Expected parameter df (Tensor of shape (2,)) of distribution Chi2() to satisfy the constraint
GreaterThan(lower_bound=0.0), but found invalid values:
tensor([0., 1.])
Expected parameter probs (Tensor of shape (2,)) of distribution Geometric(probs: torch.Size([2]))
to be positive but found invalid values:
tensor([0.])
Expected parameter probs (Tensor of shape ()) of distribution Geometric(probs: 0.0) to be positive
but found invalid values:
tensor([0.])
Expected parameter scale (Tensor of shape ()) of distribution Pareto(alpha: 1.0, scale: -1.0) to
satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:
-1.0
tensor([0.0828, 0.0828]) tensor([0.3033, 0.5000, 0.8884])
tensor(nan)
### transforms
import torch
from torch.distributions import *
from torch.distributions import transforms as T
x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
for t in (T.ExpTransform(), SigmoidTransform(), T.TanhTransform(), T.SoftplusTransform(),
          AffineTransform(1.0, -2.0),
          T.AffineTransform(torch.zeros(3), torch.tensor([1., 2., 3.]), event_dim=1),
          ComposeTransform([T.AffineTransform(0.5, 2.0), T.ExpTransform()]),
          T.ComposeTransform([AffineTransform(0., 2., event_dim=1), SigmoidTransform()])):
    y = t(x)
    print(t, y.detach(), t.inv(y).detach(), t.inv.inv is t, t.sign)
    print(t.log_abs_det_jacobian(x, y).detach(), t.inv.log_abs_det_jacobian(y, x).detach())
    g, = torch.autograd.grad(t.log_abs_det_jacobian(x, y).sum() + y.sum(), x, allow_unused=True)
    print(g, t.inv)
===
ExpTransform() tensor([0.3679, 1.6487, 7.3891]) tensor([-1.0000,  0.5000,  2.0000]) True 1
tensor([-1.0000,  0.5000,  2.0000]) tensor([ 1.0000, -0.5000, -2.0000])
tensor([1.3679, 2.6487, 8.3891]) _InverseTransform(ExpTransform())
SigmoidTransform() tensor([0.2689, 0.6225, 0.8808]) tensor([-1.0000,  0.5000,  2.0000]) True 1
tensor([-1.6265, -1.4482, -2.2539]) tensor([1.6265, 1.4482, 2.2539])
tensor([ 0.6587, -0.0099, -0.6566]) _InverseTransform(SigmoidTransform())
TanhTransform() tensor([-0.7616,  0.4621,  0.9640]) tensor([-1.0000,  0.5000,  2.0000]) True 1
tensor([-0.8676, -0.2402, -2.6500]) tensor([0.8676, 0.2402, 2.6500])
tensor([ 1.9432, -0.1378, -1.8574]) _InverseTransform(TanhTransform())
SoftplusTransform() tensor([0.3133, 0.9741, 2.1269]) tensor([-1.0000,  0.5000,  2.0000]) True 1
tensor([-1.3133, -0.4741, -0.1269]) tensor([1.3133, 0.4741, 0.1269])
tensor([1., 1., 1.]) _InverseTransform(SoftplusTransform())
AffineTransform() tensor([ 3.,  0., -3.]) tensor([-1.0000,  0.5000,  2.0000]) True -1
tensor([0.6931, 0.6931, 0.6931]) tensor([-0.6931, -0.6931, -0.6931])
tensor([-2., -2., -2.]) _InverseTransform(AffineTransform())
AffineTransform() tensor([-1.,  1.,  6.]) tensor([-1.0000,  0.5000,  2.0000]) True tensor([1., 1.,
1.])
tensor(1.7918) tensor(-1.7918)
tensor([1., 2., 3.]) _InverseTransform(AffineTransform())
ComposeTransform(
    AffineTransform(),
    ExpTransform()
) tensor([ 0.2231,  4.4817, 90.0171]) tensor([-1.0000,  0.5000,  2.0000]) True 1
tensor([-0.8069,  2.1931,  5.1931]) tensor([ 0.8069, -2.1931, -5.1931])
tensor([  2.4463,  10.9634, 182.0343]) ComposeTransform(
    _InverseTransform(ExpTransform()),
    _InverseTransform(AffineTransform())
)
ComposeTransform(
    AffineTransform(),
    SigmoidTransform()
) tensor([0.1192, 0.7311, 0.9820]) tensor([-1.0000,  0.5000,  2.0000]) True 1
tensor(-5.8372) tensor(5.8372)
tensor([ 1.7332, -0.5310, -1.8927]) ComposeTransform(
    _InverseTransform(SigmoidTransform()),
    _InverseTransform(AffineTransform())
)
### distributions of what transforms make
import torch
from torch.distributions import *
from torch.distributions import transforms as T
loc = torch.tensor([0.2, -0.4], requires_grad=True)
d = TransformedDistribution(Normal(loc, torch.tensor([1.0, 2.0])), [ExpTransform()])
v = torch.tensor([0.5, 3.0])
print(d, d.log_prob(v))
print(LogNormal(loc, torch.tensor([1.0, 2.0])).log_prob(v), d.transforms, d.base_dist)
d.log_prob(v).sum().backward()
print(loc.grad, d.cdf(v).detach(), d.batch_shape, d.event_shape)
a = torch.tensor(0.5)
logistic = TransformedDistribution(Uniform(torch.tensor(0.0), torch.tensor(1.0)), [
    SigmoidTransform().inv, AffineTransform(loc=a, scale=2.0)])
print(logistic.log_prob(torch.tensor([0.1, 3.0, -2.0])), logistic.cdf(torch.tensor([0.1, 3.0])))
down = TransformedDistribution(Normal(0.0, 1.0), AffineTransform(1.0, -2.0))
print(down.cdf(torch.tensor([0.0, 2.0])), down.log_prob(torch.tensor(0.3)))
wide = TransformedDistribution(Normal(0.0, 1.0), [AffineTransform(torch.zeros(3), torch.ones(3))])
print(wide.batch_shape, wide.sample((2,)).shape, wide.rsample().shape)
print(wide.log_prob(torch.tensor(1.0)))
rows = TransformedDistribution(
    Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1),
    [TanhTransform(cache_size=1)])
print(rows.batch_shape, rows.event_shape)
print(rows.log_prob(torch.tensor([[0.1, 0.2, -0.3], [0.5, -0.9, 0.0]])))
joint = TransformedDistribution(
    Normal(torch.zeros(2, 3), torch.ones(2, 3)),
    [AffineTransform(1.0, 2.0, event_dim=1), ExpTransform()])
print(joint.batch_shape, joint.event_shape, joint.log_prob(torch.ones(2, 3)))
mean = torch.tensor([9.5, 12.0], requires_grad=True)
policy = TransformedDistribution(Normal(mean, 1e-3), [TanhTransform(cache_size=1)])
act = policy.rsample()
print(act.requires_grad, torch.isfinite(policy.log_prob(act)).all(), act)
(policy.log_prob(act).sum() + act.sum()).backward()
print(mean.grad)
s = policy.sample()
print(s.requires_grad, torch.isfinite(policy.log_prob(s)).all())
two = TransformedDistribution(Normal(mean.detach(), 1e-3), ComposeTransform(
    [ExpTransform(cache_size=1), TanhTransform(cache_size=1)]))
print(torch.isfinite(two.log_prob(two.sample())).all())
print(joint.base_dist.event_shape, wide.transforms[0].loc)
print(MultivariateNormal(torch.zeros(2), torch.eye(2)).event_shape)
print(ExpTransform() == ExpTransform(), AffineTransform(0, 1) == AffineTransform(0, 2))
print(ExpTransform() == TanhTransform())
print(isinstance(d, TransformedDistribution), isinstance(T.ExpTransform(), T.Transform))
print(T.AffineTransform(0, 2).scale, T.ExpTransform().bijective)
try:
    d.log_prob(torch.tensor([-1.0, 1.0]))
except ValueError as e:
    print(str(e).split(', but')[0])
try:
    rows.log_prob(torch.full((2, 3), 2.0))
except ValueError as e:
    print(str(e).split(', but')[0])
try:
    d.mean
except NotImplementedError as e:
    print('no mean')
try:
    d.entropy()
except NotImplementedError as e:
    print('no entropy')
===
TransformedDistribution() tensor([-0.6246, -2.9914], grad_fn=<AddBackward0>)
tensor([-0.6246, -2.9914], grad_fn=<AddBackward0>) [ExpTransform()] Normal(loc: torch.Size([2]),
scale: torch.Size([2]))
tensor([-0.8931,  0.3747]) tensor([0.1859, 0.7732]) torch.Size([2]) torch.Size([])
tensor([-2.0894, -2.4470, -2.4470]) tensor([0.4502, 0.7773])
tensor([0.3085, 0.6915]) tensor(-1.6733)
torch.Size([3]) torch.Size([2, 3]) torch.Size([3])
tensor([-1.4189, -1.4189, -1.4189])
torch.Size([2]) torch.Size([3])
tensor([-2.6851, -2.0430])
torch.Size([2]) torch.Size([3]) tensor([-5.2113, -5.2113])
True tensor(True) tensor([1., 1.], grad_fn=<TanhBackward0>)
tensor([2., 2.])
False tensor(True)
tensor(True)
torch.Size([3]) tensor([0., 0., 0.])
torch.Size([2])
True False
False
True True
2 True
Expected value argument (Tensor of shape (2,)) to be within the support
(GreaterThan(lower_bound=0.0)) of the distribution TransformedDistribution()
Expected value argument (Tensor of shape (2, 3)) to be within the support
(IndependentConstraint(Interval(lower_bound=-1.0, upper_bound=1.0), 1)) of the distribution
TransformedDistribution()
no mean
no entropy
"""
WRITTEN = Path(__file__).with_name("distributions.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("cell", titled(f"{CELLS}{WRITTEN}"))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)


BEGIN = "import torch\nfrom torch.distributions import *\n"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("t = ExpTransform()\nfor i in range(300): t = ComposeTransform([t])\n", "100 transforms"),
        (
            "TransformedDistribution(Categorical(torch.ones(2)), [])",
            "of a Categorical is not known",
        ),
        (
            "a = torch.tensor(2., requires_grad=True)\nBeta(a, 1.).rsample()",
            "gradients of samples of Beta are not known",
        ),
        ("MultivariateNormal(0., torch.eye(2))", "has too few axes"),
        ("kl_divergence(Normal(0., 1.), 2.)", "takes two distributions"),
        ("Independent(Normal(0., 1.), 1)", "has not 1 axes to take"),
        ("Multinomial(-1, torch.ones(2))", "total_count is 0 or more"),
        ("ExpTransform()(1.0)", "takes a tensor"),
        ("ComposeTransform([ExpTransform()], cache_size=1)", "with a cache is not known"),
        ("TransformedDistribution(Normal(0., 1.), [torch.exp])", "must be a Transform"),
    ],
)
def test_what_is_refused(cell: str, said: str) -> None:
    with pytest.raises(GradcliError, match=said):
        ours(BEGIN + cell)
