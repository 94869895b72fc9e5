"""`backward`, `.grad` and `grad(…)` inside programs. Expected numbers are worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError
from gradcli.session import Options
from tests.session.programs import codes, error, grads, run, value

X = "x = tensor([1, 2], requires_grad=True)\n"

# --- backward ------------------------------------------------------------------------------


def test_backward_leaves_grads_at_leaves() -> None:
    assert grads(X + "sum(x**2).backward()") == {"x": [2, 4]}


def test_an_input_is_a_leaf() -> None:
    assert grads("z = x**2; z.backward()", x=3.0) == {"x": 6}


def test_a_literal_is_a_leaf_where_there_is_no_other() -> None:
    assert grads("x = 3; y = x**2; y.backward()") == {"x": 6}
    assert grads("a = 3; y = a*x; y.backward()", x=2.0) == {"x": 3}


@pytest.mark.parametrize(
    "call",
    [
        "z.backward([1, 10])",
        "z.backward(gradient=tensor([1, 10]))",
        "backward(z, [1, 10])",
        "backward([z], [[1, 10]])",
        "torch.autograd.backward([z], grad_tensors=[[1, 10]])",
        "torch.autograd.backward(z, grad_variables=torch.FloatTensor([1, 10]))",
    ],
)
def test_a_gradient_weighs_the_elements(call: str) -> None:
    assert grads(X + f"z = x**2\n{call}") == {"x": [2, 40]}


def test_several_outputs_add_up() -> None:
    assert grads(X + "z = 2*x; w = x**2\nbackward([z, w], [[1, 1], [1, 0]])") == {"x": [4, 2]}
    assert grads(X + "z = sum(x); w = sum(x**2)\nbackward([z, w])") == {"x": [3, 5]}


def test_a_gradient_may_be_computed() -> None:
    assert grads("a = tensor([1, 2, 3], requires_grad=True); z = a*a; z.backward(a)") == {
        "a": [2, 8, 18]
    }


W = "w = tensor(3, requires_grad=True); y = x*w; z = sum(y**2)\n"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("z.backward(inputs=[x])", {"x": [18, 36], "w": 0}),
        ("z.backward(inputs=x)", {"x": [18, 36], "w": 0}),
        ("backward([z], inputs=[w])", {"x": [0, 0], "w": 30}),
        ("z.backward(inputs=[x, w])", {"x": [18, 36], "w": 30}),
        ("z.backward(inputs=[x, x])", {"x": [18, 36], "w": 0}),
        ("z.backward(inputs=[y])", {"x": [0, 0], "w": 0, "y": [6, 12]}),
        ("y.retain_grad(); z.backward(inputs=[x])", {"x": [18, 36], "w": 0, "y": [6, 12]}),
        ("z.backward(inputs=[y]); sum(y).backward()", {"x": [3, 3], "w": 3, "y": [7, 13]}),
    ],
)
def test_inputs_alone_get_grads(call: str, expected: dict[str, object]) -> None:
    assert grads(X + W + call) == expected


def test_inputs_free_what_lies_between() -> None:
    diagnostic = error(X + W + "z.backward(inputs=[x]); z.backward(inputs=[w])").diagnostic
    assert diagnostic.code == "graph-freed"


def test_a_gradient_is_broadcast_with_a_note() -> None:
    result = run("x = tensor([[1, 2], [3, 4]], requires_grad=True); z = x**2; z.backward([1, 0])")
    assert result.grads["x"].tolist() == [[2, 0], [6, 0]]
    assert codes(result) == ["broadcast"]


def test_strict_forbids_broadcasting() -> None:
    with pytest.raises(GradcliError) as caught:
        run("z = x**2; z.backward([1, 0])", Options(strict=True), x=[[1.0, 2.0]])
    assert caught.value.diagnostic.code == "gradient-shape"


def test_one_element_fits_one_element_whatever_the_ranks() -> None:
    assert grads("x = tensor([[3]], requires_grad=True); z = x**2; z.backward([2])") == {
        "x": [[12]]
    }
    assert grads("x = tensor(3, requires_grad=True); z = x**2; z.backward([[2]])") == {"x": 12}


def test_backward_in_a_function() -> None:
    assert grads("def go(y) { y.backward() }\nx = tensor(2, requires_grad=True); go(x**3)") == {
        "x": 12
    }


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("(2*x).backward()", "gradient-required"),
        ("(2*x).backward([1, 2, 3])", "gradient-shape"),
        ("backward([sum(x)], [1, 2])", "gradient-shape"),
        ("(x > 1).backward([1, 1])", "not-differentiable"),
        ("sum(detach(x)).backward()", "no-grad"),
        ("sum(x.data).backward()", "no-grad"),
        ("x.grad.zero_()", "no-grad"),
        ("detach(x).retain_grad()", "no-grad"),
        ("grad(x > 1, x)", "not-differentiable"),
        ("grad(2*x, x)", "gradient-required"),
        ("x.zero_()", "value"),
        ("backward([])", "type"),
        ("sum(x).backward(inputs=[])", "type"),
        ("sum(x).backward(inputs=[detach(x)])", "no-grad"),
        ("y = sum(x); y.requires_grad_(False)", "no-grad"),
        ("sum(x).backward(retain=True)", "name"),
        ("y = sum(x); y.requires_grad = False", "no-grad"),
        ("tensor([1], dtype=int, requires_grad=True)", "no-grad"),
    ],
)
def test_errors_have_a_code_and_a_place(statement: str, code: str) -> None:
    diagnostic = error(X + statement).diagnostic
    assert diagnostic.code == code
    assert diagnostic.source is not None
    assert diagnostic.span is not None
    assert diagnostic.source.locate(diagnostic.span[0])[0] == 2


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("x.relu_()", "torch.no_grad()"),
        ("x.grad + 1", "until a backward has reached"),
        ("bacward(x)", "'backward'"),
    ],
)
def test_hints(statement: str, part: str) -> None:
    assert part in (error(X + statement).diagnostic.hint or "")


def test_gradient_required_says_what_to_write() -> None:
    hint = error(X + "y = 2*x; y.backward()").diagnostic.hint or ""
    for remedy in ("backward([1,1])", "sum(y)", "gradcli jacobian"):
        assert remedy in hint


def test_an_output_of_no_elements_needs_an_empty_gradient() -> None:
    """PyTorch: grad can be implicitly created only for scalar outputs."""
    text = "x = zeros(0, requires_grad=True); y = 2*x; "
    assert error(text + "y.backward()").diagnostic.message == (
        "the output y has shape (0,): with no element it needs a gradient vector v without elements"
    )
    assert grads(text + "y.backward(ones(0))") == {"x": []}


@pytest.mark.parametrize(
    "text",
    [
        "x = tensor(3); x.requires_grad_(); y = x**2; y.backward()",
        "x = tensor(3).requires_grad_(); y = x**2; y.backward()",
        "a = tensor(3); x = a.requires_grad_(True); y = x**2; y.backward()",
        "x = tensor(3).requires_grad_(requires_grad=True); x**2",
    ],
)
def test_requires_grad_in_place(text: str) -> None:
    assert list(grads(text).values()) == [6]


def test_requires_grad_in_place_may_be_taken_back() -> None:
    text = "w = tensor(2, requires_grad=True); x = tensor(3, requires_grad=True)\n"
    assert grads(text + "x.requires_grad_(False); y = w*x**2; y.backward()")["w"] == 9


# --- .grad ---------------------------------------------------------------------------------


def test_grad_is_a_snapshot() -> None:
    text = X + "y = x**2; y.backward([1, 1], retain_graph=True); g = x.grad; y.backward([1, 1]); g"
    assert value(text) == [2, 4]


def test_grad_is_none_before_backward() -> None:
    assert run(X + "print(x.grad); sum(x)").printed == ["None"]


def test_grad_of_an_intermediate_is_none_and_a_note_says_why() -> None:
    result = run(X + "y = 2*x; sum(y).backward(); print(y.grad)")
    assert result.printed == ["None"]
    assert codes(result) == ["not-retained"]
    assert "y.retain_grad()" in result.notes[0].message


def test_retained_intermediates_have_grads() -> None:
    text = X + "y = 2*x; y.retain_grad(); sum(y**2).backward()"
    assert grads(text) == {"x": [8, 16], "y": [4, 8]}
    assert value(text + "; y.grad") == [4, 8]


def test_equal_expressions_are_values_of_their_own() -> None:
    text = X + "w = 2*x; y = 2*x; y.retain_grad(); sum(w + 3*y).backward(); y.grad"
    assert value(text) == [3, 3]


def test_retain_grad_flag_keeps_what_the_programs_backward_finds() -> None:
    result = run(X + "y = 2*x; sum(y**2).backward()", Options(retain_grad=("y",)))
    assert result.grads["y"].tolist() == [4, 8]


def test_grads_accumulate_with_a_note() -> None:
    result = run(X + "y = sum(x**2)\ny.backward(retain_graph=True)\ny.backward()")
    assert result.grads["x"].tolist() == [4, 8]
    assert codes(result) == ["accumulated"]
    assert "line 4" in result.notes[0].message
    assert "line 3" in result.notes[0].message


@pytest.mark.parametrize("zero", ["x.grad.zero_()", "x.grad.data.zero_()", "zero_grad()"])
def test_zeroed_grads_start_again_without_a_note(zero: str) -> None:
    text = X + f"y = sum(x**2); y.backward(retain_graph=True); {zero}; y.backward()"
    result = run(text)
    assert result.grads["x"].tolist() == [2, 4]
    assert not result.notes
    assert value(text + f"; {zero}; x.grad") == [0, 0]


def test_a_leaf_that_no_backward_reached_has_zero_and_a_note() -> None:
    result = run(X + "w = tensor(1, requires_grad=True); sum(x).backward()")
    assert result.grads["w"].tolist() == 0
    assert codes(result) == ["unused"]


def test_eval_makes_no_pass_of_its_own_unless_asked() -> None:
    text = X + "z = sum(x**2); z.backward()"
    assert run(text).passes == []
    asked = run(text, None, 3.0)
    assert asked.grads["x"].tolist() == [6, 12]
    by_output = run(text, Options(outputs=("z",)))
    assert by_output.grads["x"].tolist() == [2, 4]
    assert len(by_output.passes) == 1


def test_backward_and_zero_are_not_the_programs_value() -> None:
    assert list(run(X + "z = sum(x**2); z.backward(); print(z); x.grad.zero_()").outputs) == ["z"]


def test_an_expression_that_is_none_is_no_value() -> None:
    """The values that the program bound before are not what it ends on."""
    y = "x = tensor(2, requires_grad=True); y = x*3; "
    result = run(y + "z = y*y; z.backward(); y.grad")
    assert result.outputs == {}
    assert result.grads["x"].tolist() == 36
    assert codes(result) == ["not-retained"]
    result = run(X + "x.grad")
    assert (result.outputs, result.passes, codes(result)) == ({}, [], ["no-grad"])
    assert list(run(y + "y.grad; y").outputs) == ["y"]


def test_what_has_no_value_has_no_derivative() -> None:
    with pytest.raises(GradcliError, match="ends on no value") as caught:
        run(X + "x.grad", None, [1.0, 1.0])
    assert caught.value.diagnostic.code == "not-differentiable"


# --- leaves --------------------------------------------------------------------------------


def test_requires_grad_makes_a_leaf_of_a_value() -> None:
    text = "x = arange(1, 4); x = x.view(-1, 3)\nx.requires_grad = True\ny = x**2\n"
    assert grads(text + "y.backward(torch.ones((x.size()[0], x.size()[1])))") == {"x": [[2, 4, 6]]}


def test_requires_grad_can_be_read_and_taken_back() -> None:
    result = run(
        X + "y = 2*x; print(x.requires_grad, y.requires_grad, y.data.requires_grad); sum(y)"
    )
    assert result.printed == ["True True False"]
    assert error(X + "x.requires_grad = False\nsum(x).backward()").diagnostic.code == "no-grad"


@pytest.mark.parametrize("make", ["ones(2)", "zeros(2)", "randn(2)", "full((2,), 3)", "arange(2)"])
def test_every_constructor_makes_leaves(make: str) -> None:
    name, _, arguments = make.partition("(")
    text = (
        f"x = torch.{name}({arguments[:-1]}, requires_grad=True, device='cpu'); sum(3*x).backward()"
    )
    assert grads(text) == {"x": [3, 3]}


def test_leaves_in_a_list() -> None:
    text = """
    weights = []
    for i in (2, 5) { weights = append(weights, Variable(FloatTensor([i]), requires_grad=True)) }
    a, b = weights
    (a*b*b).backward()
    """
    assert grads(text) == {"a": [25], "b": [20]}


def test_the_newest_leaf_of_a_name_is_the_one_that_counts() -> None:
    text = X + "sum(x).backward()\nx = tensor(5, requires_grad=True); (x**2).backward()"
    assert grads(text) == {"x": 10}


# --- freed graphs --------------------------------------------------------------------------


def test_a_freed_graph_names_the_line_that_freed_it() -> None:
    caught = error(X + "y = x + 2\nz = sum(y)\nz.backward()\n\nz.backward()").diagnostic
    assert caught.code == "graph-freed"
    assert "line 4" in caught.message
    assert "retain_graph=True" in (caught.hint or "")


def test_a_part_that_was_freed_is_enough() -> None:
    text = X + "y = x + 2\na = sum(y); b = sum(y**2)\na.backward()\nb.backward()"
    assert error(text).diagnostic.code == "graph-freed"


def test_computing_again_makes_a_fresh_graph() -> None:
    text = X + "z = sum((x + 2)**2); z.backward(); z = sum((x + 2)**2); z.backward()"
    assert grads(text) == {"x": [12, 16]}


def test_equal_expressions_are_graphs_of_their_own() -> None:
    assert grads(X + "a = sum(2*x); b = sum(2*x); a.backward(); b.backward()") == {"x": [4, 4]}


def test_retained_graphs_serve_again() -> None:
    text = X + "z = sum(x**2); z.backward(retain_graph=True); z.backward(retain_graph=True)"
    assert grads(text + "; z.backward()") == {"x": [6, 12]}


def test_grad_frees_as_backward_does() -> None:
    text = X + "z = sum(x**2); grad(z, x)\nz.backward()"
    assert error(text).diagnostic.code == "graph-freed"
    assert grads(X + "z = sum(x**2); grad(z, x, retain_graph=True)\nz.backward()") == {"x": [2, 4]}


def test_create_graph_retains() -> None:
    assert grads(X + "z = sum(x**2); grad(z, x, create_graph=True)\nz.backward()") == {"x": [2, 4]}


def test_leaves_are_never_freed() -> None:
    assert grads("x = tensor(1, requires_grad=True); x.backward(); x.backward()") == {"x": 2}


# --- higher orders -------------------------------------------------------------------------


def test_grads_of_grads() -> None:
    text = """
    x = tensor(2, requires_grad=True)
    a = grad(x**4, x, create_graph=True)    # 4x³ = 32
    b = grad(a, x, create_graph=True)       # 12x² = 48
    c = grad(b, x, create_graph=True)       # 24x = 48
    stack([a, b, c, grad(c, x)])            # 24
    """
    assert value(text) == [32, 48, 48, 24]


def test_backward_with_create_graph() -> None:
    text = "x = tensor(2, requires_grad=True); (x**3).backward(create_graph=True); g = x.grad\n"
    assert value(text + "g.requires_grad") is True
    assert grads(text + "x.grad.zero_(); g.backward()") == {"x": 12}


def test_a_grad_without_its_graph_is_a_constant() -> None:
    text = "x = tensor(2, requires_grad=True)\ng = grad(x**3, x)\n"
    for again in ("grad(g, x)", "g.backward()", "(2*g).backward()"):
        caught = error(text + again).diagnostic
        assert caught.code == "no-grad"
        assert "line 2" in caught.message
        assert "create_graph=True" in (caught.hint or "")


def test_a_dot_grad_without_its_graph_is_a_constant() -> None:
    text = "x = tensor(2, requires_grad=True)\n(x**3).backward()\n"
    assert value(text + "x.grad.requires_grad") is False
    caught = error(text + "(2 * x.grad).backward()").diagnostic
    assert caught.code == "no-grad"
    assert "line 2" in caught.message


def test_the_second_derivative_of_something_linear_is_zero() -> None:
    text = X + "g = grad(sum(3*x), x, create_graph=True)\n"
    assert value(text + "grad(sum(g), x)") == [0, 0]
    assert grads(text + "sum(g).backward()") == {"x": [0, 0]}
    assert not run(text + "sum(g).backward()").notes


def test_grad_by_intermediates_and_by_several() -> None:
    assert value(X + "y = 2*x; z = sum(y**2); grad(z, y)") == [4, 8]
    result = run(X + "y = 2*x; z = sum(y**2); a, b = grad(z, [x, y]); a; b", Options())
    assert result.values["a"].tolist() == [8, 16]
    assert result.values["b"].tolist() == [4, 8]


TUTORIAL = "x = tensor([3, 4], requires_grad=True); y = 2*x; z = (y*y).sum()\n"
"""PyTorch's grads: z = 4·x², so 2·y = [12, 16] by y and 8·x = [24, 32] by x."""


