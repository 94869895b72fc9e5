"""Layers over images, sampling, dropout and losses of sequences: errors, and what goldens do not
show.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError
from tests.ops.test_learning import run

PROJECTIONS = "ones(12, 4), None, None, None, False, 0, ones(4, 4), None"


@pytest.mark.parametrize(
    ("program", "code", "words"),
    [
        ("conv_transpose1d(ones(2, 3), ones(3, 1, 2))", "shape", ["2 channels", "(3, 1, 2)"]),
        ("conv_transpose1d(ones(3), ones(3, 1, 2))", "shape", ["2 or 3 dimensions", "(3,)"]),
        ("conv_transpose1d(ones(2, 3), ones(2, 1, 2), groups=3)", "value", ["groups", "2 chan"]),
        ("conv_transpose1d(ones(2, 3), ones(2, 1, 2), ones(3))", "shape", ["bias", "(1,)"]),
        (
            "conv_transpose1d(ones(2, 3), ones(2, 1, 2), output_padding=1)",
            "value",
            ["output_padding (1,)", "stride"],
        ),
        ("conv_transpose2d(ones(1, 0, 2), ones(1, 1, 2, 2))", "shape", ["nothing", "(1, 0, 2)"]),
        ("avg_pool3d(ones(2, 2), 1)", "shape", ["depth, height, width", "(2, 2)"]),
        ("avg_pool3d(ones(1, 2, 2, 2), 2, divisor_override=0)", "value", ["avg_pool3d"]),
        ("lp_pool1d(ones(1, 4), 0, 2)", "value", ["norm_type"]),
        ("adaptive_avg_pool2d(ones(1, 2, 2), (1, 1, 1))", "shape", ["3 lengths for 2 axes"]),
        ("adaptive_avg_pool1d(ones(1, 2), -1)", "value", ["(-1,)"]),
        ("adaptive_max_pool1d(ones(1, 0), 2)", "shape", ["nothing", "(1, 0)"]),
        ("max_unpool1d(ones(1, 2), [[0, 4]], 2)", "index", ["4"]),
        ("max_unpool1d(ones(1, 2), [0, 1], 2)", "shape", ["(2,)", "(1, 2)"]),
        ("max_unpool1d(ones(1, 2), [[0, 1]], 2, output_size=9)", "value", ["(9,)", "(4,)"]),
        ("F.unfold(ones(3, 3), 2)", "shape", ["(3, 3)"]),
        ("fold(ones(4, 3), (2, 3), 2)", "shape", ["3 windows", "(1, 2)"]),
        ("fold(ones(3, 2), (2, 3), 2)", "shape", ["channels * 4", "(3, 2)"]),
        ("pixel_shuffle(ones(2, 1, 1), 2)", "shape", ["(2, 1, 1)"]),
        ("pixel_unshuffle(ones(1, 3, 2), 2)", "shape", ["(1, 3, 2)"]),
        ("channel_shuffle(ones(1, 3, 2), 2)", "shape", ["(1, 3, 2)"]),
        ("glu(ones(3))", "shape", ["(3,)"]),
        ("dropout(ones(3), 1.5)", "value", ["1.5"]),
        ("dropout1d(ones(3))", "shape", ["2 or 3", "(3,)"]),
        ("dropout2d(ones(3))", "shape", ["(3,)"]),
        ("instance_norm(ones(2, 3))", "shape", ["(2, 3)"]),
        ("instance_norm(ones(2, 3, 1))", "value", ["(2, 3, 1)"]),
        ("rms_norm(ones(2, 3), 2)", "shape", ["rms_norm", "(2,)"]),
        ("local_response_norm(ones(2, 3), 2)", "shape", ["(2, 3)"]),
        ("bilinear(ones(2), ones(3), ones(1, 3, 2))", "shape", ["(2,)", "(3,)", "(1, 3, 2)"]),
        ("embedding_bag([0, 1], ones(2, 2))", "shape", ["offsets", "(2,)"]),
        ("embedding_bag([0, 1], ones(2, 2), [1])", "value", ["begin with 0"]),
        ("embedding_bag([[0, 2]], ones(2, 2))", "index", ["2"]),
        ("embedding_bag([[0, 1]], ones(2, 2), mode='min')", "value", ["'min'"]),
        ("embedding_bag([[0, 1]], ones(2, 2), per_sample_weights=ones(2))", "value", ["'sum'"]),
        ("interpolate(ones(1, 1, 3), 4, mode='cubic')", "value", ["'cubic'"]),
        ("interpolate(ones(1, 1, 3), 4, mode='bilinear')", "shape", ["'bilinear' takes 4"]),
        ("interpolate(ones(1, 1, 3))", "value", ["size or scale_factor"]),
        ("interpolate(ones(1, 1, 3), 4, 2)", "value", ["size or scale_factor"]),
        ("interpolate(ones(1, 1, 3), scale_factor=0.1)", "value", ["(0,)"]),
        ("interpolate(ones(1, 1, 3), scale_factor=inf)", "value", ["scale_factor"]),
        ("interpolate(ones(1, 1, 3), 4, align_corners=True)", "value", ["'nearest'"]),
        ("interpolate(ones(1, 1, 3), 4, antialias=True)", "value", ["antialias"]),
        ("interpolate(ones(1, 1, 3), 10**13)", "limit-memory", ["interpolate"]),
        ("affine_grid(ones(1, 2, 2), (1, 1, 2, 2))", "shape", ["(1, 2, 2)", "(1, 1, 2, 2)"]),
        ("affine_grid(ones(1, 2, 3), (1, 1, 10**7, 10**7))", "limit-memory", ["affine_grid"]),
        ("grid_sample(ones(1, 1, 2, 2), ones(1, 2, 2, 3))", "shape", ["(1, 2, 2, 3)"]),
        ("grid_sample(ones(1, 1, 2, 2), ones(1, 2, 2, 2), 'cubic')", "value", ["'cubic'"]),
        (
            "grid_sample(ones(1, 1, 2, 2), ones(1, 2, 2, 2), padding_mode='edge')",
            "value",
            ["'edge'"],
        ),
        ("multi_margin_loss(ones(2, 3), [0, 3])", "index", ["3 classes"]),
        ("multi_margin_loss(ones(2, 3), [0, 1], p=3)", "value", ["1 or 2"]),
        ("multilabel_margin_loss(ones(2), [0, 2])", "index", ["2 classes"]),
        ("pdist(ones(3))", "shape", ["(3,)"]),
        ("ctc_loss(ones(2, 3), [3], 2, 1)", "index", ["3"]),
        ("ctc_loss(ones(2, 3), [1], 3, 1)", "value", ["input_lengths", "2"]),
        ("ctc_loss(ones(2, 3), [1], 2, 2)", "shape", ["(1,)", "[2]"]),
        ("ctc_loss(ones(2, 3), [1], (2, 2), 1)", "shape", ["2 input_lengths", "1 samples"]),
        ("ctc_loss(ones(2, 3), [1], 2, 1, blank=3)", "index", ["blank is 3"]),
        ("linear_cross_entropy(ones(2, 3), ones(4, 2), [0, 1])", "shape", ["(4, 2)"]),
        (
            f"x = ones(2, 4); multi_head_attention_forward(x, x, x, 4, 3, {PROJECTIONS})",
            "value",
            ["3 heads", "4 features"],
        ),
    ],
)
def test_bad_arguments(program: str, code: str, words: list[str]) -> None:
    with pytest.raises(GradcliError) as caught:
        run(program)
    assert caught.value.diagnostic.code == code
    for word in words:
        assert word in caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("name", "shape", "alike"),
    [
        ("dropout", (40, 50), ()),
        ("dropout1d", (40, 50, 2), (2,)),
        ("dropout2d", (40, 50, 2, 2), (2, 3)),
        ("dropout3d", (40, 50, 1, 2, 2), (2, 3, 4)),
    ],
)
def test_dropout_drops_elements_or_channels_and_keeps_the_mean(
    name: str, shape: tuple[int, ...], alike: tuple[int, ...]
) -> None:
    result = run(f"y = F.{name}(x, 0.2); sum(y)", x=np.ones(shape))
    value = result.values["y"]
    assert set(np.unique(value)) == {0.0, 1.25}
    assert value.mean() == pytest.approx(1, abs=0.05)
    np.testing.assert_array_equal(result.grads["x"], value)
    if alike:
        assert not np.ptp(value, axis=alike).any()


@pytest.mark.parametrize("name", ["alpha_dropout", "feature_alpha_dropout"])
def test_alpha_dropout_keeps_mean_and_variance(name: str) -> None:
    x = np.random.default_rng(0).standard_normal((200, 200))
    value = run(f"y = F.{name}(x, 0.3, True); sum(y)", x=x).values["y"]
    assert value.mean() == pytest.approx(0, abs=0.02)
    assert value.var() == pytest.approx(1, abs=0.03)


def probability(logs: np.ndarray, target: list[int], blank: int = 0) -> float:
    """The sum over every way through the steps whose classes, repeats merged and blanks left out,
    are the target: the definition.
    """
    steps, classes = logs.shape
    total = 0.0
    for way in itertools.product(range(classes), repeat=steps):
        merged = [each for each, _ in itertools.groupby(way)]
        if [each for each in merged if each != blank] == target:
            total += float(np.exp(sum(logs[step, each] for step, each in enumerate(way))))
    return total


@pytest.mark.parametrize("target", [[1], [1, 2], [1, 1], [2, 1, 2]])
def test_ctc_loss_is_the_sum_over_all_ways(target: list[int]) -> None:
    logs = np.random.default_rng(3).uniform(-3, -0.1, (5, 3))
    found = run(f"F.ctc_loss(x, {target}, 5, {len(target)}, reduction='sum')", x=logs)
    assert found.values["out"] == pytest.approx(-np.log(probability(logs, target)), rel=1e-13)


def test_the_derivative_of_ctc_loss_by_a_logarithm_is_how_often_it_is_read() -> None:
    """-1 at each step in all, shared by the classes that are read there."""
    logs = np.random.default_rng(4).uniform(-3, -0.1, (4, 3))
    found = run("F.ctc_loss(x, [1, 2], 4, 2, reduction='sum')", x=logs)
    np.testing.assert_allclose(found.grads["x"].sum(1), -np.ones(4), rtol=1e-13)


@pytest.mark.parametrize(("zero", "value"), [("False", np.inf), ("True", 0.0)])
def test_what_cannot_be_read_has_an_infinite_loss_and_no_gradient(zero: str, value: float) -> None:
    program = f"F.ctc_loss(x, [1, 1], 2, 2, reduction='sum', zero_infinity={zero})"
    result = run(program, x=np.log(np.full((2, 3), 1 / 3)))
    assert result.values["out"] == value
    np.testing.assert_array_equal(result.grads["x"], np.zeros((2, 3)))


def test_a_class_without_a_chance_in_ctc_loss() -> None:
    """log 0 at a place that other ways go around: only the way over blanks is left."""
    logs = np.array([[np.log(0.5), np.log(0.5)], [0.0, -np.inf]])
    result = run("F.ctc_loss(x, [1], 2, 1, reduction='sum')", x=logs)
    assert result.values["out"] == pytest.approx(np.log(2))
    np.testing.assert_allclose(result.grads["x"], [[0.0, -1.0], [-1.0, 0.0]], atol=1e-15)


@pytest.mark.parametrize(("mode", "value"), [("bilinear", [0, np.nan, 1]), ("nearest", [0, 0, 1])])
def test_places_outside_of_an_image_and_nan(mode: str, value: list[float]) -> None:
    """As in PyTorch, whose nearest element to nan is none."""
    grid = np.array([[[[5.0, 0.0], [np.nan, 0.0], [0.0, 0.0]]]])
    program = f"y = F.grid_sample(x, g, '{mode}'); sum(y[..., 2])"
    result = run(program, x=np.ones((1, 1, 3, 3)), g=grid)
    np.testing.assert_allclose(result.values["y"][0, 0, 0], value)
    assert result.grads["x"].sum() == pytest.approx(1)


def test_the_prefix_tells_which_unfold() -> None:
    x = np.arange(6.0).reshape(1, 1, 2, 3)
    columns = run("sum(F.unfold(x, 2))", x=x)
    along = run("sum(x.unfold(3, 2, 1))", x=x)
    np.testing.assert_array_equal(columns.grads["x"], [[[[1, 2, 1], [1, 2, 1]]]])
    np.testing.assert_array_equal(along.grads["x"], [[[[1, 2, 1], [1, 2, 1]]]])
    assert run("y = F.unfold(x, 2); sum(y)", x=x).values["y"].shape == (1, 4, 2)
    assert run("y = x.unfold(3, 2, 1); sum(y)", x=x).values["y"].shape == (1, 1, 2, 2, 2)
