"""Distributions and transforms: what is refused of them."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.test_python_lines import ours

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
