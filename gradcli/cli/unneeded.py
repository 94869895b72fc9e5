"""Modules of NumPy that no command needs: they take a fifth of the time that its import takes."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
else:
    ModuleType = type(sys)  # importing `types` takes time, in which Ctrl-C would show a traceback

DOCUMENTATION = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")
"""Modules that only give functions their docstrings."""
TYPES = "numpy._typing"
"""The package of types for annotations. `numpy.linalg` needs one of them."""


class NDArray:
    """Stands for `numpy.typing.NDArray` in annotations."""

    def __class_getitem__(cls, _: object) -> type[NDArray]:
        return cls


class LateTypes(ModuleType):
    """`numpy._typing`, imported when somebody asks for more than `NDArray` of it."""

    NDArray = NDArray

    def __getattr__(self, name: str) -> object:
        if name == "__path__":  # where its submodules are
            return [f"{sys.modules['numpy'].__path__[0]}/_typing"]
        if name.startswith("__"):
            raise AttributeError(name)
        from importlib import import_module

        del sys.modules[TYPES]
        vars(self).update(vars(import_module(TYPES)))
        return getattr(self, name)


def leave_out() -> None:
    """Have NumPy imported without them, if it has not been imported."""
    for name in DOCUMENTATION:
        sys.modules.setdefault(name, ModuleType(name))
    sys.modules.setdefault(TYPES, LateTypes(TYPES))
