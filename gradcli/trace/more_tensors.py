"""PyTorch's functions of tensors that few programs use."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Graph, Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import detach, leaf
from gradcli.ops.indexing import getitem
from gradcli.ops.kinds import cast
from gradcli.ops.table import whole
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import as_dtype, construct
from gradcli.trace.dtypes import INTEGERS
from gradcli.trace.generator import SeededSource
from gradcli.trace.items import Device, Items
from gradcli.trace.objects import BuiltIn, Object, Recording
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.refusals import MATCHED, check_demands
from gradcli.trace.special import Size, Special
from gradcli.trace.strides import usual
from gradcli.trace.values import Value

_OF_ONE: dict[str, Callable[[Any], Any]] = {
    "signbit": np.signbit, "isneginf": np.isneginf, "isposinf": np.isposinf, "isreal": np.isreal,
}  # fmt: skip
_OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "gcd": np.gcd, "lcm": np.lcm, "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
}  # fmt: skip
"""Functions that have no derivative: NumPy's."""
_KERNELS = {"bitwise_left_shift": "lshift", "bitwise_right_shift": "rshift"}
"""By what PyTorch calls those that have another name there."""
_UNCHANGED = ("compile", "jit.script", "jit.ignore", "jit.unused", "jit.export", "jit.trace")
"""What gives the function that it is given, as a run has one way to compute it."""
_IGNORED = ("set_float32_matmul_precision", "set_num_interop_threads", "set_flush_denormal")


