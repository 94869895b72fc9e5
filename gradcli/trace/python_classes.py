"""Python's own classes: what the program's may be made from, and their methods as functions."""

from __future__ import annotations

CHANGING = frozenset(("list", "dict", "set", "collections.OrderedDict", "collections.defaultdict",
                      "collections.Counter", "collections.deque"))  # fmt: skip
"""Classes whose objects change: `__init__` fills them."""
FIXED = frozenset(("str", "int", "float", "tuple", "bytes", "frozenset"))
"""Classes whose objects are made whole."""
BUILT_IN = CHANGING | FIXED
_ALL = ("__new__", "__init__")
METHODS = {
    "object": (*_ALL, "__setattr__"),
    "int": _ALL,
    "float": _ALL,
    "str": (
        *_ALL,
        "upper", "lower", "title", "capitalize", "strip", "lstrip", "rstrip", "split", "replace",
        "startswith", "endswith", "isdigit", "isalpha", "count", "find", "index", "center", "ljust",
        "rjust", "zfill", "isupper", "islower", "isalnum", "isspace", "splitlines", "swapcase",
        "rsplit", "rfind", "removeprefix", "removesuffix", "partition", "rpartition", "join",
        "format", "encode",
    ),
    "list": (*_ALL, "append", "extend", "insert", "pop", "remove", "reverse", "clear", "copy",
             "index", "count", "sort"),
    "tuple": (*_ALL, "index", "count"),
    "dict": (*_ALL, "keys", "values", "items", "get", "pop", "popitem", "setdefault", "update",
             "copy", "clear", "__getitem__", "__setitem__", "__delitem__"),
    "set": (*_ALL, "add", "discard", "remove", "union", "intersection", "difference", "update"),
}  # fmt: skip
"""Methods that may be called of the class, as `str.lower` in `map(str.lower, words)`."""
