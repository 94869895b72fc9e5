"""NumPy's functions that choose among arrays, and those that call functions of the program's."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.arrays_of_numpy import ArrayCalls
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.text_arrays import chosen
from gradcli.trace.values import Value
from gradcli.trace.visits import Visit
from gradcli.trace.whole_numbers import are_integers


class ArrayChoices:
    """The functions by name."""

    def __init__(self, arrays: ArrayCalls) -> None:
        self._arrays = arrays
        self._values = arrays.values
        self.methods: dict[str, Any] = {}
        self.functions: dict[str, Any] = {
            "np.select": self._select,
            "np.choose": self._choose,
            "np.piecewise": self._piecewise,
            "np.fromfunction": self._from_function,
            "np.apply_along_axis": self._along_axis,
            "np.vectorize": self._vectorize,
            "np.frompyfunc": self._from_python,
        }

    def _each(self, name: str, value: Value) -> list[Any]:
        """The arrays or numbers of a list, each as NumPy takes it."""
        return [self._arrays.plain(name, each) for each in self._values.elements(value)]

    def _select(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("condlist", "choicelist", "default")
        given = bind_names("np.select", names, arguments, keywords, names[2:])
        elements = self._values.elements
        if isinstance(given.get("default"), str):
            choices = [*elements(given["choicelist"]), given["default"]]
            texts = chosen(self._values, elements(given["condlist"]), choices)
            if texts is not None:
                return texts
        conditions = [np.asarray(each, bool) for each in self._each("select", given["condlist"])]
        choices = self._each("select", given["choicelist"])
        default = self._arrays.plain("select", given["default"]) if "default" in given else 0
        return self._arrays.computed("select", np.select, [conditions, choices, default], {})

    def _choose(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("a", "choices", "mode")
        given = bind_names("np.choose", names, arguments, keywords, names[2:])
        options = {"mode": given["mode"]} if "mode" in given else {}
        places = self._arrays.plain("choose", given["a"])
        choices = self._each("choose", given["choices"])
        return self._arrays.computed("choose", np.choose, [places, choices], options)

    def _function(self, name: str, value: Value) -> Object:
        if not isinstance(value, Object):
            raise GradcliError("type", f"np.{name} takes a function",
                               hint="lambda x: x**2, or a name without ( )")  # fmt: skip
        return value

    def _new(self, array: Array) -> Value:
        return self._arrays.array(np.ascontiguousarray(array))

    def _result(self, value: Value) -> Array:
        """What a function of the program's gave, as NumPy takes it."""
        whole = are_integers(value, self._arrays.numbers)
        node = self._values.tensor(value, "a result")
        node = cast(node, "int") if whole else node
        if node in self._values.arrays and node.shape:
            return np.asarray(self._arrays.plain("a result", node))
        return self._values.evaluator.value(node)

    def _piecewise(self, arguments: list[Value], keywords: dict[str, Value]) -> Visit:
        """`np.piecewise(x, [x < 0, x >= 0], [f, 1])`: one function more is for all other places."""
        names = ("x", "condlist", "funclist")
        x, conditions, listed = bind_names("np.piecewise", names, arguments, keywords).values()
        array = np.asarray(self._arrays.plain("piecewise", x))
        chosen = [np.asarray(each, bool) for each in self._each("piecewise", conditions)]
        chosen = chosen if isinstance(conditions, Items) else [np.asarray(chosen)]
        functions = self._values.elements(listed)
        if len(functions) == len(chosen) + 1:
            chosen.append(~np.any(chosen, axis=0))
        if len(functions) != len(chosen) or any(each.shape != array.shape for each in chosen):
            raise GradcliError("value", "np.piecewise: a function for each condition, of the shape "
                               "of x")  # fmt: skip
        made: Array = np.zeros_like(array)
        for places, function in zip(chosen, functions, strict=True):
            found = function
            if isinstance(function, Object):
                if not places.any():
                    continue
                found = yield function.call([self._new(array[places])], {})
            made[places] = self._result(found)
        return self._new(made)

    def _from_function(self, arguments: list[Value], keywords: dict[str, Value]) -> Visit:
        """`np.fromfunction(f, (2, 3))`: f of the numbers of rows and of columns."""
        names = ("function", "shape")
        options = {key: keywords.pop(key) for key in [*keywords] if key not in names}
        given = bind_names("np.fromfunction", names, arguments, keywords)
        function = self._function("fromfunction", given["function"])
        shape = self._values.integers(given["shape"], "fromfunction: shape")
        dtype = str(options.pop("dtype", "float64")).removeprefix("torch.")
        self._values.graph.check_room(len(shape) * int(np.prod(shape, dtype=object)))
        kind = "int64" if dtype.startswith(("int", "uint")) else "float64"
        places = [self._arrays.array(each) for each in np.indices(shape, dtype=kind)]
        found = yield function.call(places, options)
        self._values.stay_arrays(found, places)
        return found

    def _along_axis(self, arguments: list[Value], keywords: dict[str, Value]) -> Visit:
        """`np.apply_along_axis(f, 1, a)`: f of each row."""
        names = ("func1d", "axis", "arr")
        more = arguments[len(names) :]
        options = {key: keywords.pop(key) for key in [*keywords] if key not in names}
        given = bind_names("np.apply_along_axis", names, arguments[: len(names)], keywords)
        function = self._function("apply_along_axis", given["func1d"])
        array = np.asarray(self._arrays.plain("apply_along_axis", given["arr"]))
        axis = self._values.integer(given["axis"], "axis")
        if not -array.ndim <= axis < array.ndim:
            raise GradcliError("value", f"apply_along_axis: there is no axis {axis}")
        axis %= array.ndim
        turned = np.moveaxis(array, axis, -1)
        outer = turned.shape[:-1]
        if not all(outer):
            raise GradcliError("value", "Cannot apply_along_axis when any iteration dimensions "
                               "are 0")  # fmt: skip
        found: list[Array] = []
        for place in np.ndindex(outer):
            result = yield function.call([self._new(turned[place]), *more], options)
            found.append(np.asarray(self._result(result)))
        made = np.stack(found).reshape(*outer, *found[0].shape)
        inner = range(len(outer), made.ndim)
        return self._new(np.moveaxis(made, [*inner], range(axis, axis + len(inner))))

    def _vectorize(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A function of the program's for each element of an array."""
        given = bind_names("vectorize", ("pyfunc", "otypes"), arguments, keywords, ("otypes",))
        function = given["pyfunc"]
        if not isinstance(function, Object):
            raise GradcliError("type", "np.vectorize takes a function")
        return Vectorised(self._arrays, function)

    def _from_python(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`np.frompyfunc(f, nin, 1)`, whose arrays of objects are arrays of numbers here."""
        given = bind_names("frompyfunc", ("func", "nin", "nout"), arguments, keywords)
        if self._values.integer(given["nout"], "nout") != 1:
            raise GradcliError("value", "np.frompyfunc: a function gives one number here",
                               hint="np.frompyfunc(f, n, 1), once for each result")  # fmt: skip
        return Vectorised(self._arrays, self._function("frompyfunc", given["func"]))


class Vectorised(Object):
    """What `np.vectorize` gives."""

    what = "a function"

    def __init__(self, calls: ArrayCalls, function: Object) -> None:
        self._calls = calls
        self._function = function

    def call(self, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        values = self._calls.values
        nodes = [values.tensor(each, "vectorize") for each in arguments]
        nodes = [
            cast(node, "int") if are_integers(each, self._calls.numbers) else node
            for each, node in zip(arguments, nodes, strict=True)
        ]
        arrays = np.broadcast_arrays(*map(values.evaluator.value, nodes))
        values.graph.check_room(arrays[0].size)
        found: list[float] = []
        kind = ""  # of the first result, which says of which dtype all are
        for row in zip(*(each.ravel().tolist() for each in arrays), strict=True):
            numbers = [values.plain(each) for each in row]
            result = yield self._function.call(numbers, keywords)
            kind = kind or values.plain_kind(result) or getattr(result, "kind", "")
            found.append(values.number(result, "a result"))
        made = np.array(found).reshape(arrays[0].shape)
        made = made.astype({"int": np.int64, "bool": np.bool_}.get(kind, np.float64))
        return self._calls.array(made)
