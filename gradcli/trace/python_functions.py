"""Python's functions on lists, numbers and strings: `zip`, `enumerate`, `sum`, `str`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import count

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import SINGLE, Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.dictionaries import (
    DefaultDictionary,
    Dictionary,
    OrderedDictionary,
    SetOfValues,
    pairs_of,
)
from gradcli.trace.items import Items
from gradcli.trace.iterators import Remaining, taken
from gradcli.trace.objects import Object, TypeHint, attribute_or_method
from gradcli.trace.printing import PrintedNumbers, as_single, exact, pieces
from gradcli.trace.printing import text as written_text
from gradcli.trace.series import numbers, passed, series, together
from gradcli.trace.special import ON_NUMBERS, Special
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value, Values, describe


class PythonFunctions:
    """The functions by name; and text of values, as f-strings have it."""

    def __init__(self, values: Values, numbers: PrintedNumbers) -> None:
        self.values = values
        self.graph = values.graph
        self.numbers = numbers
        self.functions: dict[str, Special] = {
            "zip": self._zip,
            "enumerate": self._enumerate,
            "reversed": self._reversed,
            "list": self._list,
            "tuple": self._tuple,
            "str": self._str,
            "repr": self._repr,
            "ord": self._place_of_character,
            "chr": self._character,
            "dict": self._dictionary,
            "collections.OrderedDict": lambda arguments, keywords: OrderedDictionary(
                self.values, pairs_of(self.values, arguments, keywords)
            ),
            "collections.defaultdict": self._default_dictionary,
            "typing.TypeVar": lambda *_: TypeHint(),
            "typing.NewType": lambda *_: TypeHint(),
            "typing.cast": lambda given, _: given[-1],
            "collections.deque": self._deque,
            "collections.Counter": self._counter,
            "set": self._set,
        }

    # --- lists ---

    def _zip(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        bind_names("zip", (), (), {name: value for name, value in keywords.items()
                                   if name != "strict"})  # fmt: skip
        parts = [series(self.values, each) for each in arguments] if self.values.rolls else []
        if parts and all(each is not None for each in parts):
            found = together([each for each in parts if each is not None])
            return passed(self.values, "zip", found)
        if any(isinstance(each, Remaining) for each in arguments):
            rest = zip(*(taken(self.values, each) for each in arguments), strict=False)
            return passed(self.values, "zip", rest)
        rows = [self.values.elements(each) for each in arguments]
        if "strict" in keywords and self.values.truth(keywords["strict"]):
            _check_lengths([len(each) for each in rows])
        return passed(self.values, "zip", list(zip(*rows, strict=False)))

    def _enumerate(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("enumerate", ("iterable", "start"), arguments, keywords, ("start",))
        start = self.values.integer(given["start"], "start") if "start" in given else 0
        of = series(self.values, given["iterable"]) if self.values.rolls else None
        if of is not None:
            found = together([numbers(self.graph, range(start, start + len(of))), of])
            return passed(self.values, "enumerate", found)
        numbered = enumerate(taken(self.values, given["iterable"]), start)
        pairs = ((self.graph.constant(float(i)), each) for i, each in numbered)
        is_rest = isinstance(given["iterable"], Remaining)
        return passed(self.values, "enumerate", pairs if is_rest else list(pairs))

    def _reversed(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("reversed", ("sequence",), arguments, keywords)
        items = self.values.elements(given["sequence"])[::-1]
        return passed(self.values, "list_reverseiterator", items)

    def _list(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("list", ("iterable",), arguments, keywords, ("iterable",))
        return Items(self.values.elements(given["iterable"]) if given else [])

    def _deque(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A list: where it may not grow without end, its beginning is not forgotten."""
        names = ("iterable", "maxlen")
        given = bind_names("deque", names, arguments, keywords, names)
        if given.get("maxlen") is not None:
            raise GradcliError("value", "a deque with maxlen is not known here",
                               hint="xs = xs[-n:] keeps the last n")  # fmt: skip
        return self._list([given["iterable"]] if "iterable" in given else [], {})

    def _counter(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        from gradcli.trace.counters import counter  # few programs count so

        return counter(self.values, arguments, keywords)

    def _tuple(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("tuple", ("iterable",), arguments, keywords, ("iterable",))
        return tuple(self.values.elements(given["iterable"]) if given else ())

    def _set(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("set", ("iterable",), arguments, keywords, ("iterable",))
        return SetOfValues(self.values, self.values.elements(given["iterable"]) if given else ())

    def _place_of_character(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (text,) = bind_names("ord", ("character",), arguments, keywords).values()
        if not isinstance(text, str) or len(text) != 1:
            raise GradcliError("type", f"ord takes one character, not {describe(text)}")
        return self.graph.constant(float(ord(text)))

    def _character(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (place,) = bind_names("chr", ("place",), arguments, keywords).values()
        number = self.values.integer(place, "a character's place")
        if not 0 <= number < sys.maxunicode + 1:
            raise GradcliError("value", f"there is no character {number}")
        return chr(number)

    def _default_dictionary(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("defaultdict", ("factory",), arguments, keywords, ("factory",))
        make = given.get("factory")
        if make is not None and not isinstance(make, Object):
            raise GradcliError("type", "defaultdict takes a function", hint="defaultdict(list)")
        return DefaultDictionary(self.values, make)

    def _dictionary(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return Dictionary(self.values, pairs_of(self.values, arguments, keywords))

    def sum(self, arguments: Sequence[Value]) -> Value:
        """The elements of a list one after another, as Python adds them to what comes second."""
        items, *start = arguments
        total = start[0] if start else None
        if total is None and any(isinstance(each, str) for each in self.values.elements(items)[:1]):
            from gradcli.trace.refusals import no_operator

            raise no_operator("+", "int", "str")
        for item in self.values.elements(items):
            total = self._counted(item) if total is None else self._added(total, item)
        return self.graph.constant(0.0) if total is None else total

    def _counted(self, item: Value) -> Value:
        """What 0 + item is: truth values are counted."""
        if not isinstance(item, Node) or item.kind != "bool":
            return item
        counted = cast(item, "int")
        self.numbers.stay_arrays(counted, (item,))
        return counted

    def _added(self, a: Value, b: Value) -> Node:
        left, right = self.values.tensor(a), self.values.tensor(b)
        if "int" in (left.kind, right.kind):
            left, right = self._whole(left), self._whole(right)
        added: Node = FUNCTIONS["add"](left, right)
        self.numbers.stay_arrays(added, (left, right))
        return added

    def _whole(self, node: Node) -> Node:
        """A number as an integer, if it is one."""
        return cast(node, "int") if node in self.numbers and self.numbers.is_integer(node) else node

    def of_numbers(self, name: str, arguments: Sequence[Value]) -> Value:
        """`max(a, b, …)` or `min(…)` of plain numbers, or a list of them; else None."""
        if len(arguments) == 1 and isinstance(arguments[0], Items):
            arguments = self.values.elements(arguments[0])
            if len(arguments) == 1:
                arguments = [*arguments, *arguments]
        nodes = [each for each in arguments if isinstance(each, Node) and each in self.numbers]
        if not len(nodes) == len(arguments) > 1:
            return None
        if self.values.is_python and all(node.known is not None for node in nodes):
            return (max if name == "max" else min)(nodes, key=lambda node: float(node.known))  # type: ignore[arg-type]
        if self.values.any_pass is None and not self.values.arrays.isdisjoint(nodes):
            numbers = [self.values.number(node, name) for node in nodes]  # one of them, as it is
            return nodes[numbers.index(max(numbers) if name == "max" else min(numbers))]
        result = nodes[0]
        for node in nodes[1:]:
            result = FUNCTIONS[ON_NUMBERS[name]](result, node)
        self.numbers.stay_arrays(result, nodes)
        return result

    def whole(self, text: str, base: int) -> Node:
        """`int('ff', 16)`."""
        try:
            return self.values.plain(int(text, base)) if len(text) < 100 else self.number("", "int")
        except ValueError:
            raise GradcliError(
                "value", f"{text!r} is no whole number of base {base}", hint="int('ff', 16)"
            ) from None

    def number(self, text: str, kind: str) -> Node:
        """`float('inf')`, `int('3')`."""
        plain = text.strip().lower()
        try:
            value = float(plain) if len(plain) < 100 and plain.isascii() else None
        except ValueError:
            value = None
        if value is None or "_" in plain or (kind == "int" and not value.is_integer()):
            raise GradcliError(
                "value",
                f"{text!r} is no {'whole ' * (kind == 'int')}number",
                hint="float('1e-3'), float('inf')",
            )
        return self.values.plain(int(value) if kind == "int" else value)

    def truth_of(self, name: str, items: Iterable[Value]) -> Node:
        """`all(…)` or `any(…)` of a list, up to the first that decides: a truth value."""
        found = map(self.values.truth, items)
        return self.graph.constant(all(found) if name == "all" else any(found))

    # --- text ---

    def _str(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("str", ("object",), arguments, keywords, ("object",))
        return self.written(given["object"]) if given else ""

    def _repr(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        value = bind_names("repr", ("obj",), arguments, keywords)["obj"]
        return self.written(value, quoted=True)

    def written(self, value: Value, *, quoted: bool = False) -> str:
        """A value as print writes it, or as a list writes what is in it; looked at now."""
        if isinstance(value, Object) and value.shows:
            said = (None if quoted else value.asked("__str__")) or value.asked("__repr__")
            if isinstance(said, str):
                return said
        line = pieces([value], self.numbers, self.graph.ledger, quoted=quoted)
        shown = [each for each in line if not isinstance(each, str)]
        nodes = [each if isinstance(each, Node) else each.node for each in shown]
        return written_text(line, {node: self.values.evaluator.value(node) for node in nodes})

    def converted(self, value: Value, conversion: str, specification: str) -> str:
        """A value in a field, where `!r` and its like come before the format."""
        if conversion:
            value = self.written(value, quoted=conversion != "s")
        return self.formatted(value, specification)

    def formatted(self, value: Value, specification: str) -> str:
        """A value in a field of an f-string."""
        from gradcli.trace.formats import formatted  # most programs start faster without

        if isinstance(value, Node) and not value.shape and specification:
            number = self._plain(value)
            is_float = value.kind == "float" and value not in self.numbers
            is_float &= self.values.is_pytorch
            if is_float and specification[-1] == "d":
                said = "Unknown format code 'd' for object of type 'float'"
                raise RefusedError(("ValueError", said), "value",
                                   "the format 'd' is for integers",
                                   hint="{x:.0f} rounds, {int(x):d} cuts off")  # fmt: skip
            return formatted(number, specification)
        if isinstance(value, Node) and not value.shape and value not in self.numbers:
            return str(self._plain(value))  # as a tensor of one element in PyTorch
        own = value.asked("__format__", specification) if isinstance(value, Object) else None
        if isinstance(own, str):
            return own
        if isinstance(value, Object) and specification:
            text = value.formatted(specification)
            if text is not None:
                return text
        if isinstance(value, str) or not specification:
            return formatted(
                value if isinstance(value, str) else self.written(value), specification
            )
        from gradcli.trace.kinds_of_values import kind_of  # a mistake

        said = f"unsupported format string passed to {kind_of(value, self.numbers)}.__format__"
        raise RefusedError(
            ("TypeError", said),
            "type",
            f"{describe(value)} has no format",
            hint="a format is for single numbers and strings: x.item(), x[0]",
        )

    def joined(self, parts: Sequence[str]) -> str:
        """Strings as one, which goes on the ledger."""
        whole = "".join(parts)
        self.graph.ledger.take(4 * len(whole) + 64, "a string")
        return whole

    def filled(self, template: str, arguments: list[Value], keywords: dict[str, Value]) -> str:
        """`template.format(…)`."""
        from gradcli.trace.formats import places, steps

        unnamed = count()

        def value_of(name: str) -> Value:
            if name in keywords:
                return keywords[name]
            number = (
                int(name or next(unnamed))
                if len(name) < 9 and name.isdecimal() | (not name)
                else len(arguments)
            )
            if number >= len(arguments):
                raise GradcliError(
                    "value", f"there is no value for the field {{{name}}} of {template!r}"
                )
            return arguments[number]

        def filled(part: str | tuple[str, str, str]) -> str:
            if isinstance(part, str):
                return part
            field, conversion, specification = part
            name, *path = steps(field)
            value = value_of(name)
            for step in path:
                value = self._inside(value, step)
            if "{" in specification:  # fields inside of the field, as the width: {:{}}
                inner = places(specification)
                specification = "".join(
                    each if isinstance(each, str) else self.converted(value_of(each[0]), "", "")
                    for each in inner
                )
            return self.converted(value, conversion, specification)

        return self.joined([filled(part) for part in places(template)])

    def _inside(self, value: Value, step: str) -> Value:
        """`value.name`, or `value[0]`, `value[key]` where the step begins with a bracket."""
        if not step.startswith("["):
            if isinstance(value, Object):
                return attribute_or_method(value, step)  # type: ignore[no-any-return]
            if step in getattr(value, "_fields", ()):
                return getattr(value, step)  # type: ignore[no-any-return]
            raise GradcliError("name", f"{describe(value)} has no attribute {step!r}")
        inner = step[1:-1]
        place: Value = self.values.plain(int(inner)) if inner.isdecimal() else inner
        if isinstance(value, Object):
            found: Value = value.item([place])
            return found
        return subscript(self.values, value, [place])

    def percent(self, template: str, value: Value) -> str:
        """`template % value`, where a tuple is several values."""
        from gradcli.trace.formats import Fillings, percent

        given: Sequence[Value] = value if isinstance(value, tuple) else (value,)
        names: dict[str, int] = {}
        if isinstance(value, Dictionary) and "%(" in template:
            names = {str(key): place for place, (key, _) in enumerate(value.pairs())}
            given = [each for _, each in value.pairs()]

        def number(place: int) -> str | float | bool:
            found = given[place]
            is_number = isinstance(found, Node) and found.size == 1
            return self._plain(found) if is_number else self.written(found)  # type: ignore[arg-type]

        def written(place: int, quoted: bool) -> str:
            return self.written(given[place], quoted=quoted)

        filled = percent(template, Fillings(len(given), number, written, names))
        return self.joined([filled])

    def _plain(self, node: Node) -> float | bool:
        """The number, an int where it is one; with the digits that PyTorch has of it."""
        found: float | bool = self.values.evaluator.value(node).item()
        is_single = node.attributes == SINGLE or (
            node not in self.numbers and self.values.is_single(node)
        )
        if is_single and self.graph.precision != "float32":
            found = as_single(found)
        is_whole = isinstance(found, float) and found.is_integer()
        if not is_whole or (self.values.is_python and node not in self.numbers):
            return found
        return exact(found) if self.numbers.is_integer(node) else found


def _check_lengths(lengths: list[int]) -> None:
    """Raise Python's error where rows that `zip(…, strict=True)` takes differ in length."""
    least = min(lengths, default=0)
    place = next((i for i, each in enumerate(lengths) if each == least and i), None)
    kind = "shorter"
    if not lengths or lengths[0] == least:
        place = next((i for i, each in enumerate(lengths) if each > least), None)
        kind = "longer"
    if place is None:
        return
    others = "argument 1" if place == 1 else f"arguments 1-{place}"
    said = f"zip() argument {place + 1} is {kind} than {others}"
    raise RefusedError(("ValueError", said), "value", said)
