"""What the language has besides the op table: functions and methods of Python and PyTorch.

It is made when a program first calls what the op table does not have, and parts that few programs
use only where a word in the program's text says that it may need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.trace.autograd import Autograd
from gradcli.trace.autograd_calls import AutogradCalls
from gradcli.trace.callee import MODULES
from gradcli.trace.conversions import Conversions
from gradcli.trace.libraries import has
from gradcli.trace.object_functions import ObjectFunctions
from gradcli.trace.objects import Object
from gradcli.trace.python_functions import PythonFunctions
from gradcli.trace.sequences import Sequences
from gradcli.trace.settings import SETTINGS, SettingCalls
from gradcli.trace.special import OF_LISTS, ON_NUMBERS, Special, Specials
from gradcli.trace.values import Value, Values

_OF_PYTHON = ("warnings", "gc.", "functools", "itertools", "time", "dataclass", "tqdm",
             "pathlib")  # fmt: skip
"""What is in the text of a program that uses the parts of Python's library below."""
_DATES = ("datetime", "pathlib", "strftime", "gmtime", "localtime", "ctime", "asctime")
"""The same of dates, and of the names of files."""
_OF_INSTALLATION = ("sys", "importlib", "packaging")
"""The same of what Python is told of where it runs."""
_MORE_OF_PYTHON = (
    "itertools", "operator", "contextlib", "import re", ", re\n", ", re,", "from re", "json",
    "SimpleNamespace", "MethodType", "os.path", "os.environ", "os.getenv", "os.make", "os.sep",
    "os.pardir", "os.cpu_count", "from os", "heapq", "bisect", "statistics", "logging", "enum",
    "argparse", "sys.modules", "pprint", "inspect", "unicodedata",
)  # fmt: skip
"""The same of parts that fewer use."""
_MATH = ("math",)
_OF_PYTORCH = ("nn", "optim", "func", "vmap", "Function", "torch.utils")
"""The same of parts of PyTorch that few programs use."""
_SELDOM = (
    "Attention",
    "Transformer",
    "LBFGS",
    "functional_call",
    "stack_module_state",
    "make_functional",
    "combine_state_for_ensemble",
    "register_module_",
)
"""The same of parts that few of these use."""
_COUNTS = (
    "bincount",
    "unique",
    "histc",
    "histogram",
    "bucketize",
    "searchsorted",
    "isin(",
    "pad_sequence",
)
_DRAWS = (
    "bernoulli",
    "multinomial",
    "normal(",
    "poisson",
    "gumbel_softmax",
    "distributions",
    "randint",
    "randperm",
    "random_split",
    "DataLoader",
    "Sampler",
)
_CHANCES = ("random",)
_COPIES = ("contiguous(", "channels_last")
_IN_MEMORY = (".view(",)
_SPREAD = (
    ".t()", ".T.", ".T)", ".T,", ".T ", ".T;", ".T[", ".T]", ".T\n", ".mT", "transpose(",
    "permute(", "moveax", "movedim(", "swap", "expand(", "::", ":,", ", :", "narrow(", "select(",
    "chunk(", "split(", "unbind(", "diagonal(", "unfold(", ".t_(", "transpose_(",
)  # fmt: skip
"""What may leave elements in another order than that of their memory, or with others between."""
_EINSUMS = ("einsum(",)
_COLLECTIONS = ("namedtuple", "deque")
_EVEN_STEPS = ("endpoint", "retstep")
_NUMPY_RANDOM = ("np.random", "numpy.random", "default_rng", "numpy import random")
"""The same of functions that count, and of those that draw by probabilities."""


