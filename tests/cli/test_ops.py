"""`gradcli ops`: the list of functions and the page about one."""

from __future__ import annotations

import shlex

from tests.cli.conftest import Runner


def test_the_list_is_in_groups(gradcli: Runner) -> None:
    listed = gradcli("ops")
    assert (listed.code, listed.err) == (0, "")
    lines = listed.out.splitlines()
    start = lines.index("hyperbolic")
    end = lines.index("", start)
    assert [line.split()[0] for line in lines[start + 1 : end]] == [
        "acosh", "asinh", "atanh", "cosh", "sinh", "tanh",
    ]  # fmt: skip


def test_the_list_as_json(gradcli: Runner) -> None:
    found = gradcli("ops", "--json").json
    (tanh,) = [entry for entry in found["hyperbolic"] if entry["name"] == "tanh"]
    assert tanh == {"name": "tanh", "signature": "tanh(x)", "doc": "Hyperbolic tangent."}


def test_a_page(gradcli: Runner) -> None:
    page = gradcli("ops", "clamp").out
    for words in (
        "clamp(x, min=None, max=None)",
        "clip",
        "minimum(maximum(x, min), max)",
        "x_grad = ",
        "0 at a bound",
        "example  gradcli eval",
    ):
        assert words in page


def test_the_example_prints_what_the_page_shows(gradcli: Runner) -> None:
    page = gradcli("ops", "softmax").out
    rest = page.partition("example  gradcli ")[2].replace("\\\n", "")  # as a shell reads it
    command, _, output = rest.partition("\n")
    assert gradcli(*shlex.split(command)).out == output


def test_a_page_as_json(gradcli: Runner) -> None:
    found = gradcli("ops", "matmul", "--json").json
    assert found["derivative"] == ["x_grad = v @ y.T", "y_grad = x.T @ v"]
    assert found["example"]["result"]["grads"]["x"]


def test_an_unknown_name(gradcli: Runner) -> None:
    assert gradcli("ops", "tanhh").code == 3
    assert gradcli("ops", "tanhh", "--json").error["code"] == "name"


def test_a_function_without_derivative_says_why(gradcli: Runner) -> None:
    assert "none: the result holds integers or truth values" in gradcli("ops", "argmax").out
    assert gradcli("ops", "argmax", "--json").json["derivative"] is None
