"""`torch.save` and `torch.load`: what a program keeps for later, in memory and not in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.diagnostics import A_FILE, Advice, GradcliError, Note, RefusedError
from gradcli.graph import Node
from gradcli.ops.control import detach, leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.copies import Copies, held
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe

_SAVE = ("obj", "f", "pickle_module", "pickle_protocol", "_use_new_zipfile_serialization")
_LOAD = ("f", "map_location", "pickle_module", "weights_only", "mmap")
_NOTE = "torch.save keeps in memory what it is given: no file is written, and torch.load finds it"
_PLAIN = (Dictionary, Items, tuple, str, Node)
"""What holds tensors and numbers alone."""


class Buffer(Object):
    """`io.BytesIO()`: a file in memory, of which its place alone is known."""

    what = "a file in memory"
    title = "BytesIO"
    python_class = "_io.BytesIO"

    def __init__(self, values: Values) -> None:
        self._values = values
        self.at_start = True

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {"seek": self._seek, "close": lambda *_: None, "flush": lambda *_: None}

    def _seek(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("offset", "whence")
        given = bind_names("seek", names, arguments, keywords, names[1:])
        if self._values.integer(given["offset"], "offset") or "whence" in given:
            raise GradcliError("value", "seek goes to the beginning here", hint="buffer.seek(0)")
        self.at_start = True
        return self._values.plain(0)


class Stores:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self._kept: dict[str | Buffer, Value] = {}
        """By the name of a file, or by what stands for one."""
        self.functions: dict[str, Special] = {
            "torch.save": self._save,
            "torch.load": self._load,
            "io.BytesIO": self._buffer,
            **{f"os.path.{name}": self._is_there for name in ("exists", "isfile")},
        }
        self.methods: dict[str, Special] = {}

    def _buffer(self, arguments: list[Value], keywords: Given) -> Value:
        if arguments or keywords:
            raise GradcliError("value", "BytesIO begins empty here", hint="io.BytesIO()")
        return Buffer(self.values)

    def _key(self, name: str, file: Value) -> str | Buffer:
        if isinstance(file, str | Buffer):
            return file
        if isinstance(file, Object) and file.title == "PosixPath":
            return file.shown()
        raise GradcliError("type", f"{name} takes the name of a file, not {describe(file)}",
                           hint='"model.pt"')  # fmt: skip

    def _save(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("save", _SAVE, arguments, keywords, _SAVE[2:])
        key = self._key("torch.save", given["f"])
        self._kept[key] = Copies(self.values, self._as_leaf).deep(given["obj"])
        if isinstance(key, Buffer):
            key.at_start = False
        elif not any(note.code == "kept" for note in self.autograd.notes):
            self.autograd.notes.append(Note("kept", _NOTE))
        return None

    def _as_leaf(self, node: Node) -> Node | None:
        """A computed tensor that requires grad, as files hold it: without where it came from."""
        if self.autograd.is_leaf(node) or not self.autograd.requires_grad(node):
            return None
        return leaf(detach(node), marked=True)

    def _load(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("load", _LOAD, arguments, keywords, _LOAD[1:])
        key = self._key("torch.load", given["f"])
        if key not in self._kept:
            raise self._missing(key)
        if isinstance(key, Buffer):
            if not key.at_start:
                raise GradcliError("value", "torch.load begins where the file in memory stands: "
                                   "at its end", hint="buffer.seek(0)")  # fmt: skip
            key.at_start = False
        kept = self._kept[key]
        weights = given.get("weights_only")
        if (weights is None or self.values.truth(weights)) and not _is_plain(kept):
            raise RefusedError(
                ("UnpicklingError", "Weights only load failed."),
                "value",
                "torch.load gives tensors and what holds them alone, unless weights_only=False",
                hint="torch.load(f, weights_only=False), or save model.state_dict()",
            )
        return Copies(self.values).deep(kept)

    def _missing(self, key: str | Buffer) -> GradcliError:
        if isinstance(key, Buffer):
            return GradcliError("value", "nothing was saved there", hint="torch.save(x, buffer)")
        return RefusedError(
            ("FileNotFoundError", f"[Errno 2] No such file or directory: {key!r}"),
            "value",
            f"the program has saved nothing as {key!r}, and files are outside the language",
            hint=Advice("data come in by ", A_FILE, "; torch.load finds what torch.save has kept"),
        )

    def _is_there(self, arguments: list[Value], keywords: Given) -> Value:
        (path,) = bind_names("exists", ("path",), arguments, keywords).values()
        return self.values.graph.constant(self._key("os.path.exists", path) in self._kept)


def _is_plain(value: Value) -> bool:
    """Whether it holds tensors, numbers and texts alone, in lists, tuples and dictionaries."""
    waiting, seen = [value], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if part is not None and not isinstance(part, _PLAIN):
            return False
        waiting += held(part)
    return True