@pytest.mark.parametrize("module", ["torch.autograd", "autograd"])
def test_autograd_grad_is_a_tuple_as_in_pytorch(module: str) -> None:
    assert value(TUTORIAL + f"g = {module}.grad(z, y)[0]; g") == [12, 16]
    assert value(TUTORIAL + f"g, = {module}.grad(z, y); g") == [12, 16]
    assert value(TUTORIAL + f"{module}.grad([z], inputs=[x, y])[1]") == [12, 16]
    first = f"{module}.grad(z, x, create_graph=True)[0]"
    assert value(TUTORIAL + f"{module}.grad({first}.sum(), x)[0]") == [8, 8]
    assert value(TUTORIAL + "grad(z, y)[0]") == 12


def test_a_single_grad_has_no_elements() -> None:
    diagnostic = error("x = tensor(3, requires_grad=True); grad(x**2, x)[0]").diagnostic
    assert diagnostic.code == "index"
    assert diagnostic.hint == "a single value has no elements: leave the index out"


def test_grad_by_what_the_output_does_not_depend_on_is_zero() -> None:
    result = run(X + "w = tensor(1, requires_grad=True); g = grad(sum(x), w); print(g); sum(x)")
    assert result.printed == ["tensor(0.)"]
    assert "unused" in codes(result)


