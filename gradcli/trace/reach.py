"""What a loop can reach, and whether its passes change nothing but tensors and names: found by
reading the program. Nothing is run, and nothing recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from itertools import chain
from typing import Any

from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.trace.names import SHORT, all_parts, bound_by, targets_in

PLAIN = frozenset((
    syntax.Number, syntax.Constant, syntax.String, syntax.Template, syntax.Field, syntax.List,
    syntax.Tuple, syntax.Unary, syntax.Binary, syntax.Compare, syntax.Keyword, syntax.Call,
    syntax.Slice, syntax.Ellipsis, syntax.Index, syntax.Conditional, syntax.Comprehension,
    syntax.Clause, syntax.Evaluate, syntax.FormalParameter, syntax.FunctionDefinition,
    syntax.Return, syntax.Break, syntax.Continue, syntax.PassStatement, syntax.While, syntax.For,
    syntax.If, syntax.With, syntax.Context, syntax.Import, syntax.Assert, syntax.Lambda,
    syntax.Starred, syntax.DictLiteral, syntax.Pair, syntax.Handler, syntax.ByteString,
))  # fmt: skip
"""What changes nothing but tensors and the names that are bound."""


HARMLESS = frozenset((
    "T", "mT", "shape", "ndim", "dtype", "append", "extend", "tensor", "item", "data",
    "grad", "backward", "zero_", "requires_grad", "requires_grad_", "is_leaf", "no_grad",
    "enable_grad", "set_grad_enabled", "is_grad_enabled", "float32", "float64",
    "linalg", "autograd", "functional", "nn", "special", "pi", "e", "inf",
    "optim", "SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam",
    "Module", "__init__", "forward",
    "MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "CrossEntropyLoss", "NLLLoss", "BCELoss",
    "BCEWithLogitsLoss", "KLDivLoss", "Linear", "Sequential", "Parameter", "ReLU", "LeakyReLU",
    "Tanh", "Sigmoid", "Softplus", "Softmax", "LogSoftmax", "GELU", "ELU", "SiLU", "Flatten",
    "parameters", "weight", "bias", "step", "zero_grad", "set_default_dtype", "set_printoptions",
    "manual_seed", "numel", "size", "dim", "copy_", "fill_", "to", "double", "float", "long",
    "int64", "int32", "int16", "int8", "uint8", "bool", "half", "float16", "bfloat16",
    "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "ByteTensor", "BoolTensor", "empty",
    "cuda", "cpu", "mps", "backends", "device", "is_available", "is_built", "device_count",
    "current_device", "get_device_name", "manual_seed_all", "__version__", "version", "type",
    "numpy", "tolist", "clone", "nelement", "element_size", "allclose", "grad_fn",
    "next_functions", "named_parameters", "inference_mode", "randint", "randperm",
    "Conv1d", "Conv2d", "Conv3d", "MaxPool1d", "MaxPool2d", "AvgPool1d", "AvgPool2d",
    "AdaptiveAvgPool2d", "Embedding", "LayerNorm", "Dropout", "RNN", "LSTM", "GRU", "ModuleList",
    "init", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_",
    "normal_", "uniform_", "constant_", "zeros_", "ones_",
    "items", "keys", "values", "format", "lower", "upper", "strip", "center", "ljust", "rjust",
    "join", "replace", "startswith", "endswith", "title", "zfill", "isalpha", "isdigit", "Tensor",
    "TensorDataset", "LayerNorm", "GroupNorm", "Identity", "Unflatten", "MultiheadAttention",
    "train", "eval", "training", "utils", "DataLoader", "Dataset", "clip_grad_norm_",
    "clip_grad_value_", "GRUCell", "LSTMCell", "RNNCell", "trunc_normal_", "orthogonal_",
    "children", "modules", "named_modules", "named_children", "in_features", "out_features",
    "dataset", "batch_size", "astype", "contiguous",
    "lr_scheduler", "StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "LinearLR",
    "ConstantLR", "PolynomialLR", "get_last_lr", "last_epoch", "param_groups",
))  # fmt: skip
"""Attributes that change at most the tensor that they belong to, or are no functions: a list has a
new value for its name."""
_MODULES = frozenset((
    "torch", "math", "numpy", "torch.nn.functional", "torch.autograd", "torch.linalg", "torch.nn",
    "torch.optim", "torch.optim.lr_scheduler", "torch.nn.init", "torch.nn.utils", "torch.utils",
    "torch.utils.data",
    "torchvision", "os", "sys", "matplotlib", "matplotlib.pyplot", "pandas", "warnings", "typing",
))  # fmt: skip
"""Of these, functions that keep something between their calls have other names than those."""
_CHANGING = frozenset(("pop", "popitem", "update", "clear", "setdefault", "remove", "insert"))
"""Methods that change lists and dictionaries, and may also be those of objects."""
_KEEPING = frozenset(("iter", "next", "setattr", "delattr"))
"""Functions that change what their operand goes on with, or has."""
_AT_ONCE = _CHANGING | frozenset((
    "next", "setattr", "delattr", "register_buffer", "register_parameter", "load_state_dict",
    "state_dict", "get", "copy", "index", "count", "find", "sort", "reverse", "split", "rsplit",
    "splitlines", "lstrip", "rstrip", "rfind", "isspace", "isalnum", "isnumeric", "casefold",
    "capitalize", "swapcase", "encode", "decode", "read", "readlines", "write", "close", "deepcopy",
))  # fmt: skip
"""Functions and methods that have done what they do when they end."""
_FINDERS = frozenset((
    "getattr", "globals", "locals", "vars", "eval", "type", "classmethod", "cls", "__class__",
    "__dict__",
))  # fmt: skip
"""Where one of these stands, functions and classes may be called whose names stand nowhere."""


def _once(program: syntax.Program) -> Sequence[syntax.Statement]:
    """The statements, without those that repeat others one after another."""
    if len(program.statements) < SHORT:
        return program.statements
    from gradcli.trace.renamings import renamings
    from gradcli.trace.repetitions import blocks, once

    return once(program, blocks(program) or [each.block for each in renamings(program)])


class LoopReach:
    """Which loops of a program can change nothing but tensors and what names are bound to, where no
    error is caught but by statements of the program itself.

    What a loop reaches is found by names: all functions, methods and classes of a name that stands
    in it, and in what it reaches. What may be called without its name is reached by every loop.
    """

    def __init__(self, program: syntax.Program) -> None:
        parts = all_parts(_once(program))
        self._doubtful = {part for part in parts if not _is_plain(part)}
        self.is_doubtful = False
        """Whether something in the program may change what any of its loops does: then loops are
        one node where what they use is `steady`.
        """
        self._known: dict[Any, bool] = {}
        self._used: dict[Any, frozenset[str]] = {}
        self._definitions: dict[str, list[syntax.Syntax]] = {}
        self._always: list[syntax.Syntax] = []
        """What may be called without its name."""
        if not self._doubtful:
            return
        outer = {name for part in parts if isinstance(part, syntax.Outer) for name in part.names}
        callees = {part.callee for part in parts if isinstance(part, syntax.Call)}
        self._doubtful -= _excused(program, parts, callees)
        self._doubtful.update(part for part in parts if not outer.isdisjoint(bound_by(part)))
        self.is_doubtful = any(_lasts(part, part in callees) for part in self._doubtful)
        if self.is_doubtful:
            self._doubt_imported(parts)
        for part in parts:
            if isinstance(part, syntax.FunctionDefinition | syntax.ClassDefinition):
                self._definitions.setdefault(part.name, []).append(part)
        held = {_name(part) for part in parts if part not in callees}
        finds_any = not _FINDERS.isdisjoint(map(_name, parts))
        for name, definitions in self._definitions.items():
            if finds_any or name in held or _is_implicit(name):
                self._always += definitions
        self._always += [part for part in parts if isinstance(part, syntax.Lambda)]

    def _doubt_imported(self, parts: Sequence[syntax.Syntax]) -> None:
        """What an import in doubt gives a name to is in doubt wherever it is named."""
        imported = (part for part in self._doubtful if isinstance(part, syntax.Imported))
        names = {part.name for part in imported}
        self._doubtful.update(
            part for part in parts if isinstance(part, syntax.Name) and part.id in names
        )

    def changes_tensors_alone(self, loop: Any) -> bool:
        """Whether all that passes of a loop can change are tensors and names, by what is written:
        in a program in doubt, what is called without its name is asked for when it is called.
        """
        if not self._doubtful:
            return True
        if loop not in self._known:
            self._known[loop] = self._doubtful.isdisjoint(self._reached(loop))
        return self._known[loop]

    def is_plain(self, definition: syntax.FunctionDefinition) -> bool:
        """Whether all that a function can change by itself are tensors and names, in a program in
        doubt; in others this is known of all that loops reach.
        """
        if not self.is_doubtful:
            return True
        if definition not in self._known:
            self._known[definition] = self._doubtful.isdisjoint(all_parts([definition]))
        return self._known[definition]

    def names_in(self, loop: Any) -> frozenset[str]:
        """The names that stand in a loop, and in all functions and classes of the program."""
        if loop not in self._used:
            definitions = [*chain(*self._definitions.values()), *self._always]
            parts = all_parts([*_passes_of(loop), *definitions])
            self._used[loop] = frozenset(filter(None, map(_name, parts)))
        return self._used[loop]

    def _reached(self, loop: Any) -> Iterator[syntax.Syntax]:
        """The parts of what a loop does in each pass, and of all that these reach; in a program in
        doubt, what they call tells of itself when it is called.
        """
        if self.is_doubtful:
            yield from all_parts(_passes_of(loop))
            return
        pending = [*self._always, *_passes_of(loop)]
        names = set[str]()
        while pending:
            for part in all_parts([pending.pop()]):
                yield part
                name = _name(part)
                if name not in names and name in self._definitions:
                    names.add(name)
                    pending += self._definitions[name]


def _passes_of(loop: Any) -> Sequence[syntax.Syntax]:
    """What a loop does in each pass."""
    if isinstance(loop, syntax.While):
        return (loop.test, *loop.body)
    return (loop.target, *loop.body) if isinstance(loop, syntax.For) else loop.body


def _name(part: syntax.Syntax) -> str:
    """The name that stands there, if it is one; a member's is its own."""
    if isinstance(part, syntax.Name):
        return part.id
    return part.name if isinstance(part, syntax.Attribute) else ""


