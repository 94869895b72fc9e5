"""Layers and losses: the errors of bad arguments, and rules that goldens do not show."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops.windows import OVERLAP_ADD, WINDOWS, Window
from gradcli.result import Result
from gradcli.session import Gradient, Options, evaluate


def run(program: str, **inputs: object) -> Result:
    parsed = parse_program(Source("program", program), ParseLimits())
    arrays = {name: np.asarray(value, dtype=float) for name, value in inputs.items()}
    return evaluate(parsed, arrays, [], Options(forward_only=not inputs, seed=1))


@pytest.mark.parametrize(
    ("program", "code", "words"),
    [
        ("mse_loss(ones(2), ones(2), reduction='avg')", "value", ["'mean', 'sum' or 'none'"]),
        ("kl_div(ones(2), ones(2), 'average')", "value", ["'batchmean'", "'average'"]),
        ("cross_entropy(ones(2, 3), [0, 1], reduction='all')", "value", ["cross_entropy", "'all'"]),
        ("mse_loss(ones(2, 3), ones(2))", "shape", ["mse_loss", "(2, 3)", "(2,)"]),
        ("l1_loss(ones(2), ones(2), weight=ones(3))", "shape", ["weight", "(3,)", "(2,)"]),
        ("huber_loss(ones(2), ones(2), delta=0)", "value", ["delta"]),
        ("smooth_l1_loss(ones(2), ones(2), beta=-1)", "value", ["beta"]),
        ("gaussian_nll_loss(ones(2, 3), ones(2, 3), ones(3))", "shape", ["(3,)", "(2, 3)"]),
        ("gaussian_nll_loss(ones(2), ones(2), -ones(2))", "value", ["var (2,)", "-1"]),
        ("cosine_embedding_loss(ones(2, 3), ones(2, 2), [1, 1])", "shape", ["(2, 3)", "(2, 2)"]),
        ("triplet_margin_loss(ones(2, 3), ones(3), ones(3))", "shape", ["(2, 3)", "(3,)"]),
        ("cross_entropy(ones(2, 3), [0, 3])", "index", ["(2,)", "3", "3 classes"]),
        ("cross_entropy(ones(2, 3), [0, -1])", "index", ["-1"]),
        ("nll_loss(ones(2, 3), [0, 0.5])", "type", ["0.5"]),
        ("nll_loss(ones(2, 3), [0, 1, 2])", "shape", ["(2, 3)", "(3,)", "(2,)"]),
        ("cross_entropy(ones(2, 3), [0, 1], ones(2))", "shape", ["(2,)", "(2, 3)", "(3,)"]),
        ("cross_entropy(ones(2, 3), [0, 1], label_smoothing=2)", "value", ["label_smoothing"]),
        ("binary_cross_entropy([0.5, 2], [0, 1])", "value", ["(2,)", "2"]),
        ("binary_cross_entropy([0.5, 1], [0, 1, 1])", "shape", ["(2,)", "(3,)"]),
        ("binary_cross_entropy_with_logits([1, 2], 1)", "shape", ["(2,)", "()"]),
        ("linear(ones(2, 3), ones(4, 2))", "shape", ["(2, 3)", "(4, 2)"]),
        ("embedding([0, 4], ones(4, 3))", "index", ["(2,)", "4"]),
        ("embedding([0, 1], ones(4))", "shape", ["(4,)"]),
        ("embedding([0], ones(4, 3), padding_idx=4)", "axis", ["padding_idx"]),
        ("one_hot([0, 3], 3)", "index", ["3"]),
        ("one_hot([0, 1], 0)", "value", ["num_classes"]),
        (
            "scaled_dot_product_attention(ones(2, 3), ones(2, 4), ones(2, 3))",
            "shape",
            ["(2, 3)", "(2, 4)"],
        ),
        ("conv1d(ones(1, 2, 3), ones(1, 2, 4))", "shape", ["(4,)", "(3,)", "larger"]),
        ("conv2d(ones(1, 2, 3, 3), ones(1, 3, 2, 2))", "shape", ["(1, 2, 3, 3)", "(1, 3, 2, 2)"]),
        ("conv2d(ones(3, 3), ones(1, 1, 2, 2))", "shape", ["(3, 3)", "(1, 1, 2, 2)"]),
        ("conv1d(ones(1, 2, 3), ones(2, 1, 2), groups=3)", "value", ["groups"]),
        ("conv1d(ones(1, 2, 3), ones(3, 2, 2), ones(2))", "shape", ["(2,)", "(3,)"]),
        ("conv1d(ones(1, 2, 3), ones(3, 2, 2), stride=0)", "value", ["stride"]),
        ("conv1d(ones(1, 2, 3), ones(3, 2, 2), padding=-1)", "value", ["padding"]),
        ("conv1d(ones(1, 2, 3), ones(3, 2, 2), padding='full')", "value", ["'same'", "'full'"]),
        ("conv1d(ones(1, 2, 3), ones(3, 2, 2), padding='same', stride=2)", "value", ["stride"]),
        ("conv2d(ones(1, 4, 4), ones(1, 1, 2, 2), stride=(1, 1, 1))", "shape", ["(1, 1, 1)"]),
        ("max_pool2d(ones(1, 2, 2), 3)", "shape", ["(3, 3)", "(2, 2)", "larger"]),
        ("max_pool1d(ones(1, 4), 2, dilation=4)", "shape", ["spans (5,)", "(4,)"]),
        ("avg_pool1d(ones(1, 4), 2, padding=2)", "value", ["half", "(2,)"]),
        ("avg_pool2d(ones(4), 2)", "shape", ["(4,)"]),
        ("avg_pool2d(ones(1, 4, 4), 2, divisor_override=0)", "value", ["divisor_override"]),
        ("layer_norm(ones(2, 3), 2)", "shape", ["(2, 3)", "(2,)"]),
        ("layer_norm(ones(2, 3), 3, ones(2))", "shape", ["weight", "(2,)", "(3,)"]),
        ("batch_norm(ones(2, 3), None, None)", "value", ["running_mean"]),
        ("batch_norm(ones(1, 3), None, None, training=True)", "value", ["(1, 3)"]),
        ("batch_norm(ones(2, 3), ones(2), ones(3))", "shape", ["running_mean", "(2,)", "(3,)"]),
        ("group_norm(ones(2, 3), 2)", "value", ["2 groups", "3 channels"]),
    ],
)
def test_bad_arguments(program: str, code: str, words: list[str]) -> None:
    with pytest.raises(GradcliError) as caught:
        run(program)
    assert caught.value.diagnostic.code == code
    for word in words:
        assert word in caught.value.diagnostic.message


def test_windows_and_overlap_add_are_adjoint() -> None:
    """⟨windows(x), y⟩ = ⟨x, overlap_add(y)⟩, whatever lies between and behind the windows."""
    generator = np.random.default_rng(0)
    window = Window((2, 3), (2, 1), (2, 1))
    x = generator.standard_normal((2, 6, 5))
    slid = WINDOWS.forward(np, x, window)
    assert slid.shape == (2, 2, 3, 2, 3)
    assert slid[1, 1, 2, 0, 1] == x[1, 2, 3]
    y = generator.standard_normal(slid.shape)
    back = OVERLAP_ADD.forward(np, y, (6, 5), window)
    assert np.sum(slid * y) == pytest.approx(np.sum(x * back), rel=1e-13)


def test_ignored_targets_get_no_gradient_though_their_scores_are_infinite() -> None:
    result = run("cross_entropy(x, [0, 1], ignore_index=1)", x=[[0.0, 0.0], [np.inf, -np.inf]])
    assert result.values["out"] == pytest.approx(np.log(2))
    np.testing.assert_allclose(result.grads["x"], [[-0.5, 0.5], [0.0, 0.0]])


def test_a_variance_below_eps_keeps_its_gradient() -> None:
    """As PyTorch documents it: 1/2 · (1/v - d²/v²) at v = eps."""
    result = run("gaussian_nll_loss(0, 1, v, eps=0.5)", v=0.1)
    assert result.grads["v"] == pytest.approx(0.5 * (1 / 0.5 - 1 / 0.25))


def test_dropout_keeps_the_mean() -> None:
    program = (
        "scaled_dot_product_attention(zeros(1, 1), zeros(20000, 1), ones(20000, 1), dropout_p=0.25)"
    )
    assert run(program).values["out"] == pytest.approx(1.0, abs=0.02)


def test_integers_have_no_gradient() -> None:
    parsed = parse_program(Source("program", "one_hot(x, 3)"), ParseLimits())
    with pytest.raises(GradcliError) as caught:
        evaluate(parsed, {"x": np.array([0.0, 2.0])}, [Gradient(np.ones((2, 3)))])
    assert caught.value.diagnostic.code == "not-differentiable"
