"""`backward`, `grad`, `zero_grad` and `retain_grad` as programs call them."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.callee import AUTOGRAD_GRAD
from gradcli.trace.items import Items
from gradcli.trace.objects import HookHandle, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, describe

UNFOLLOWED_INPUT = "One of the differentiated Tensors does not require grad"
"""PyTorch's words."""
AFTER_LEAVES = "post accumulate grad hooks cannot be registered on non-leaf tensors"
UNUSED_INPUT = "the outputs do not depend on the input at index"


class AutogradCalls:
    """The functions and methods by name, with PyTorch's parameters."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.functions: dict[str, Special] = {
            "backward": self._backward_function,
            "grad": self._grad_function,
            AUTOGRAD_GRAD: self._autograd_grad,
            "zero_grad": self._zero_grad,
            "torch.autograd.graph.register_multi_grad_hook": self._register_together,
        }
        self.methods: dict[str, Special] = {
            "backward": self._backward_method,
            "retain_grad": self._retain_grad,
            "requires_grad_": self._requires_grad,
            "register_hook": self._register_hook,
            "register_post_accumulate_grad_hook": self._register_after,
        }

    def _register_hook(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("register_hook", ("self", "hook"), arguments, keywords)
        hook, node = given["hook"], self.values.tensor(given["self"])
        if not isinstance(hook, Object):
            raise GradcliError("type", "a hook is a function", hint="lambda grad: grad * 2")
        self.autograd.add_hook(node, hook)
        hooks = self.autograd.hooks[node]
        return HookHandle(lambda: hooks.remove(hook) if hook in hooks else None)

    def _register_after(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A function that is called with a leaf when backward has added to its grad."""
        name = "register_post_accumulate_grad_hook"
        given = bind_names(name, ("self", "hook"), arguments, keywords)
        hook, node = given["hook"], self.values.tensor(given["self"])
        if not isinstance(hook, Object):
            raise GradcliError("type", "a hook is a function", hint="def hook(param): …")
        if not self.autograd.is_leaf(node):
            raise GradcliError("no-grad", AFTER_LEAVES, hint="register_hook is for any tensor")
        hooks = self.autograd.after.setdefault(node, [])
        hooks.append(hook)
        return HookHandle(lambda: hooks.remove(hook) if hook in hooks else None)

    def _register_together(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A function that is called once a pass has come to the gradients of several tensors."""
        names = ("tensors", "fn", "mode")
        given = bind_names("register_multi_grad_hook", names, arguments, keywords, names[2:])
        if given.get("mode", "all") != "all":
            raise GradcliError("value", "register_multi_grad_hook: the order in which gradients "
                               "are found is PyTorch's own", hint="mode='all'")  # fmt: skip
        tensors, hook = self._several(given["tensors"], "a hook's tensor"), given["fn"]
        if not isinstance(hook, Object):
            raise GradcliError("type", "a hook is a function", hint="def hook(grads): …")
        own = tensors, hook
        self.autograd.together.append(own)
        rest = self.autograd.together
        return HookHandle(lambda: rest.remove(own) if own in rest else None)

    def _backward_method(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("self", "gradient", "retain_graph", "create_graph", "inputs")
        given = bind_names("backward", names, arguments, keywords, names[1:])
        output = self.values.tensor(given["self"], "what backward starts from")
        value = given.get("gradient")
        if self.values.is_pytorch and isinstance(value, tuple) and len(value) == 1:
            (value,) = value
        (gradient,) = self._gradients(value, [output], listed=False)
        self.autograd.backward([output], [gradient], *self._graphs(given), self._inputs(given))
        return None

    def _backward_function(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("tensors", "grad_tensors", "retain_graph", "create_graph", "inputs")
        keywords = _renamed(keywords, {"gradient": "grad_tensors", "grad_variables": names[1]})
        given = bind_names("backward", names, arguments, keywords, names[1:])
        tensors = given["tensors"]
        outputs = self._several(tensors, "what backward starts from")
        listed = not isinstance(tensors, Node)
        gradients = self._gradients(given.get("grad_tensors"), outputs, listed)
        self.autograd.backward(outputs, gradients, *self._graphs(given), self._inputs(given))
        return None

    def _grad_function(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The grads of a list of inputs, or the grad of one."""
        inputs, found = self._grads(arguments, keywords)
        return found[0] if isinstance(inputs, Node) else found

    def _check_unused(self, unused: Value) -> None:
        """Raise `value` where unused inputs are to be errors, and to be zeros."""
        if unused is not None and not self.values.truth(unused):
            said = (
                "Expected allow_unused to be True or not passed when materialize_grads=True, but "
                "got: allow_unused=False."
            )
            raise RefusedError(("ValueError", said), "value",
                               "materialize_grads=True gives zeros for unused inputs",
                               hint="leave allow_unused out")  # fmt: skip

    def _autograd_grad(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """PyTorch's `grad`: a tuple, also for one input."""
        unused = keywords.pop("allow_unused", None)
        zeros = keywords.pop("materialize_grads", None)
        if zeros is not None and self.values.truth(zeros):
            self._check_unused(unused)
        keywords.pop("only_inputs", None)
        batched = keywords.pop("is_grads_batched", None)
        if batched is not None and self.values.truth(batched):
            return self._batched_grads(arguments, keywords)
        inputs, found = self._grads(arguments, keywords)
        if not self.values.is_pytorch:
            return found
        outputs = arguments[0] if arguments else keywords["outputs"]
        reached = self.autograd.reached(self._several(outputs, "the outputs of grad"))
        for node in self._several(inputs, "the inputs of grad"):
            if not self.autograd.is_followed(node):
                raise GradcliError("no-grad", UNFOLLOWED_INPUT, hint="x.requires_grad_() before")
        if zeros is not None and self.values.truth(zeros):
            if reached is None or not self._flag(keywords, "create_graph", False):
                return found
            given = self._several(inputs, "the inputs of grad")
            return tuple(
                each if node in reached else self.autograd.mark(each)
                for node, each in zip(given, found, strict=True)
            )
        results: list[Node | None] = []
        for place, node in enumerate(self._several(inputs, "the inputs of grad")):
            is_used = reached is None or node in reached
            if not is_used and (unused is None or not self.values.truth(unused)):
                raise GradcliError("no-grad", f"{UNUSED_INPUT} {place}", hint="allow_unused=True")
            results.append(found[place] if is_used else None)
        return tuple(results)

    def _batched_grads(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The grads for each row of `grad_outputs`, as rows."""
        from gradcli.ops.joining import stack

        given = dict(zip(("outputs", "inputs", "grad_outputs"), arguments, strict=False))
        given |= keywords
        if given.get("grad_outputs") is None:
            return self._grads([], given)[1]
        outputs = self._several(given["outputs"], "the outputs of grad")
        batches = self._several(given["grad_outputs"], "grad_outputs")
        for place, (batch, output) in enumerate(zip(batches, outputs, strict=False)):
            if batch.shape[1:] != output.shape:
                raise _not_batched(place, batch, output)
        rows = zip(*map(self.values.rows, batches), strict=True)
        kept: dict[str, Value] = {"outputs": tuple(outputs)}
        kept["retain_graph"] = self.values.graph.constant(True)
        found = [self._grads([], given | {"grad_outputs": tuple(row)} | kept)[1] for row in rows]
        return tuple(stack(list(each)) for each in zip(*found, strict=True))

    def _grads(
        self, arguments: list[Value], keywords: dict[str, Value]
    ) -> tuple[Value, tuple[Node, ...]]:
        """The inputs as they are given, and the grad of each."""
        names = (
            "outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "allow_unused",
        )  # fmt: skip
        keywords = _renamed(keywords, {"gradient": "grad_outputs"})
        given = bind_names("grad", names, arguments, keywords, names[2:])
        kind = self.values.plain_kind(given["outputs"])
        if kind and self.values.is_pytorch:
            said = f"'{kind}' object is not iterable"
            raise RefusedError(("TypeError", said), "type", "the outputs of grad are tensors")
        outputs = self._several(given["outputs"], "the outputs of grad")
        listed = not isinstance(given["outputs"], Node)
        gradients = self._gradients(given.get("grad_outputs"), outputs, listed)
        inputs = self._named_inputs("grad", given["inputs"])
        first = self.values.graph.count
        found = self.autograd.grad(outputs, inputs, gradients, *self._graphs(given))
        if self.values.passages is not None:
            span, made = self.values.graph.span, range(first, self.values.graph.count)
            pair = {"outputs": tuple(outputs), "inputs": tuple(inputs)}
            self.values.passages.add("grad", "grad", span, made, pair, tuple(found))
        return given["inputs"], tuple(found)

    def _zero_grad(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        bind_names("zero_grad", (), arguments, keywords)
        for node in self.autograd.grads:
            self.autograd.zero(node)
        return None

    def _retain_grad(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("retain_grad", ("self",), arguments, keywords)
        self.autograd.retain_grad(self.values.tensor(given["self"], "what retains its grad"))
        return None

    def _requires_grad(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The leaf that `x.requires_grad_()` makes; the tracer binds the name x to it."""
        names = ("self", "requires_grad")
        given = bind_names("requires_grad_", names, arguments, keywords, names[1:])
        node = self.values.tensor(given["self"], "what requires grad")
        if node.kind != "float":
            raise GradcliError(
                "no-grad", f"requires_grad_ is for floats; this holds {node.kind}",
                hint="x.float() makes floats of it",
            )  # fmt: skip
        if self.values.is_pytorch and "requires_grad" in given:
            from gradcli.trace.given_tensors import check_flag

            check_flag(self.values, "requires_grad_", "requires_grad", given["requires_grad"])
        return self.autograd.set_requires_grad(node, self._flag(given, "requires_grad", True))

    # --- arguments ---

    def _flag(self, given: dict[str, Value], name: str, default: bool) -> bool:
        value = given.get(name)
        return default if value is None else self.values.truth(value)

    def _graphs(self, given: dict[str, Value]) -> tuple[bool, bool]:
        """`retain_graph` and `create_graph`; a graph of the grad needs the graph itself
        retained.
        """
        create = self._flag(given, "create_graph", False)
        return self._flag(given, "retain_graph", create), create

    def _inputs(self, given: dict[str, Value]) -> list[Node] | None:
        """The only tensors that get a grad, if some are named."""
        value = given.get("inputs")
        if value is None:
            return None
        return self._named_inputs("backward", value)

    def _named_inputs(self, name: str, value: Value) -> list[Node]:
        """The inputs of a function, one at least."""
        inputs = self._several(value, f"the inputs of {name}")
        if not inputs:
            raise RefusedError(
                ("RuntimeError", f"`inputs` argument to `{name}()` cannot be empty."),
                "type",
                f"the inputs of {name} are an empty list",
                hint="leave them out for all leaves, or name some: z.backward(inputs=[x])",
            )
        return inputs

    def _gradient(self, value: Value) -> Node | None:
        if isinstance(value, str) and self.values.is_pytorch:
            said = "gradients can be either Tensors or None, but got str"
            raise RefusedError(("TypeError", said), "type", "a gradient is a tensor, not a string",
                               hint="torch.ones_like(y) has the shape of y")  # fmt: skip
        return None if value is None else self.values.tensor(value, "a gradient")

    def _several(self, value: Value, what: str) -> list[Node]:
        """One tensor, or those of a list."""
        if isinstance(value, Node):
            return [value]
        return self.values.tensors(value, what)

    def _of_outputs(self, value: Value, count: int) -> list[Value] | None:
        """PyTorch's reading of gradients: a tensor is that of the first output, and of a row of
        them there may be more than outputs; None where these are no tensors.
        """
        row = self.values.listed.get(value, value) if isinstance(value, Node) else value
        given = list(row) if isinstance(row, Items | tuple) else [row]
        if all(each is None or self.values.is_tensor(each) for each in given):
            return given[:count]
        return None

    def _gradients(self, value: Value, outputs: list[Node], listed: bool) -> list[Node | None]:
        """One gradient for each output: `value` is a list of them where outputs are a list."""
        if value is None:
            return [None] * len(outputs)
        if isinstance(value, Node) and self.values.is_pytorch:
            number = self.values.plain_kind(value)
            if number:
                said = f"'{number}' object is not iterable"
                raise RefusedError(("TypeError", said), "type", "gradients are tensors",
                                   hint="torch.ones_like(y) has the shape of y")  # fmt: skip
        given = self._of_outputs(value, len(outputs)) if self.values.is_pytorch else None
        if given:
            return [None if each is None else self._gradient(each) for each in given]
        if not listed:
            return [self._gradient(value)]
        if isinstance(value, Node):
            return [*self.values.rows(value)] if value.shape else [value]
        if not isinstance(value, Items | tuple):
            raise GradcliError(
                "type",
                f"gradients must be a list, not {describe(value)}",
                hint="one for each output: backward([z, w], [[1, 0], 1])",
            )
        return [self._gradient(each) for each in value]


def _renamed(keywords: dict[str, Value], names: dict[str, str]) -> dict[str, Value]:
    """Keywords of older versions, and names of gradcli's flags, as PyTorch's keywords of today."""
    return {names.get(name, name): value for name, value in keywords.items()}


def _not_batched(place: int, batch: Node, output: Node) -> RefusedError:
    """The error for gradients whose rows do not have the shape of an output."""
    shapes = [f"torch.Size({[*shape]})" for shape in (batch.shape[2:], output.shape)]
    said = (
        "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the "
        "batch dimension. The sizes of the remaining dimensions are expected to match the shape "
        f"of corresponding output, but a mismatch was detected: grad_output[{place}] has a shape "
        f"of {shapes[0]} and output[{place}] has a shape of {shapes[1]}. If you only want some "
        "tensors in `grad_output` to be considered batched, consider using vmap."
    )
    return RefusedError(("RuntimeError", said), "gradient-shape",
                        f"the rows of grad_outputs have the shape {show(output.shape)}",
                        hint="grad_outputs has one axis more, the first")  # fmt: skip
