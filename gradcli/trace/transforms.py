"""Derivatives of functions of the program: `torch.func` and `torch.autograd.functional`.

A function is called on inputs that stand for the given ones, each a node of its own, and its result
is differentiated by these: so derivatives of derivatives need nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import bind, detach
from gradcli.ops.joining import stack
from gradcli.ops.kinds import cast, zeros_like
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value, Values, describe

Visitor = Any
"""A generator that yields calls, and is sent their values."""


class Transform(Object):
    """`grad(f)`: a function that is called as f is."""

    what = "a function"

    def __init__(self, run: Callable[[list[Value], Given], Visitor]) -> None:
        self._run = run

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        return self._run(arguments, keywords)


class Transforms:
    """The functions by name."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.graph = values.graph
        of_function: dict[str, Callable[[list[Value], Given], Any]] = {
            "grad": partial(self._of_function, self._grad),
            "grad_and_value": partial(self._of_function, self._grad_and_value),
            "jacrev": partial(self._of_function, self._jacobian),
            "jacfwd": partial(self._of_function, self._jacobian),
            "hessian": partial(self._of_function, self._hessian_of_any),
            "vmap": self._vmap,
            "jvp": partial(self._product, self._pushed, "primals", "tangents"),
            "vjp": self._func_vjp,
        }
        functional = {
            "jacobian": partial(self._functional, self._jacobian),
            "hessian": partial(self._functional, self._hessian),
            "jvp": partial(self._product, self._pushed, "inputs", "v"),
            "vjp": partial(self._product, self._pulled, "inputs", "v"),
            "hvp": partial(self._product, self._hessian_product, "inputs", "v"),
            "vhp": partial(self._product, self._hessian_product, "inputs", "v"),
        }
        self.functions: dict[str, Callable[[list[Value], Given], Any]] = {
            **{f"torch.func.{name}": make for name, make in of_function.items()},
            "torch.vmap": self._vmap,
            **{f"torch.autograd.functional.{name}": run for name, run in functional.items()},
        }

    # --- torch.func ---

    def _of_function(
        self,
        run: Callable[[Object, list[Value], Given, Sequence[int]], Visitor],
        arguments: list[Value],
        keywords: Given,
    ) -> Value:
        """`grad(f, argnums)`."""
        names = ("func", "argnums", "has_aux")
        given = bind_names("this", names, arguments, keywords, names[1:])
        function = self._callable(given["func"])
        wanted = given.get("argnums")
        places = (0,) if wanted is None else self.values.integers(wanted, "argnums")
        single = not isinstance(wanted, tuple | Items)

        def visit(inputs: list[Value], named: Given) -> Visitor:
            for place in places:
                if not -len(inputs) <= place < len(inputs):
                    raise GradcliError(
                        "index", f"argnums is {place}, and there are {len(inputs)} arguments"
                    )
            found = yield run(function, inputs, named, places)
            return _first(found) if single else found

        return Transform(visit)

    def _callable(self, value: Value) -> Object:
        if not isinstance(value, Object):
            raise GradcliError(
                "type",
                f"a function is differentiated here, not {describe(value)}",
                hint="write def f(x): …, or lambda x: …, and name the function without ( )",
            )
        return value

    def _traced(
        self, function: Object, arguments: Sequence[Value], named: Given, places: Sequence[int]
    ) -> Visitor:
        """The result of a call, and the nodes that stand for its arguments at these places."""
        result, chosen = yield self._traced_trees(function, arguments, named, places)
        return result, [self.values.tensor(each, "an argument") for each in chosen]

    def _traced_trees(
        self, function: Object, arguments: Sequence[Value], named: Given, places: Sequence[int]
    ) -> Visitor:
        """The same where arguments may be dictionaries and tuples of tensors."""
        inputs = list(arguments)
        for place in places:
            inputs[place] = self._each_of(
                inputs[place], lambda node: bind(cast(self.values.tensor(node), "float"))
            )
        chosen = [inputs[place] for place in places]
        result = yield function.call(inputs, named)
        return result, chosen

    def _each_of(self, value: Value, change: Callable[[Value], Value]) -> Value:
        """A value with its tensors changed; of dictionaries and tuples each one in them."""
        if isinstance(value, Dictionary):
            return Dictionary(self.values, [(key, change(each)) for key, each in value.pairs()])
        if isinstance(value, tuple):
            return tuple(map(change, value))
        if isinstance(value, Items) and not any(isinstance(each, Items) for each in value):
            return Items(list(map(change, value)))
        return change(value)

    def _single(self, result: Value) -> Node:
        node = self.values.tensor(result, "the function's value")
        if node.size != 1:
            raise GradcliError(
                "gradient-required",
                f"the function's value has {show(node.shape)}: a gradient is of a single value",
                hint="let it return a sum, or use jacrev or jacobian",
            )
        return node

    def _grad(
        self, function: Object, arguments: list[Value], named: Given, places: Sequence[int]
    ) -> Visitor:
        result, inputs = yield self._traced_trees(function, arguments, named, places)
        return self._gradients(result, inputs)

    def _gradients(self, result: Value, inputs: list[Value]) -> tuple[Value, ...]:
        """The gradient of a result by each tensor in the arguments, in the form of these."""
        nodes: list[Node] = []
        for each in inputs:
            self._each_of(each, lambda node: nodes.append(self.values.tensor(node)))
        grads = iter(self._pulled_back(self._single(result), nodes, None))
        return tuple(self._each_of(each, lambda _: next(grads)) for each in inputs)

    def _grad_and_value(
        self, function: Object, arguments: list[Value], named: Given, places: Sequence[int]
    ) -> Visitor:
        result, inputs = yield self._traced_trees(function, arguments, named, places)
        grads = self._gradients(result, inputs)
        return ((grads[0] if len(grads) == 1 else grads, result),)

    def _pulled_back(
        self, output: Node, inputs: Sequence[Node], cotangent: Node | None
    ) -> tuple[Node, ...]:
        seed = self.graph.constant(1.0) if cotangent is None else cotangent
        found = vjp([output], [seed], list(inputs))
        pairs = zip(found, inputs, strict=True)
        return tuple(zeros_like(node) if grad is None else grad for grad, node in pairs)

    def _jacobian(
        self, function: Object, arguments: list[Value], named: Given, places: Sequence[int]
    ) -> Visitor:
        """A matrix for each argument: the axes of the value, then those of the argument."""
        result, inputs = yield self._traced(function, arguments, named, places)
        if isinstance(result, tuple):
            return tuple(self._matrices(self.values.tensor(each), inputs) for each in result)
        return self._matrices(self.values.tensor(result, "the function's value"), inputs)

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

    def _hessian(
        self, function: Object, arguments: list[Value], named: Given, places: Sequence[int]
    ) -> Visitor:
        """For each argument, the Jacobian of its gradient by each argument."""
        result, inputs = yield self._traced(function, arguments, named, places)
        grads = self._pulled_back(self._single(result), inputs, None)
        rows = tuple(self._matrices(grad, inputs) for grad in grads)
        return (rows[0][0],) if len(rows) == 1 else rows

    def _hessian_of_any(
        self, function: Object, arguments: list[Value], named: Given, places: Sequence[int]
    ) -> Visitor:
        """The same of each element of the value, whose axes come first."""
        result, inputs = yield self._traced(function, arguments, named, places)
        output = self.values.tensor(result, "the function's value")
        rows = tuple(self._matrices(each, inputs) for each in self._matrices(output, inputs))
        return (rows[0][0],) if len(rows) == 1 else rows

    def _vmap(self, arguments: list[Value], keywords: Given) -> Value:
        """A function of rows, called for each."""
        names = ("func", "in_dims", "out_dims", "randomness", "chunk_size")
        given = bind_names("vmap", names, arguments, keywords, names[1:])
        function = self._callable(given["func"])
        dims = given.get("in_dims", self.graph.constant(0.0))
        out = self.values.integer(given["out_dims"], "out_dims") if "out_dims" in given else 0

        def visit(inputs: list[Value], named: Given) -> Visitor:
            several = isinstance(dims, tuple | Items)
            wanted = self.values.elements(dims) if several else [dims] * len(inputs)
            if len(wanted) != len(inputs):
                raise GradcliError(
                    "value", f"in_dims is for {len(wanted)} arguments; {len(inputs)} are given"
                )
            columns = [
                None if dim is None else self._rows(each, self.values.integer(dim, "in_dims"))
                for each, dim in zip(inputs, wanted, strict=True)
            ]
            columns = [None if column == [] else column for column in columns]
            counts = {len(column) for column in columns if column is not None}
            if len(counts) != 1:
                raise GradcliError(
                    "shape", "vmap needs arguments with one number of rows",
                    hint="in_dims=(0, None) takes the second as it is",
                )  # fmt: skip
            results = []
            for number in range(counts.pop()):
                row = [
                    whole if column is None else column[number]
                    for column, whole in zip(columns, inputs, strict=True)
                ]
                results.append((yield function.call(row, named)))
            return self._stacked(results, out)

        return Transform(visit)

    def _rows(self, value: Value, dim: int) -> list[Any]:
        if isinstance(value, Dictionary):
            rows = [self._rows(each, dim) for _, each in value.pairs()]
            keys = [key for key, _ in value.pairs()]
            return [Dictionary(self.values, list(zip(keys, row, strict=True)))
                    for row in zip(*rows, strict=True)]  # fmt: skip
        node = self.values.tensor(value, "an argument of vmap")
        return self.values.rows(FUNCTIONS["movedim"].build(node, (dim,), (0,)) if dim else node)

    def _stacked(self, results: list[Value], dim: int) -> Value:
        if results and isinstance(results[0], tuple):
            columns = zip(*results, strict=True)
            return tuple(self._stacked(list(column), dim) for column in columns)
        if results and isinstance(results[0], Dictionary):
            found = [each.pairs() for each in results if isinstance(each, Dictionary)]
            pairs = [(key, self._stacked([row[place][1] for row in found], dim))
                     for place, (key, _) in enumerate(found[0])]  # fmt: skip
            return Dictionary(self.values, pairs)
        return stack([self.values.tensor(each, "a value") for each in results], dim)

    def _func_vjp(self, arguments: list[Value], keywords: Given) -> Visitor:
        """The function's value, and the function that takes a gradient of it back."""
        function = self._callable(arguments[0] if arguments else None)
        inputs = arguments[1:]
        result, nodes = yield self._traced(function, inputs, keywords, range(len(inputs)))
        output = self.values.tensor(result, "the function's value")

        def back(given: list[Value], _: Given) -> Value:
            gradient = self.values.tensor(given[0] if given else None, "a gradient")
            return self._pulled_back(output, nodes, _fitted(gradient, output))

        return output, Transform(back)

    # --- torch.autograd.functional, and products ---

    def _functional(
        self,
        run: Callable[[Object, list[Value], Given, Sequence[int]], Visitor],
        arguments: list[Value],
        keywords: Given,
    ) -> Visitor:
        names = ("func", "inputs", "create_graph", "strict", "vectorize", "strategy")
        given = bind_names("this", names, arguments, keywords, names[2:])
        function = self._callable(given["func"])
        listed = isinstance(given["inputs"], tuple | Items)
        inputs = self.values.elements(given["inputs"]) if listed else [given["inputs"]]
        found = yield run(function, inputs, {}, range(len(inputs)))
        create = "create_graph" in given and self.values.truth(given["create_graph"])
        whole = found if listed else _first(found)
        return whole if create else _cut(whole)

    def _product(
        self,
        run: Callable[[Node, list[Node], list[Node] | None], Value],
        first: str,
        second: str,
        arguments: list[Value],
        keywords: Given,
    ) -> Visitor:
        """The function's value, and a product of its derivative with vectors."""
        names = ("func", first, second, "create_graph", "strict")
        given = bind_names("this", names, arguments, keywords, names[2:])
        function = self._callable(given["func"])
        listed = isinstance(given[first], tuple | Items)
        inputs = self.values.elements(given[first]) if listed else [given[first]]
        result, nodes = yield self._traced(function, inputs, {}, range(len(inputs)))
        output = self.values.tensor(result, "the function's value")
        vectors = given.get(second)
        several = isinstance(vectors, tuple | Items)
        parts = self.values.elements(vectors) if several else [vectors]
        known = None if vectors is None else [self.values.tensor(each, second) for each in parts]
        found = run(output, nodes, known)
        product = found if listed or not isinstance(found, tuple) else _first(found)
        return output, product

    def _pushed(self, output: Node, inputs: list[Node], tangents: list[Node] | None) -> Value:
        if tangents is None or len(tangents) != len(inputs):
            raise GradcliError("type", "jvp needs a tangent for each input")
        pairs = [_fitted(t, node) for t, node in zip(tangents, inputs, strict=True)]
        (found,) = jvp([output], inputs, pairs)
        return zeros_like(output) if found is None else found

    def _pulled(self, output: Node, inputs: list[Node], vectors: list[Node] | None) -> Value:
        cotangent = None if vectors is None else _fitted(vectors[0], output)
        if cotangent is None:
            self._single(output)
        return self._pulled_back(output, inputs, cotangent)

    def _hessian_product(
        self, output: Node, inputs: list[Node], vectors: list[Node] | None
    ) -> Value:
        if vectors is None or len(vectors) != len(inputs):
            raise GradcliError("type", "a product needs a vector for each input")
        grads = self._pulled_back(self._single(output), inputs, None)
        seeds = [_fitted(v, node) for v, node in zip(vectors, inputs, strict=True)]
        found = vjp(list(grads), seeds, list(inputs))
        pairs = zip(found, inputs, strict=True)
        return tuple(zeros_like(node) if each is None else each for each, node in pairs)


def _first(found: Value) -> Value:
    """The only one of several results; of each value where the function has several."""
    if isinstance(found, tuple) and found and isinstance(found[0], tuple) and len(found) > 1:
        return tuple(each[0] for each in found)
    return found[0] if isinstance(found, tuple) else found


def _cut(value: Value) -> Value:
    """The value as a constant, as without `create_graph`."""
    if isinstance(value, tuple):
        return tuple(_cut(each) for each in value)
    return detach(value) if isinstance(value, Node) and value.kind == "float" else value


def _fitted(vector: Node, like: Node) -> Node:
    if vector.shape != like.shape:
        raise GradcliError(
            "gradient-shape",
            f"a vector of {show(vector.shape)} does not fit {show(like.shape)}",
            hint="it has the shape of what it belongs to",
        )
    return cast(vector, "float")