class Caller(Protocol):
    """The tracer, as functions of the library know it."""

    values: Values
    autograd: Autograd
    special: Specials

    @property
    def python(self) -> PythonFunctions:
        """Functions of Python's."""

    @property
    def autograd_calls(self) -> AutogradCalls:
        """`grad` and `backward`."""

    def function_call(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Any:
        """The value of a call of a function that is not the program's own."""

    def named_call(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Any:
        """The value of a call of a function of Python's."""

    def operated(self, operator: str, left: Value, right: Value) -> Any:
        """The value of an operator on two values, or the visitor that finds it."""

    def replace(self, old: Node, new: Node) -> None:
        """Put a node in the place of an old one, for all who hold that."""

    def put_into(self, out: Node, result: Node) -> Node:
        """Write what a function gives into the tensor `out=…`."""

    def note_random(self) -> None:
        """Note once that random numbers are not PyTorch's."""


class Library:
    """Functions and methods by name."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._values, self._autograd = caller.values, caller.autograd
        numbers = caller.special.numbers
        self.sequences = Sequences(self._values)
        self.given: dict[str, Value] = {}
        """What the program has given modules, by path: `torch.tau = …`."""
        self.python = caller.python
        self.objects = ObjectFunctions(self._autograd, numbers, caller.named_call)
        self._settings = SettingCalls(self._autograd)
        self._calls = caller.autograd_calls
        self._conversions = Conversions(self._autograd)
        self.functions: dict[str, Special] = (
            caller.special.functions
            | self.python.functions
            | self.objects.functions
            | self._calls.functions
            | self._conversions.functions
            | self._settings.functions
        )
        self.functions["builtins.method"] = self._method
        self.functions["builtins.class"] = self._class
        self.of_lists = frozenset(
            (
                *self.objects.functions,
                *self.python.functions,
                *ON_NUMBERS,
                "torch.is_tensor",
                *OF_LISTS,
            )
        )
        """Functions of Python that see lists as they are written."""
        self.constants: dict[str, Value] = {}
        """What modules have that is no function: `os.environ`."""
        self.is_whole = False
        """Whether it has what few programs use, too."""
        self.in_place: Mapping[str, Any] = {}
        """Methods that change tensors in place and are no functions, once it is whole."""
        self._distributions: Any = None
        """The functions of `torch.distributions`, where the program speaks of them."""
        self._add_mentioned()

    @cached_property
    def methods(self) -> dict[str, Special]:
        """The methods by name, once one is called."""
        own = self._calls.methods | self._conversions.methods | self._settings.methods
        return self._caller.special.methods | own

    def _method(self, arguments: list[Value], keywords: dict[str, Value]) -> Any:
        """`str.lower(x)`: the method that the first argument names."""
        from gradcli.trace.unbound import unbound  # few programs name them

        return unbound(self.sequences, arguments, keywords)

    def _class(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`type("A", (B,), {"x": 1})`."""
        from gradcli.trace.class_definitions import ClassDefinitions  # few programs make them so

        tracer: Any = self._caller
        return ClassDefinitions(tracer).derived(*arguments)

    def knows(self, path: str) -> bool:
        """Whether an imported path can be what is there already: a module, or its member."""
        module, _, member = path.rpartition(".")
        home = MODULES.get(module)
        return path in MODULES or home is None or member in FUNCTIONS or (
            f"{home}.{member}" in self.functions
        )  # fmt: skip

    def has_member(self, module: str, name: str) -> bool:
        """Whether a module has a function, a constant or a module of that name."""
        whole, home = f"{module}.{name}", MODULES.get(module)
        if home is None or whole in MODULES or name in has(home):
            return True
        from gradcli.trace.imports import constant_of, members  # most programs do not ask

        self.have_all()
        own = name in members(module, self.functions) or whole in self.constants
        return own or constant_of(whole) is not None

    def add(self, module: str, name: str, value: Value) -> None:
        """Have a module know a function of the program's by a name of its own, or a value, which
        may take the place of a constant or a setting.
        """
        from gradcli.trace.imports import constant_of

        whole = f"{module}.{name}"
        is_free = whole in SETTINGS or constant_of(whole) is not None
        if not isinstance(value, Object) and (is_free or not self.has_member(module, name)):
            self.given[whole] = value
            self._values.members_given = True
            return
        if self.has_member(module, name) or not isinstance(value, Object):
            raise GradcliError("name", f"{module}.{name} is there and stays what it is",
                               hint=f"another name is free: {module}.{name}_own")  # fmt: skip
        self.functions[whole] = value.call

    def have_all(self) -> bool:
        """Have what few programs use, too: once a name is not found without it."""
        if not self.is_whole:
            from gradcli.trace.seldom import Seldom

            caller = self._caller
            seldom = Seldom(
                self._autograd,
                caller.function_call,
                caller.note_random,
                caller.put_into,
                caller.replace,
                caller.python,
                self._distributions,
            )
            self._add(seldom)
            self.in_place = seldom.in_place
            self.constants |= seldom.constants
            self.is_whole = True
        return True

    def _add_mentioned(self) -> None:
        """Have the parts that the program's text speaks of."""
        if self._mentions(_OF_PYTORCH):
            self.functions |= self._of_pytorch()
        if self._mentions(_OF_PYTHON):
            self.functions |= self._of_python()
        if self._mentions(_OF_INSTALLATION):
            from gradcli.trace.environment import Environment

            self._add(Environment(self._autograd, self._caller.special.functions["print"]))
        if self._mentions(_MORE_OF_PYTHON):
            self.functions |= self._more_of_python()
        if self._mentions(_MATH):
            from gradcli.trace.python_math import PythonMath

            self._add(PythonMath(self._values))
        if self._mentions(_COUNTS):
            from gradcli.trace.countings import Countings

            self._add(Countings(self._autograd))
        if self._mentions(_CHANCES):
            from gradcli.trace.chances import Chances

            self._add(Chances(self._values, self._caller.note_random))
        if self._mentions(_COLLECTIONS):
            from gradcli.trace.collections_calls import Collections

            self._add(Collections(self._values))
        if self._mentions(_COPIES) or (self._mentions(_IN_MEMORY) and self._mentions(_SPREAD)):
            from gradcli.trace.memory import Memory

            self._add(Memory(self._autograd))
        if self._mentions(_EINSUMS):
            from gradcli.trace.sublists import Sublists

            self._add(Sublists(self._values, self._caller.function_call))
        self._add_numpys()
        if self._mentions(_DRAWS):
            self._draw()

    def _add_numpys(self) -> None:
        """Have the parts of NumPy that the program's text speaks of."""
        if self._mentions(_EVEN_STEPS):
            from gradcli.trace.even_steps import EvenSteps

            self._add(EvenSteps(self._autograd))
        if self._mentions(_NUMPY_RANDOM):
            from gradcli.trace.numpy_random import NumpyRandom

            caller = self._caller
            self._add(NumpyRandom(self._values, caller.put_into, caller.note_random))

    def _of_python(self) -> dict[str, Special]:
        """Functions of parts of Python's library."""
        from gradcli.trace.python_modules import PythonModules

        functions = PythonModules(self._autograd, self.python.written).functions
        if self._mentions(_DATES):
            from gradcli.trace.dates import Dates

            functions |= Dates(self._values, functions["time.time"]).functions
        if self._mentions(("tqdm",)):
            from gradcli.trace.progress import ProgressBars

            tell = self._caller.special.functions["print"]
            functions |= ProgressBars(self._values, tell).functions
        return functions

    def _more_of_python(self) -> dict[str, Special]:
        """Functions of parts of Python's library that few programs use."""
        from gradcli.trace.iteration_tools import IterationTools
        from gradcli.trace.managers import Managers
        from gradcli.trace.patterns import Patterns
        from gradcli.trace.python_library import PythonLibrary

        caller, python = self._caller, self.python
        library = PythonLibrary(self._values, caller.special.numbers, python.written)
        self.constants |= library.constants
        if self._mentions(("argparse",)):
            from gradcli.trace.argument_parser import ArgumentParsers

            library.functions |= ArgumentParsers(self._values, python.written).functions
        if self._mentions(("inspect",)):
            from gradcli.trace.signatures import Inspection

            inspection = Inspection(self._values, python.written)
            library.functions |= inspection.functions
            self.constants |= inspection.constants
        tell = caller.special.functions["print"]
        if self._mentions(("logging",)):
            from gradcli.trace.logs import Logs

            logs = Logs(self._values, python.written, python.percent, tell)
            library.functions |= logs.functions
            self.constants |= logs.constants
        if self._mentions(("pprint",)):
            from gradcli.trace.pretty import PrettyPrinting

            pretty = PrettyPrinting(self._values, caller.special.numbers, python.written, tell)
            library.functions |= pretty.functions
        return (
            IterationTools(self._values, caller.operated).functions
            | Managers(self._autograd).functions
            | Patterns(self._values).functions
            | library.functions
        )

    def _mentions(self, words: tuple[str, ...]) -> bool:
        """Whether one of these stands in the text of the program."""
        return self._autograd.mentions.any_of(words)

    def _add(self, more: Any) -> None:
        """Have more functions and methods."""
        self.functions |= more.functions
        if more.methods:
            self.methods |= more.methods

    def _draw(self) -> None:
        """Have functions that draw by probabilities."""
        from gradcli.trace.draws import Draws

        draws = Draws(self._autograd, self._caller.note_random)
        self._add(draws)
        if self._mentions(("distributions",)):
            from gradcli.trace.distribution_calls import DistributionCalls

            self._distributions = DistributionCalls(draws)
            self.functions |= self._distributions.functions

    def _of_pytorch(self) -> dict[str, Special]:
        """Functions of parts of PyTorch that few programs use."""
        from gradcli.trace.batch_norms import BatchNorms
        from gradcli.trace.classes import MODULE, ROOTS
        from gradcli.trace.data_loaders import DataLoaders
        from gradcli.trace.embeddings import Embeddings
        from gradcli.trace.layers import Layers
        from gradcli.trace.modules import in_given_dtypes
        from gradcli.trace.optimisers import Optimisers
        from gradcli.trace.parameter_calls import ParameterCalls
        from gradcli.trace.recurrent import RecurrentLayers
        from gradcli.trace.schedulers import Schedulers
        from gradcli.trace.transforms import Transforms

        autograd, call, replace = self._autograd, self._caller.function_call, self._caller.replace
        layers = Layers(autograd, call, replace, self._caller.put_into)
        optimisers = Optimisers(autograd, replace)
        late = self._seldom_used(layers, optimisers) if self._mentions(_SELDOM) else {}
        return (
            late
            | dict.fromkeys(ROOTS, _not_called)
            | {f"{MODULE}.__init__": self._begin_module, MODULE: self._bare_module}
            | in_given_dtypes(
                layers.functions
                | Embeddings(layers).functions
                | BatchNorms(layers).functions
                | RecurrentLayers(layers).functions
            )
            | optimisers.functions
            | ParameterCalls(autograd, call, replace, self._caller.put_into).functions
            | Schedulers(self._values).functions
            | DataLoaders(autograd, call).functions
            | Transforms(autograd).functions
        )

    def _begin_module(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`nn.Module.__init__(self)`."""
        from gradcli.trace.own_modules import Model

        for each in arguments[:1]:
            if isinstance(each, Model):
                each.begin_as_module()
        return None

    def _bare_module(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`nn.Module()`: a model without a forward, which may be given parts."""
        from gradcli.trace.classes import MODULE, Class
        from gradcli.trace.frames import Frame
        from gradcli.trace.own_modules import Model

        autograd, replace = self._autograd, self._caller.replace

        def make(made: Class) -> Model:
            return Model(autograd, made, replace)

        of = Class("Module", [], [MODULE], Frame(of_class=True), make, run=autograd.run_inside)
        return of.call(arguments, keywords)  # type: ignore[no-any-return]

    def _seldom_used(self, layers: Any, optimisers: Any) -> dict[str, Special]:
        """Functions of parts that few of these programs use."""
        from gradcli.trace.functional_calls import FunctionalCalls
        from gradcli.trace.lbfgs import lbfgs
        from gradcli.trace.modules import in_given_dtypes
        from gradcli.trace.transformers import Transformers
        from gradcli.trace.watching import WatchingCalls

        own: dict[str, Special] = {"torch.optim.LBFGS": lbfgs(optimisers)}
        made = in_given_dtypes(Transformers(layers).functions)
        own |= WatchingCalls(self._autograd.of_modules).functions
        return own | made | FunctionalCalls(self._autograd).functions


def _not_called(*_: object) -> Value:
    raise GradcliError(
        "type", "this class is made from, not called", hint="class Net(nn.Module): …"
    )