def _is_implicit(name: str) -> bool:
    """Whether functions of a name are called without it; objects are begun where their class is
    named.
    """
    return name == "forward" or (name[:2] == name[-2:] == "__" and name != "__init__")


_ASSIGNS = syntax.Assign | syntax.AugmentedAssign


def _lasts(part: syntax.Syntax, is_called: bool) -> bool:
    """Whether what a doubtful part does may go on in a loop that does not reach it."""
    if isinstance(part, syntax.Attribute | syntax.Name):
        return not is_called or _name(part) not in _AT_ONCE
    if isinstance(part, syntax.Imported):
        return part.path.rpartition(".")[2] not in _AT_ONCE
    return isinstance(part, syntax.Try | syntax.Yield | syntax.ClassDefinition)


def _excused(
    program: syntax.Program, parts: Sequence[Any], callees: Container[Any]
) -> set[syntax.Syntax]:
    """What looks doubtful, and is not: statements of the program itself that catch errors, how
    objects begin, attributes and names that the program gives something to.
    """
    found: set[syntax.Syntax] = {
        each for each in program.statements if isinstance(each, syntax.Try)
    }
    classes = [part for part in parts if isinstance(part, syntax.ClassDefinition)]
    targets = {
        target for part in parts if isinstance(part, _ASSIGNS) for target in targets_in(part.target)
    }
    own = {part.name for part in parts if isinstance(part, syntax.Attribute) and part in targets}
    own.update(name for each in classes for name in _members(each))
    own -= _CHANGING
    found.update(part for each in classes for part in _beginnings(each))
    found.update(part for part in parts if isinstance(part, syntax.Attribute) and part.name in own)
    for name in _KEEPING:
        same = [part for part in parts if isinstance(part, syntax.Name) and part.id == name]
        first = min(same, key=lambda part: part.span, default=None)
        loops = [part for part in program.statements if isinstance(part, syntax.For)]
        if first in [each.target for each in loops] and not any(part in callees for part in same):
            found.update(same)
    return found