def test_grad_changes_no_grad() -> None:
    assert run(X + "grad(sum(x**2), x); print(x.grad); sum(x)").printed == ["None"]


# --- dtypes --------------------------------------------------------------------------------


def test_dtypes_tell_kinds_apart() -> None:
    assert value("tensor([1.5, 0], dtype=torch.long)") == [1, 0]
    assert value("tensor([1.5, 0], dtype=bool)") == [True, False]
    assert value("np.array([1, 0], dtype='float32')") == [1, 0]


def test_another_precision_is_a_note() -> None:
    assert codes(run("x = tensor([1], dtype=torch.float)")) == []
    assert codes(run("x = tensor([1], dtype=torch.float32)")) == ["dtype"]
    assert codes(run("x = tensor([1], dtype=torch.float32)", Options(precision="float32"))) == []


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "uint8", "int16"])
def test_dtypes_that_a_run_does_not_compute_in_are_told(dtype: str) -> None:
    assert "dtype" in codes(run(f"x = tensor([1], dtype=torch.{dtype})"))
    assert "dtype" in codes(run(f"x = [1.5]; y = x.to(torch.{dtype})"))


def test_an_unknown_dtype_is_an_error() -> None:
    assert error("tensor([1], dtype=torch.complex64)").diagnostic.code == "type"


