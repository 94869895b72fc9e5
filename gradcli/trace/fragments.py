"""The middle of a notebook: Python that uses PyTorch or NumPy, with its imports elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gradcli.language import syntax
from gradcli.trace.names import all_parts, may_be_fragment

_MODULES: Mapping[str, str] = {
    "torch": "torch", "np": "numpy", "nn": "torch.nn", "F": "torch.nn.functional",
    "optim": "torch.optim", "math": "math",
}  # fmt: skip
_MEMBERS: Mapping[str, str] = {
    "Variable": "torch.autograd.Variable", "Dataset": "torch.utils.data.Dataset",
    "DataLoader": "torch.utils.data.DataLoader",
    "TensorDataset": "torch.utils.data.TensorDataset", "partial": "functools.partial",
    "Counter": "collections.Counter", "defaultdict": "collections.defaultdict",
    "deque": "collections.deque", "OrderedDict": "collections.OrderedDict",
    "dataclass": "dataclasses.dataclass", "tqdm": "tqdm.tqdm", "random": "random", "copy": "copy",
    "time": "time",
}  # fmt: skip
"""What people import with them, by the names that they give it."""

_OWN = re.compile(r"#[=!]|^ *\w+\([^()\n]*\) *=[^=]|^ *(?:while|for|if|elif|else|def)\b[^:\n]*\{"
                  r"|\b(?:true|false|none)\b", re.MULTILINE)  # fmt: skip
"""What Python does not have: what a result must be, functions by their formulas, blocks in braces,
other names of constants."""
_OF_LISTS = ("append", "extend", "insert", "pop", "remove", "sort", "reverse", "index", "count",
             "copy", "clear")  # fmt: skip
_BINDS = (syntax.Assign, syntax.AugmentedAssign, syntax.For, syntax.Clause)


def usual_imports(program: syntax.Program) -> dict[str, str]:
    """What a program is taken to have imported, by the names for it: nothing, unless it plainly is
    the middle of a notebook.

    It computes with bare lists and numbers as Python does, and not as with tensors.
    """
    text = program.source.text
    if not may_be_fragment(text) or _OWN.search(text):
        return {}
    parts = all_parts(program.statements)
    named = {each.id for each in parts if isinstance(each, syntax.Name)} - _bound(parts)
    modules = {
        each.value.id
        for each in parts
        if isinstance(each, syntax.Attribute) and isinstance(each.value, syntax.Name)
    } & named & _MODULES.keys()  # fmt: skip
    has_import = any(isinstance(each, syntax.Import) for each in parts)
    if has_import or not modules or not any(map(_prints, parts)) or _takes_for_tensors(parts):
        return {}
    return {name: path for name, path in {**_MODULES, **_MEMBERS}.items() if name in named}


def _prints(part: syntax.Syntax) -> bool:
    if isinstance(part, syntax.ClassDefinition):
        return True
    return (
        isinstance(part, syntax.Call)
        and isinstance(part.callee, syntax.Name)
        and part.callee.id == "print"
    )


def _bound(parts: Sequence[syntax.Syntax]) -> set[str]:
    """The names to which a program gives values of its own."""
    names: set[str] = set()
    for part in parts:
        targets: list[syntax.Syntax] = []
        if isinstance(part, _BINDS):
            targets.append(part.target)
        elif isinstance(part, syntax.ChainedAssign):
            targets += part.targets
        elif isinstance(part, syntax.FormalParameter | syntax.FunctionDefinition
                        | syntax.ClassDefinition):  # fmt: skip
            names.add(part.name)
        names |= {each.id for target in targets for each in _names_of(target)}
    return names


def _names_of(target: syntax.Syntax) -> list[syntax.Name]:
    """The names that a target binds; an element or an attribute binds none."""
    if isinstance(target, syntax.Index | syntax.Attribute):
        return []
    return [each for each in all_parts([target]) if isinstance(each, syntax.Name)]


def _takes_for_tensors(parts: Sequence[syntax.Syntax]) -> bool:
    """Whether a name that stands for a written list or number is used as a tensor is."""
    lists: set[str] = set()
    numbers: set[str] = set()
    for part in parts:
        if isinstance(part, syntax.Assign) and isinstance(part.target, syntax.Name):
            value = part.value.operand if isinstance(part.value, syntax.Unary) else part.value
            if isinstance(value, syntax.List) and value.items:
                lists.add(part.target.id)
            elif isinstance(value, syntax.Number):
                numbers.add(part.target.id)
    return any(
        _takes_part(part, lists | numbers)
        if isinstance(part, syntax.Attribute)
        else isinstance(part, syntax.Binary)
        and any(_is_list(side, lists) for side in (part.left, part.right))
        for part in parts
    )


def _takes_part(part: syntax.Attribute, names: set[str]) -> bool:
    """Whether it is an attribute, of a list or a number, that Python does not have."""
    owner = part.value
    is_literal = isinstance(owner, syntax.List | syntax.Number)
    is_named = isinstance(owner, syntax.Name) and owner.id in names
    return (is_literal or is_named) and part.name not in _OF_LISTS


def _is_list(part: syntax.Syntax, lists: set[str]) -> bool:
    return isinstance(part, syntax.List) or (isinstance(part, syntax.Name) and part.id in lists)
