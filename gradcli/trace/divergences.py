"""The Kullback-Leibler divergence of two distributions of `torch.distributions`.

Formulas: Gil, Alajaji and Linder, Rényi divergence measures for commonly used univariate continuous
distributions, 2013; those of normal and of discrete distributions follow from their definition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import f
from gradcli.trace.arguments import bind_names
from gradcli.trace.compound_distributions import Independent
from gradcli.trace.distributions import Distribution
from gradcli.trace.more_distributions import Beta, Chi2, Dirichlet, Gamma, LogNormal, Poisson
from gradcli.trace.rare_distributions import (
    EULER,
    Binomial,
    Cauchy,
    Geometric,
    Gumbel,
    HalfNormal,
    OneHotCategorical,
)
from gradcli.trace.rows_of_normals import LowRankMultivariateNormal, MultivariateNormal
from gradcli.trace.tailed_distributions import (
    ContinuousBernoulli,
    OneHotCategoricalStraightThrough,
    Pareto,
)
from gradcli.trace.transformed import TransformedDistribution, summed
from gradcli.trace.usual_distributions import (
    Bernoulli,
    Categorical,
    Exponential,
    Laplace,
    Normal,
    Uniform,
)
from gradcli.trace.values import Value


def divergence(arguments: list[Value], keywords: dict[str, Value]) -> Value:
    """That of p from q. Raises `name` for two of which no formula is known."""
    given = bind_names("kl_divergence", ("p", "q"), arguments, keywords)
    p, q = given["p"], given["q"]
    if not isinstance(p, Distribution) or not isinstance(q, Distribution):
        raise GradcliError("type", "kl_divergence takes two distributions")
    axes = 0
    while True:
        rule = _RULES.get((type(p), type(q)))
        if rule is not None:
            return summed(rule(p, q), axes)
        if isinstance(p, Independent) and isinstance(q, Independent) and p.axes == q.axes:
            axes += p.axes
            p, q = p.base, q.base
        elif (
            isinstance(p, TransformedDistribution)
            and isinstance(q, TransformedDistribution)
            and p.is_made_as(q)
        ):  # by the same transforms
            p, q = p.base, q.base
        else:
            break
    said = f"No KL(p || q) is implemented for p type {p.title} and q type {q.title}"
    raise RefusedError(
        ("NotImplementedError", said), "name", f"kl_divergence of {p.title} from {q.title} is not "
        "known", hint="(p.log_prob(x) - q.log_prob(x)).mean() of samples x of p estimates it",
    )  # fmt: skip


def _normal(p: Distribution, q: Distribution) -> Node:
    (loc, scale), (other, width) = p.parameters, q.parameters
    ratio = (scale / width) ** 2.0
    return 0.5 * (ratio + ((loc - other) / width) ** 2.0 - 1.0 - f("log", ratio))


def _half_normal(p: Distribution, q: Distribution) -> Node:
    ratio = (p.parameters[0] / q.parameters[0]) ** 2.0
    return 0.5 * (ratio - 1.0 - f("log", ratio))


def _at_edges(found: Node, p: Node, q: Node) -> Node:
    """0 where p is 0, otherwise infinite where q is."""
    found = f("where", f("eq", q, 0.0), math.inf, found)
    return f("where", f("eq", p, 0.0), 0.0, found)


def _categorical(p: Any, q: Any) -> Node:
    return f("sum", _at_edges(p.probs * (p.logits - q.logits), p.probs, q.probs), -1)


def _bernoulli(p: Any, q: Any) -> Node:
    yes = p.probs * (f("softplus", -q.logits) - f("softplus", -p.logits))
    no = (1.0 - p.probs) * (f("softplus", q.logits) - f("softplus", p.logits))
    return _at_edges(yes, p.probs, q.probs) + _at_edges(no, 1.0 - p.probs, 1.0 - q.probs)


def _continuous_bernoulli(p: Any, q: Any) -> Node:
    own, other = (each.log_norm() + f("log1p", -each.probs) for each in (p, q))
    found: Node = p.mean() * (p.logits - q.logits) + own + (-other)
    return found


def _binomial(p: Any, q: Any) -> Node:
    value = p.values.evaluator.value
    total, other = value(p.total), value(q.total)
    if (total < other).any():
        said = "KL between Binomials where q.total_count > p.total_count is not implemented"
        raise RefusedError(("NotImplementedError", said), "name", said, None)
    sides = f("log1p", -p.probs) - f("log1p", -q.probs)
    found: Node = p.total * (p.probs * (p.logits - q.logits) + sides)
    return f("where", p.total > q.total, math.inf, found)


def _geometric(p: Any, q: Any) -> Node:
    found: Node = -p.entropy() - f("log1p", -q.probs) / p.probs - q.logits
    return found


def _poisson(p: Distribution, q: Distribution) -> Node:
    (rate,), (other,) = p.parameters, q.parameters
    return rate * (f("log", rate) - f("log", other)) - (rate - other)


def _exponential(p: Distribution, q: Distribution) -> Node:
    ratio = q.parameters[0] / p.parameters[0]
    return -f("log", ratio) + ratio - 1.0


def _gamma(p: Distribution, q: Distribution) -> Node:
    (a, rate), (b, other) = p.parameters, q.parameters
    sizes = b * f("log", rate / other) + f("lgamma", b) - f("lgamma", a)
    return sizes + (a - b) * f("digamma", a) + (other - rate) * (a / rate)


def _dirichlet(p: Distribution, q: Distribution) -> Node:
    (a,), (b,) = p.parameters, q.parameters
    whole, other = f("sum", a, -1), f("sum", b, -1)
    sizes = f("lgamma", whole) - f("lgamma", other)
    parts = f("sum", f("lgamma", a) - f("lgamma", b), -1)
    means = f("digamma", a) - f("unsqueeze", f("digamma", whole), -1)
    return sizes - parts + f("sum", (a - b) * means, -1)


def _beta(p: Any, q: Any) -> Node:
    return _dirichlet(p.rows(), q.rows())


def _laplace(p: Distribution, q: Distribution) -> Node:
    (loc, scale), (other, width) = p.parameters, q.parameters
    ratio, apart = scale / width, f("abs", loc - other)
    return -f("log", ratio) + apart / width + ratio * f("exp", -apart / scale) - 1.0


def _gumbel(p: Distribution, q: Distribution) -> Node:
    (loc, scale), (other, width) = p.parameters, q.parameters
    ratio, apart = scale / width, (loc - other) / width
    tail = f("exp", f("lgamma", 1.0 + ratio) - apart)
    return -f("log", ratio) + apart + ratio * EULER + tail - (1.0 + EULER)


def _cauchy(p: Distribution, q: Distribution) -> Node:
    (loc, scale), (other, width) = p.parameters, q.parameters
    whole = f("log", (scale + width) ** 2.0 + (loc - other) ** 2.0)
    return whole - f("log", 4.0 * scale * width)


def _uniform(p: Distribution, q: Distribution) -> Node:
    (low, high), (bottom, top) = p.parameters, q.parameters
    found = f("log", (top - bottom) / (high - low))
    return f("where", f("logical_or", bottom > low, top < high), math.inf, found)


def _pareto(p: Distribution, q: Distribution) -> Node:
    (scale, alpha), (other, beta) = p.parameters, q.parameters
    ratio = beta / alpha
    found = beta * f("log", scale / other) - f("log", ratio) + ratio - 1.0
    return f("where", scale < other, math.inf, found)


def _rows_of_normals(p: Any, q: Any) -> Node:
    solved = f("solve_triangular", q.triangle(), p.triangle(), upper=False)
    spread = f("sum", solved**2.0, (-2, -1))
    own = spread + q.distances(p.parameters[0]) - float(p.shape[-1])
    found: Node = q.half_log_det() - p.half_log_det() + 0.5 * own
    return found


def _exponential_gamma(p: Distribution, q: Distribution) -> Node:
    (rate,), (a, other) = p.parameters, q.parameters
    ratio = other / rate
    return -a * f("log", ratio) + ratio + f("lgamma", a) + a * EULER - (1.0 + EULER)


def _gamma_exponential(p: Any, q: Distribution) -> Node:
    (a, rate), (other,) = p.parameters, q.parameters
    found: Node = -p.entropy() - f("log", other) + other * a / rate
    return found


def _by_moments(p: Distribution, q: Distribution) -> Node:
    """From a normal distribution: its density needs the mean and the variance alone."""
    loc, scale = q.parameters
    size = 0.5 * math.log(2 * math.pi) + f("log", scale)
    return size - p.entropy() + (p.variance() + (p.mean() - loc) ** 2.0) / (2.0 * scale**2.0)


_KINDS = (OneHotCategorical, OneHotCategoricalStraightThrough)
_ROWS = (MultivariateNormal, LowRankMultivariateNormal)
_GAMMAS = (Gamma, Chi2)
_RULES: Mapping[tuple[type, type], Callable[[Any, Any], Node]] = {
    (Normal, Normal): _normal, (LogNormal, LogNormal): _normal,
    (HalfNormal, HalfNormal): _half_normal,
    (Categorical, Categorical): _categorical,
    **{(a, b): _categorical for a in _KINDS for b in _KINDS},
    (ContinuousBernoulli, ContinuousBernoulli): _continuous_bernoulli,
    (Bernoulli, Bernoulli): _bernoulli, (Binomial, Binomial): _binomial,
    (Geometric, Geometric): _geometric, (Poisson, Poisson): _poisson,
    (Exponential, Exponential): _exponential,
    **{(a, b): _gamma for a in _GAMMAS for b in _GAMMAS},
    **{(Exponential, b): _exponential_gamma for b in _GAMMAS},
    **{(a, Exponential): _gamma_exponential for a in _GAMMAS},
    (Dirichlet, Dirichlet): _dirichlet, (Beta, Beta): _beta,
    (Laplace, Laplace): _laplace, (Gumbel, Gumbel): _gumbel, (Cauchy, Cauchy): _cauchy,
    (Uniform, Uniform): _uniform, (Pareto, Pareto): _pareto,
    **{(a, b): _rows_of_normals for a in _ROWS for b in _ROWS},
    **{(a, Normal): _by_moments for a in (Beta, Exponential, *_GAMMAS, Gumbel, Laplace, Uniform)},
}  # fmt: skip