@pytest.mark.parametrize(
    "call",
    [
        *("floor(x)", "ceil(x)", "round(x)", "trunc(x)", "fix(x)", "sign(x)", "x.floor() + 1"),
        *("round(x, decimals=1)", "clamp(x, 5, 6)", "x - x", "x**0", "threshold(x, 99, 0)"),
        *(
            "floor(x)*detach(x)",
            "max(floor(x))",
            "cumsum(floor(x), 0)",
            "x[:0]",
            "where(x < 0, x, 1)",
        ),
    ],
)
def test_a_derivative_of_0_everywhere_leaves_zeros(call: str) -> None:
    """As in PyTorch, where x.grad is None only if no backward has reached x."""
    found = run(f"sum({call}).backward(); x.grad", x=np.array([0.3, 1.6]))
    assert found.values["out"].tolist() == [0, 0]
    assert not codes(found)


@pytest.mark.parametrize("call", ["detach(x)", "float(x > 0)", "ones_like(x)", "argmax(x)*1.0"])
def test_what_has_no_gradient_is_an_error(call: str) -> None:
    assert error(f"sum({call}).backward()", x=np.array([0.3, 1.6])).diagnostic.code == "no-grad"


@pytest.mark.parametrize(
    "call", ["w.float()", "w.double()", "w.type_as(w)", "w.to(torch.float64)", "full((2,), w[0])"]
)
def test_what_a_function_passes_on_keeps_its_gradient_where_something_changes(call: str) -> None:
    """`w.grad.zero_()` keeps equal tensors apart; it does not cut what gradients flow through."""
    lines = ["w = tensor([1.0, 2], requires_grad=True)", "e = torch.exp(w)", f"y = {call}"]
    run("\n".join([*lines, "y.sum().backward()", "w.grad.zero_()"]))
    with_more = [*lines, "y.sum().backward()", "g = w.grad * 1", "w.grad.zero_()"]
    assert value("\n".join([*with_more, "g.sum()"])) == 2