def _members(class_: syntax.ClassDefinition) -> Iterator[str]:
    """The names that the body of a class gives something to."""
    for part in class_.body:
        if isinstance(part, syntax.FunctionDefinition | syntax.Declaration):
            yield part.name
        elif isinstance(part, syntax.Assign) and isinstance(part.target, syntax.Name):
            yield part.target.id


def _beginnings(class_: syntax.ClassDefinition) -> Iterator[Any]:
    """The assignments by which `__init__` gives an object what it has: `self.a = …`."""
    for part in class_.body:
        if isinstance(part, syntax.FunctionDefinition) and part.name == "__init__":
            owner = part.parameters[0].name if part.parameters else ""
            for each in all_parts(part.body):
                targets = targets_in(each.target) if isinstance(each, syntax.Assign) else ()
                if any(isinstance(target, syntax.Attribute) for target in targets) and all(
                    _is_own(target)
                    or (isinstance(target, syntax.Attribute) and _is_name(target.value, owner))
                    for target in targets
                ):
                    yield each


def _is_plain(part: syntax.Syntax) -> bool:
    return _CHANGES_TENSORS.get(type(part), _never)(part)


def _is_name(expression: syntax.Expression, name: str) -> bool:
    return isinstance(expression, syntax.Name) and expression.id == name


