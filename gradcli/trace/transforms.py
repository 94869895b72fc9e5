"""Derivatives of functions of the program: `torch.func` and `torch.autograd.functional`.

A function is called on inputs that stand for the given ones, each a node of its own, and its result
is differentiated by these: so derivatives of derivatives need nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import LEAF, bind, detach, leaf
from gradcli.ops.joining import stack
from gradcli.ops.kinds import cast, zeros_like
from gradcli.ops.shapes import show
from gradcli.trace import transform_errors as errors
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.mapping import Mapping, Transform, Visitor
from gradcli.trace.objects import Given, Object
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.trees import changed, filled, is_tree, tensors
from gradcli.trace.values import Value, describe
from gradcli.walks import dependents, upstream

_VJP_RETURNS = (
    "vjp(f, *primals): expected f(*primals) to return only tensors, got unsupported type "
)
_RETURNS = "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got "
Run = Callable[[Value, Value, Value], Value]
"""Finds derivatives of a function's value, by what stands for its arguments; the third one is all
that the function has returned.
"""


class Transforms:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = values = autograd.values
        self.graph = values.graph
        mapping = Mapping(values)
        of_function: dict[str, Callable[[list[Value], Given], Any]] = {
            "grad": partial(self._of_function, self._grad),
            "grad_and_value": partial(self._of_function, self._grad_and_value),
            "jacrev": partial(self._of_function, self._jacobian),
            "jacfwd": partial(self._of_function, self._jacobian),
            "hessian": partial(self._of_function, self._hessian_of_any),
            "jvp": partial(self._product, self._pushed, "primals", "tangents"),
            "vjp": self._func_vjp,
            "linearize": self._linearize,
        }
        functional = {
            "jacobian": partial(self._functional, self._jacobian),
            "hessian": partial(self._functional, self._hessian),
            "jvp": partial(self._functional_product, self._pushed),
            "vjp": partial(self._functional_product, self._pulled),
            "hvp": partial(self._functional_product, self._hessian_product),
            "vhp": partial(self._functional_product, self._hessian_product),
        }
        self.functions: dict[str, Callable[[list[Value], Given], Any]] = {
            **{f"torch.func.{name}": make for name, make in of_function.items()},
            "torch.func.vmap": mapping.vmap,
            "torch.vmap": mapping.vmap,
            **{f"torch.autograd.functional.{name}": run for name, run in functional.items()},
        }

    # --- torch.func ---

    def _of_function(self, run: Run, arguments: list[Value], keywords: Given) -> Value:
        """`grad(f, argnums)`."""
        names = ("func", "argnums", "has_aux", "randomness", "chunk_size")
        given = bind_names("this", names, arguments, keywords, names[1:])
        function = self._callable(given["func"])
        wanted = given.get("argnums")
        places = (0,) if wanted is None else self.values.integers(wanted, "argnums")
        single = not isinstance(wanted, tuple | Items)
        has_aux = self._has_aux(given)

        def visit(inputs: list[Value], named: Given) -> Visitor:
            for place in places:
                if not -len(inputs) <= place < len(inputs):
                    raise errors.no_argument(place, len(inputs))
                self._check_floats(inputs[place])
            whole, chosen = yield self._traced(function, inputs, named, places)
            result, aux = self._parted(whole, has_aux)
            found = run(result, chosen[0] if single else tuple(chosen), whole)
            if not self.autograd.records():
                found = changed(self.values, found, _cut)
            return (found, aux) if has_aux and run != self._grad_and_value else found

        return Transform(visit)

    def _has_aux(self, given: dict[str, Value]) -> bool:
        return "has_aux" in given and self.values.truth(given["has_aux"])

    def _parted(self, whole: Value, has_aux: bool) -> tuple[Value, Value]:
        """What is differentiated of a function's value, and what it returns besides."""
        if not has_aux:
            return whole, None
        if not isinstance(whole, tuple) or len(whole) != 2:
            raise GradcliError("type", "with has_aux=True a function returns (value, aux)")
        return whole[0], whole[1]

    def _callable(self, value: Value) -> Object:
        if not isinstance(value, Object):
            raise GradcliError(
                "type",
                f"a function is differentiated here, not {describe(value)}",
                hint="write def f(x): …, or lambda x: …, and name the function without ( )",
            )
        return value

    def _traced(
        self,
        function: Object,
        arguments: Sequence[Value],
        named: Given,
        places: Sequence[int],
        *,
        marked: bool = False,
    ) -> Visitor:
        """The result of a call, and what stands for its arguments at these places: `marked` ones
        require grad. What the call computes is recorded, under `no_grad` too.
        """

        def argument(given: Value) -> Node:
            kind = PrintedNumbers(self.values).class_of(given)
            if kind:
                raise errors.not_transformed(kind)
            node = cast(self.values.tensor(given, "an argument"), "float")
            return leaf(node, marked=True) if marked and not _is_followed(node) else bind(node)

        inputs = list(arguments)
        for place in places:
            inputs[place] = changed(self.values, inputs[place], argument)
        chosen = [inputs[place] for place in places]
        records = self.autograd.records()
        self.autograd.set_records(True)
        self.autograd.followed += 1
        try:
            result = yield function.call(inputs, named)
        finally:
            self.autograd.followed -= 1
            self.autograd.set_records(records)
        return result, chosen

    def _nodes(self, tree: Value, what: str) -> list[Node]:
        return [self.values.tensor(each, what) for each in tensors(self.values, tree)]

    def _single(self, result: Value) -> Node:
        node = self.values.tensor(result, "the function's value")
        if node.size != 1:
            raise GradcliError(
                "gradient-required",
                f"the function's value has {show(node.shape)}: a gradient is of a single value",
                hint="let it return a sum, or use jacrev or jacobian",
            )
        return node

    def _only(self, result: Value, name: str) -> Node:
        """The same for a function of `torch.autograd.functional`."""
        node = self.values.tensor(result, "the function's value")
        if self.values.is_pytorch and node.size != 1:
            raise errors.not_single(name, node)
        return self._single(result)

    def _grad(self, result: Value, inputs: Value, _: Value) -> Value:
        """The gradient by each tensor in the arguments, in the form of these."""
        if errors.is_no_tensor(self.values, result):
            raise errors.no_tensor(self.values, result, _RETURNS)
        if self.values.is_pytorch and self.values.tensor(result).shape:
            raise errors.not_scalar(self.values.tensor(result))
        grads = self._pulled_back(self._single(result), self._nodes(inputs, "an argument"), None)
        return filled(self.values, inputs, grads)

    def _check_floats(self, tree: Value) -> None:
        """Raise `type` for a derivative by integers, which PyTorch has not."""
        for each in tensors(self.values, tree) if self.values.is_pytorch else ():
            if isinstance(each, Node) and each.kind != "float" and self.values.is_tensor(each):
                raise errors.no_integer()

    def _grad_and_value(self, result: Value, inputs: Value, whole: Value) -> Value:
        return self._grad(result, inputs, whole), whole

    def _pulled_back(
        self, output: Node, inputs: Sequence[Node], cotangent: Node | None
    ) -> tuple[Node, ...]:
        seed = self.graph.constant(1.0) if cotangent is None else cotangent
        return self._all_pulled_back([output], inputs, [seed])

    def _all_pulled_back(
        self, outputs: Sequence[Node], inputs: Sequence[Node], cotangents: Sequence[Node]
    ) -> tuple[Node, ...]:
        first = self.graph.count
        found = vjp(list(outputs), list(cotangents), list(inputs))
        if self.values.is_pytorch and any(map(self.autograd.requires_grad, outputs)):
            found = self._followed(outputs, inputs, found)
        pairs = zip(found, inputs, strict=True)
        return tuple(
            self.autograd.in_dtype_of(
                node,
                zeros_like(node) if grad is None else self.autograd.as_derivative(grad, first),
            )
            for grad, node in pairs
        )

    def _followed(
        self, outputs: Sequence[Node], inputs: Sequence[Node], grads: Sequence[Node | None]
    ) -> list[Node | None]:
        """Gradients as PyTorch has them, where what they come from requires grad."""
        from gradcli.trace.lowest_powers import followed

        oldest = min((node.index for node in inputs), default=0)
        order = upstream(outputs, oldest)
        requires_grad, name = self.autograd.requires_grad, self.autograd.node_name
        return [
            grad
            if grad is None or requires_grad(grad)
            else followed(self.values, name, grad, dependents(order, [node]))
            for node, grad in zip(inputs, grads, strict=True)
        ]

    def _jacobian(self, result: Value, inputs: Value, _: Value) -> Value:
        """For each tensor of the value, and in it for each of the arguments: the axes of the one,
        then those of the other.
        """
        nodes = self._nodes(inputs, "an argument")

        if isinstance(result, Node) and errors.is_no_tensor(self.values, result):
            raise errors.no_tensor(self.values, result, _VJP_RETURNS)

        def of_output(output: Value) -> Value:
            node = self.values.tensor(output, "the function's value")
            if node.kind != "float" and self.values.is_pytorch:
                raise errors.of_no_floats(self.values.array_dtype(node))
            return filled(self.values, inputs, self._matrices(node, nodes))

        return changed(self.values, result, of_output)

    def _matrices(self, output: Node, inputs: Sequence[Node]) -> tuple[Node, ...]:
        self.graph.check_room(output.size * (len(inputs) + 1))
        one = FUNCTIONS["eye"].build(self.graph, output.size)
        rows = [
            self._pulled_back(output, inputs, FUNCTIONS["reshape"].build(one_row, output.shape))
            for one_row in self.values.rows(one)
        ]
        shape = output.shape
        return tuple(
            FUNCTIONS["reshape"].build(stack(list(column)), (*shape, *node.shape))
            for column, node in zip(zip(*rows, strict=True), inputs, strict=True)
        )

    def _hessian(self, result: Value, inputs: Value, _: Value) -> Value:
        """For each tensor in the arguments, the Jacobian of its gradient by each of them."""
        nodes = self._nodes(inputs, "an argument")
        grads = self._pulled_back(self._only(result, "hessian"), nodes, None)
        rows = [filled(self.values, inputs, self._matrices(grad, nodes)) for grad in grads]
        return filled(self.values, inputs, rows)

    def _hessian_of_any(self, result: Value, inputs: Value, _: Value) -> Value:
        """The same of each element of the value, whose axes come first."""
        nodes = self._nodes(inputs, "an argument")

        def of_output(output: Value) -> Value:
            node = self.values.tensor(output, "the function's value")
            if node.kind != "float" and self.values.is_pytorch:
                raise errors.of_no_floats(self.values.array_dtype(node))
            rows = [
                filled(self.values, inputs, self._matrices(each, nodes))
                for each in self._matrices(node, nodes)
            ]
            return filled(self.values, inputs, rows)

        return changed(self.values, result, of_output)

    def _func_vjp(self, arguments: list[Value], keywords: Given) -> Visitor:
        """The function's value, and the function that takes a gradient of it back."""
        function = self._callable(arguments[0] if arguments else None)
        has_aux = self._has_aux(keywords)
        inputs = tuple(arguments[1:])
        whole, chosen = yield self._traced(function, inputs, {}, range(len(inputs)))
        result, aux = self._parted(whole, has_aux)
        outputs = self._nodes(result, "the function's value")
        nodes = self._nodes(tuple(chosen), "an argument")

        def back(given: list[Value], _: Given) -> Value:
            vectors = self._vectors(given[0] if len(given) == 1 else tuple(given), outputs)
            grads = self._all_pulled_back(outputs, nodes, vectors)
            return filled(self.values, inputs, grads)

        return (result, Transform(back), aux) if has_aux else (result, Transform(back))

    def _linearize(self, arguments: list[Value], keywords: Given) -> Visitor:
        """The function's value, and the function that pushes tangents forward to it."""
        function = self._callable(arguments[0] if arguments else None)
        inputs = arguments[1:]
        result, chosen = yield self._traced(function, inputs, keywords, range(len(inputs)))

        def push(tangents: list[Value], _: Given) -> Value:
            return self._pushed(result, tuple(chosen), tuple(tangents))

        return result, Transform(push)

    def _vectors(self, value: Value, like: Sequence[Node]) -> list[Node]:
        """A vector for each of these. Raises `type`, `gradient-shape`."""
        found = self._nodes(value, "a vector")
        if len(found) != len(like):
            raise GradcliError("type", f"{len(found)} vectors are given for {len(like)} tensors")
        return [_fitted(each, node) for each, node in zip(found, like, strict=True)]

    # --- torch.autograd.functional, and products ---

    def _functional(self, run: Run, arguments: list[Value], keywords: Given) -> Visitor:
        names = ("func", "inputs", "create_graph", "strict", "vectorize", "strategy",
                 "outer_jacobian_strategy")  # fmt: skip
        given = bind_names("this", names, arguments, keywords, names[2:])
        create = "create_graph" in given and self.values.truth(given["create_graph"])
        result, chosen = yield self._called(given["func"], given["inputs"], marked=create)
        name = "hessian" if run == self._hessian else "jacobian"
        if isinstance(result, Node) and errors.is_no_tensor(self.values, result):
            raise errors.no_tensor(self.values, result, errors.OUTPUTS.format(name), ".")
        if name == "jacobian" and "strict" in given and self.values.truth(given["strict"]):
            self._check_strict(result, chosen)
        found = run(result, chosen, result)
        return self._with_graph(found) if create else changed(self.values, found, _cut)

    def _check_strict(self, result: Value, inputs: Value) -> None:
        """Raise `no-grad` where an output does not depend on each of the inputs."""
        nodes = self._nodes(inputs, "an argument")
        for place, output in enumerate(self._nodes(result, "the function's value")):
            grads = vjp([output], [FUNCTIONS["ones_like"].build(output)], list(nodes))
            missing = [i for i, each in enumerate(grads) if each is None]
            said = f"Output {place} of the user-provided function "
            if missing and len(missing) == len(nodes):
                said += "does not require gradients. The outputs must be computed in a "
                said += "differentiable manner from the input when running in strict mode."
            elif missing:
                said += f"is independent of input {missing[0]}. This is not allowed in strict mode."
            else:
                continue
            told = "strict=True: an output does not depend on each of the inputs"
            raise RefusedError(("RuntimeError", said), "no-grad", told)

    def _with_graph(self, found: Value) -> Value:
        """What `create_graph` asked for, which keeps its graph under `no_grad`, too."""
        self.autograd.kept_graphs.update(self._nodes(found, "a derivative"))
        return found

    def _called(self, function: Value, given: Value, *, marked: bool = False) -> Visitor:
        """The value of a function of one or several inputs, and what stands for these."""
        several = is_tree(self.values, given) and not isinstance(given, Dictionary)
        inputs = self.values.elements(given) if several else [given]
        whole = self._callable(function)
        found = yield self._traced(whole, inputs, {}, range(len(inputs)), marked=marked)
        result, chosen = found
        return result, tuple(chosen) if several else chosen[0]

    def _functional_product(self, run: Run, arguments: list[Value], keywords: Given) -> Visitor:
        """A product whose parts are constants, unless `create_graph` asks for their graph."""
        names = ("func", "inputs", "v", "create_graph", "strict")
        given = bind_names("this", names, arguments, keywords, names[2:])
        found = yield self._product(run, "inputs", "v", arguments, keywords)
        create = "create_graph" in given and self.values.truth(given["create_graph"])
        return self._with_graph(found) if create else changed(self.values, found, _cut)

    def _product(
        self,
        run: Run,
        first: str,
        second: str,
        arguments: list[Value],
        keywords: Given,
    ) -> Visitor:
        """The function's value, and a product of its derivative with vectors."""
        names = ("func", first, second, "create_graph", "strict", "has_aux")
        given = bind_names("this", names, arguments, keywords, names[2:])
        is_of_func = first == "primals"
        if is_of_func and self.values.is_pytorch and isinstance(given[first], Node):
            raise errors.no_tuple()
        marked = "create_graph" in given and self.values.truth(given["create_graph"])
        whole, inputs = yield self._called(given["func"], given[first], marked=marked)
        has_aux = self._has_aux(given)
        result, aux = self._parted(whole, has_aux)
        product = run(result, inputs, given.get(second))
        if is_of_func and self.values.is_pytorch:
            result = changed(self.values, result, self._aliased)
        return (result, product, aux) if has_aux else (result, product)

    def _aliased(self, value: Value) -> Node:
        """A part of a function's value as another tensor."""
        node = self.values.tensor(value)
        return self.autograd.another(node, "alias", (node,), {})

    def _pushed(self, result: Value, inputs: Value, tangents: Value) -> Value:
        if tangents is None:
            raise GradcliError("type", "jvp needs a tangent for each input")
        nodes, outputs = (self._nodes(each, "an argument") for each in (inputs, result))
        found = jvp(outputs, nodes, self._vectors(tangents, nodes))
        pairs = zip(found, outputs, strict=True)
        changes = [zeros_like(node) if each is None else each for each, node in pairs]
        return filled(self.values, result, changes)

    def _pulled(self, result: Value, inputs: Value, vectors: Value) -> Value:
        outputs = self._nodes(result, "the function's value")
        if vectors is None:
            self._only(result, "vjp")
            seeds = [self.graph.constant(1.0)]
        else:
            seeds = self._vectors(vectors, outputs)
        grads = self._all_pulled_back(outputs, self._nodes(inputs, "an argument"), seeds)
        return filled(self.values, inputs, grads)

    def _hessian_product(self, result: Value, inputs: Value, vectors: Value) -> Value:
        if vectors is None:
            raise GradcliError("type", "a product needs a vector for each input")
        nodes = self._nodes(inputs, "an argument")
        grads = self._pulled_back(self._only(result, "hvp"), nodes, None)
        found = self._all_pulled_back(grads, nodes, self._vectors(vectors, nodes))
        return filled(self.values, inputs, found)


def _is_followed(node: Node) -> bool:
    """Whether gradients flow back from it to a leaf that requires grad."""
    return any(each.op is LEAF and each.attributes[0] for each in upstream([node]))


def _cut(value: Value) -> Value:
    """A tensor as a constant, as without `create_graph`."""
    return detach(value) if isinstance(value, Node) and value.kind == "float" else value


def _fitted(vector: Node, like: Node) -> Node:
    if vector.shape != like.shape:
        sizes = [f"torch.Size({[*each.shape]})" for each in (like, vector)]
        raise RefusedError(
            ("RuntimeError", f"v has invalid size: should be {sizes[0]} but got {sizes[1]}."),
            "gradient-shape",
            f"a vector of {show(vector.shape)} does not fit {show(like.shape)}",
            hint="it has the shape of what it belongs to",
        )
    return cast(vector, "float")