class ForkedDraws(Recording):
    """`with torch.random.fork_rng():`, behind which random numbers go on as before it."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(None)
        self._graph = graph
        self._before: list[tuple[int | None, int]] = []

    def begin(self) -> None:
        self._before.append((self._graph.seed, self._graph.draws))

    def end(self) -> None:
        self._graph.seed, self._graph.draws = self._before.pop()


class MoreTensors:
    """The functions and methods by name."""

    def __init__(
        self,
        autograd: Autograd,
        call: Callable[[str, list[Any], dict[str, Any]], Any],
        note_random: Callable[[], None],
    ) -> None:
        """`call` calls a function by its name; `note_random` is called where one is drawn."""
        self.autograd = autograd
        self.values = autograd.values
        self._call = call
        self._note_random = note_random
        known: dict[str, Special] = {
            **{name: partial(self._known, name, of, 1) for name, of in _OF_ONE.items()},
            **{name: partial(self._known, name, of, 2) for name, of in _OF_TWO.items()},
            "isclose": self._isclose,
            "argwhere": self._argwhere,
            "is_same_size": self._is_same_size,
            "is_nonzero": self._is_nonzero,
            **dict.fromkeys(("is_conj", "is_neg"), lambda *_: self.values.graph.constant(False)),
        }
        self.methods: dict[str, Special] = known | {
            "ndimension": self._ndimension,
            "get_device": lambda *_: self.values.graph.constant(-1.0),
            "new_tensor": self._new_tensor,
            "new_full": partial(self._new, "full"),
            "new_empty": partial(self._new, "zeros"),
            "new_empty_strided": self._empty_strided,
            "new": self._new_of_type,
            "to_dense": lambda arguments, _: arguments[0],
        }
        self.functions: dict[str, Special] = {
            **{f"torch.{name}": function for name, function in known.items()},
            **{f"torch.{name}": self._unchanged for name in _UNCHANGED},
            **{f"torch.{name}": lambda *_: None for name in _IGNORED},
            "torch.Generator": lambda *_: SeededSource(self.values),
            "torch.range": self._range,
            "torch.empty_permuted": self._empty_permuted,
            "torch.empty_strided": lambda given, named: self._empty_strided([None, *given], named),
            "torch.typename": self._typename,
            "torch.linalg.matrix_rank": self._matrix_rank,
            "torch.nn.Transformer.generate_square_subsequent_mask": self._causal_mask,
            "torch.Size": self._size,
            "torch.nn.Buffer": self._buffer,
            **dict.fromkeys(("torch.dtype", "torch.memory_format", "torch.layout"), _not_made),
            "torch.numel": self._numel,
            "torch.scalar_tensor": self._scalar,
            "torch.broadcast_shapes": self._broadcast_shapes,
            "torch.cartesian_prod": self._cartesian,
            "torch.spmm": lambda given, named: self._call("mm", given, named),
            "torch.randint_like": self._randint_like,
            "torch.initial_seed": lambda *_: self.values.graph.constant(
                float(self.values.graph.seed or 0)
            ),
            "torch.is_inference_mode_enabled": lambda *_: self.values.graph.constant(False),
            "torch.get_default_device": lambda *_: Device("cpu"),
            "torch.get_rng_state": self._state_of_draws,
            "torch.set_rng_state": self._go_back_to,
            "torch.fork_rng": lambda *_: ForkedDraws(self.values.graph),
            "torch.seed": self._new_seed,
            "torch.get_num_interop_threads": lambda *_: self.values.graph.constant(1.0),
            "torch.is_warn_always_enabled": lambda *_: self.values.graph.constant(False),
            "torch.get_num_threads": lambda *_: self.values.graph.constant(1.0),
        }

    def _array(self, value: Value, what: str) -> Array:
        return self.values.evaluator.value(self.values.tensor(value, what))

    def _finite(self, value: Value, what: str) -> Array:
        """A matrix of which singular values are wanted: LAPACK may not end where it is infinite."""
        array = self._array(value, what)
        if not np.isfinite(array).all():
            raise GradcliError("value", f"{what}: the matrix has nan or infinities")
        return array

    def _constant(self, array: Any) -> Node:
        return self.values.own(self.values.graph.constant(np.asarray(array)))

    # --- what is looked at now ---

    def _known(
        self, name: str, function: Callable[..., Any], count: int, arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Value:  # fmt: skip
        given = bind_names(name, ("input", "other")[:count], arguments, keywords)
        if count == 2 and self.values.is_pytorch:
            words = f"\"{_KERNELS.get(name, name)}_cpu\" not implemented for '{{Type}}'"
            demand = whole(words, *INTEGERS, kind="NotImplementedError")
            check_demands(self.values, name, {"input": demand, "other": demand}, given)
        read = self._array if count == 1 else self._integers
        found = self._constant(function(*(read(each, name) for each in given.values())))
        if found.kind == "int" and self.autograd.dtypes is not None:
            found = self.autograd.dtypes.held(found, self.values.tensor(given["input"], name))
        return found

    def _integers(self, value: Value, what: str) -> Array:
        return self.values.evaluator.value(self.values.index(value, what))

    def _isclose(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Where |a - b| <= atol + rtol·|b|."""
        names = ("input", "other", "rtol", "atol", "equal_nan")
        given = bind_names("isclose", names, arguments, keywords, names[2:])
        if self.values.is_pytorch:
            from gradcli.trace.given_tensors import check_tensors
            from gradcli.trace.printing import PrintedNumbers

            assert isinstance(self.values.plain_numbers, PrintedNumbers)
            check_tensors(self.values.plain_numbers, "isclose", arguments, keywords)
            check_demands(self.values, "isclose", MATCHED, given)
        a, b = (self._array(given[name], f"isclose: {name}") for name in names[:2])
        rtol, atol = (
            self.values.number(given[name], name) if name in given else default
            for name, default in zip(names[2:4], (1e-5, 1e-8), strict=True)
        )
        equal_nan = "equal_nan" in given and self.values.truth(given["equal_nan"])
        return self._constant(np.isclose(a, b, rtol, atol, equal_nan))

    def _argwhere(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names("argwhere", ("input",), arguments, keywords).values()
        return self._constant(np.argwhere(self._array(value, "argwhere")).astype(np.int64))

    def _is_same_size(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("is_same_size", ("input", "other"), arguments, keywords)
        a, b = (self.values.tensor(each, "is_same_size") for each in given.values())
        return self.values.graph.constant(a.shape == b.shape)

    def _is_nonzero(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names("is_nonzero", ("input",), arguments, keywords).values()
        return self.values.graph.constant(self.values.number(value, "is_nonzero") != 0)

    def _range(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`arange` of floats, with its end."""
        from gradcli.trace.index_errors import check_bounds

        names = ("start", "end", "step")
        own = {name: keywords[name] for name in names if name in keywords}
        given = bind_names("range", names, arguments, own, ("start", "step"))
        start, end, step = (
            self.values.number(given[name], name) if name in given else default
            for name, default in zip(names, (0.0, 0.0, 1.0), strict=True)
        )
        check_bounds(start, end, step)
        count = math.floor((end - start) / step) + 1
        bounds = start, start + (count - 0.5) * step, step
        made = [self.values.graph.constant(each) for each in bounds]
        rest = {name: each for name, each in keywords.items() if name not in names}
        return construct(self.autograd, FUNCTIONS["arange"], made, rest)

    def _matrix_rank(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("A", "tol", "atol", "rtol", "hermitian")
        given = bind_names("matrix_rank", names, arguments, keywords, names[1:])
        array = self._finite(given["A"], "matrix_rank")
        tol = next((self.values.number(given[each], each) for each in ("tol", "atol")
                    if given.get(each) is not None), None)  # fmt: skip
        return self._constant(np.asarray(np.linalg.matrix_rank(array, tol)).astype(np.int64))

    def _buffer(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`nn.Buffer(x)`, which a module that it is assigned to takes as a buffer."""
        names = ("data", "persistent")
        given = bind_names("Buffer", names, arguments, keywords, names[1:])
        made = leaf(detach(self.values.tensor(given["data"], "Buffer: data")), marked=False)
        kept = given.get("persistent", self.values.graph.constant(True))
        self.values.store(made, "persistent", kept)
        return made

    def _causal_mask(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """0 up to the diagonal, -inf behind it."""
        names = ("sz", "device", "dtype")
        given = bind_names("generate_square_subsequent_mask", names, arguments, keywords, names[1:])
        size = self.values.integer(given["sz"], "sz")
        self.values.graph.check_room(max(0, size) ** 2)
        return self._constant(np.triu(np.full((size, size), -np.inf), 1))

    def _size(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names("Size", ("lengths",), arguments, keywords).values()
        lengths = self.values.integers(value, "a shape")
        return Size([self.values.graph.constant(float(each)) for each in lengths])

    def _ndimension(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names("ndimension", ("self",), arguments, keywords).values()
        return self.values.graph.constant(float(self.values.tensor(value).ndim))

    def _numel(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names("numel", ("input",), arguments, keywords).values()
        return self.values.graph.constant(float(self.values.tensor(value).size))

    def _broadcast_shapes(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        shapes = [self.values.integers(each, "a shape") for each in arguments]
        try:
            found = np.broadcast_shapes(*shapes)
        except ValueError:
            raise GradcliError("shape", "these shapes do not broadcast") from None
        return Size([self.values.graph.constant(float(each)) for each in found])

    # --- new tensors ---

    def _new_tensor(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`x.new_tensor(data)`: of the kind of x."""
        like = self.values.tensor(arguments[0])
        made = construct(self.autograd, FUNCTIONS["tensor"], arguments[1:], keywords)
        return made if "dtype" in keywords else self._like(made, like)

    def _new(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        like = self.values.tensor(arguments[0])
        made = construct(self.autograd, FUNCTIONS[name], arguments[1:], keywords)
        return made if "dtype" in keywords else self._like(made, like)

    def _new_of_type(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`x.new(2, 3)` and `x.new(y.size())`: a tensor of the kind of x; `x.new([1, 2])`: these
        elements.
        """
        like, *given = arguments
        if not given:
            return self._new("zeros", [like, self.values.graph.constant(0.0)], keywords)
        lengths = isinstance(given[0], Size) or all(
            isinstance(each, Node) and not each.shape for each in given
        )
        make = partial(self._new, "zeros") if lengths else self._new_tensor
        return make(arguments, keywords)

    def _like(self, made: Value, like: Node) -> Node:
        node = self.values.tensor(made)
        dtypes = self.autograd.dtypes
        return cast(node, like.kind) if dtypes is None else dtypes.like(node, like)

    def _scalar(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return construct(self.autograd, FUNCTIONS["tensor"], arguments, keywords)

    def _randint_like(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("input", "low", "high", "dtype", "device")
        if len(arguments) + len({"low", "high"} & keywords.keys()) == 2:
            arguments = [arguments[0], self.values.graph.constant(0.0), *arguments[1:]]
        given = bind_names("randint_like", names, arguments, keywords, names[3:])
        self._check_tensor("randint_like", "input", 1, given["input"])
        like = self.values.tensor(given["input"])
        low, high = (self.values.integer(given[name], name) for name in names[1:3])
        self._note_random()
        drawn = FUNCTIONS["rand"].build(like.graph, *like.shape)
        whole = FUNCTIONS["floor"](drawn * float(high - low)) + float(low)
        node = self._like(detach(whole), like)
        if given.get("dtype") is not None:
            node = as_dtype(self.autograd, node, given["dtype"])
        return self.values.own(node)

    # --- classes and memory ---

    def _typename(self, arguments: list[Value], keywords: dict[str, Value]) -> str:
        """What PyTorch calls the class of a value."""
        from gradcli.trace.class_places import PLACES
        from gradcli.trace.conversions import TYPES
        from gradcli.trace.kinds_of_values import kind_of
        from gradcli.trace.printing import PrintedNumbers

        (value,) = bind_names("typename", ("obj",), arguments, keywords).values()
        if isinstance(value, Node) and self.values.is_tensor(value):
            return f"torch.{TYPES[self.autograd.dtype_of(value)]}Tensor"
        numbers = self.values.plain_numbers
        assert isinstance(numbers, PrintedNumbers)
        name = kind_of(value, numbers)
        return PLACES.get(name, name)

    def _empty_strided(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Zeros that lie in memory of their own as the strides say, of the dtype of a tensor."""
        names = ("self", "size", "stride", "dtype", "layout", "device", "requires_grad",
                 "pin_memory")  # fmt: skip
        given = bind_names("empty_strided", names, arguments, keywords, names[3:])
        size, steps = (self.values.integers(given[name], name) for name in names[1:3])
        if len(size) != len(steps) or any(each < 0 for each in (*size, *steps)):
            raise GradcliError("value", "empty_strided: a stride for each axis, 0 or more")
        order = sorted(range(len(size)), key=lambda axis: -steps[axis])
        lengths = tuple(size[axis] for axis in order)
        if tuple(steps[axis] for axis in order) != usual(lengths):
            raise GradcliError("value", "empty_strided: strides with gaps are not known here",
                               hint="x.as_strided(size, stride)")  # fmt: skip
        self.values.graph.check_room(math.prod(size))
        memory = self.values.own(self.values.graph.constant(np.zeros(lengths)))
        if isinstance(given["self"], Node):
            memory = self._like(memory, given["self"])
        node = f("permute", memory, *np.argsort(order).tolist())
        if given.get("dtype") is not None:
            node = as_dtype(self.autograd, node, given["dtype"])
        is_marked = "requires_grad" in given and self.values.truth(given["requires_grad"])
        return self.autograd.mark(node) if is_marked else node

    def _empty_permuted(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Zeros whose axes lie in memory in the order that is given."""
        names = ("size", "physical_layout", "dtype", "layout", "device", "requires_grad",
                 "pin_memory")  # fmt: skip
        given = bind_names("empty_permuted", names, arguments, keywords, names[2:])
        size, order = (self.values.integers(given.pop(name), name) for name in names[:2])
        if sorted(order) != [*range(len(size))]:
            raise GradcliError("value", "empty_permuted: physical_layout has each axis once")
        steps = dict(zip(order, usual(tuple(size[axis] for axis in order)), strict=True))
        rows = [Items([*map(self.values.plain, row)])
                for row in (size, [steps[axis] for axis in range(len(size))])]  # fmt: skip
        return self._empty_strided([None, *rows], given)

    # --- random numbers ---

    def _state_of_draws(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """What is drawn next, as a tensor of a seed and a count."""
        graph = self.values.graph
        seed, count = graph.draw()
        graph.draws -= 1
        return self._constant(np.array([seed, count - 1]))

    def _go_back_to(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (state,) = bind_names("set_rng_state", ("new_state",), arguments, keywords).values()
        array = self._array(state, "a state")
        if array.shape != (2,) or not (array >= 0).all():
            raise GradcliError("value", "this is no state of random numbers",
                               hint="torch.get_rng_state()")  # fmt: skip
        seed, count = array.tolist()
        self.values.graph.reseed(int(seed))
        self.values.graph.draws = int(count)
        return None

    def _new_seed(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Another seed, which is the same in each run of one seed."""
        graph = self.values.graph
        seed, count = graph.draw()
        graph.reseed((seed * 6364136223846793005 + count) % 2**53)
        assert graph.seed is not None
        return graph.constant(float(graph.seed))

    # --- what gradients flow through ---

    def _check_tensor(self, name: str, parameter: str, place: int, value: Value) -> None:
        """Raise `type` for a number or list where PyTorch takes a tensor."""
        kind = PrintedNumbers(self.values).class_of(value)
        if kind:
            from gradcli.trace.given_tensors import no_tensor

            raise no_tensor(name, parameter, place, kind)

    def _cartesian(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """All combinations of the elements of rows, one in each row."""
        from gradcli.trace.given_tensors import check_row

        check_row(self.values, tuple(arguments))
        rows = [self.values.tensor(each, "cartesian_prod") for each in arguments]
        if len(rows) == 1:
            return rows[0]
        places = np.indices([row.size for row in rows]).reshape(len(rows), -1)
        columns = [
            getitem(row, [self._constant(place)]) for row, place in zip(rows, places, strict=True)
        ]
        stacked: Value = FUNCTIONS["stack"].build(columns, 1)
        return stacked

    # --- functions of functions ---

    def _unchanged(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`torch.compile(f)` and `@torch.compile`: f."""
        given = bind_names("compile", ("model",), arguments[:1], {}, ("model",))
        model = given.get("model")
        if isinstance(model, Object):
            return model
        return BuiltIn("compile", lambda _, inner, __: inner[0])


def _not_made(*_: object) -> Value:
    raise GradcliError(
        "type", "this class is asked for, not called", hint="isinstance(x.dtype, torch.dtype)"
    )