def _is_model(part: syntax.ClassDefinition) -> bool:
    """Whether a class has nothing but what is written in it, and in PyTorch's modules."""
    return all(_name(_called(each)) == "dataclass" for each in part.decorators) and all(
        isinstance(base, syntax.Attribute) and base.name == "Module" for base in part.bases
    )


def _called(expression: syntax.Expression) -> syntax.Expression:
    return expression.callee if isinstance(expression, syntax.Call) else expression


def _is_harmless(part: syntax.Attribute) -> bool:
    return _is_known(part.name)


def _is_known(name: str) -> bool:
    return name in HARMLESS or name.removesuffix("_") in FUNCTIONS


def _binds_own(part: syntax.Assign | syntax.AugmentedAssign) -> bool:
    return _is_own(part.target)


def _imports_functions(part: syntax.Imported) -> bool:
    module, _, member = part.path.rpartition(".")
    return module == "typing" or (
        part.path in _MODULES or (module in _MODULES and _is_known(member))
    )


def _always(_: object) -> bool:
    return True


def _never(_: object) -> bool:
    return False


_CHANGES_TENSORS: dict[type[Any], Callable[[Any], bool]] = {
    **dict.fromkeys(PLAIN, _always),
    syntax.ClassDefinition: _is_model,
    syntax.Attribute: _is_harmless,
    syntax.Name: lambda part: part.id not in _KEEPING,
    syntax.Keyword: lambda part: part.name != "out",
    syntax.Assign: _binds_own,
    syntax.AugmentedAssign: _binds_own,
    syntax.ChainedAssign: lambda part: all(map(_is_own, part.targets)),
    syntax.Imported: _imports_functions,
}
"""By kinds of syntax, whether a part changes nothing but tensors and names; others may."""


def _is_own(target: syntax.Syntax) -> bool:
    """Whether a target is a name, what a tensor alone has, or elements: a pass that stands for
    others may not set those of anything else.
    """
    return all(
        each.name in ("grad", "data")
        if isinstance(each, syntax.Attribute)
        else isinstance(each, syntax.Name | syntax.Index)
        for each in targets_in(target)
    )
