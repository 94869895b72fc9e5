"""What few programs use, by name: it is imported once a name is not found without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradcli.graph import Node
from gradcli.trace.array_changes import ArrayChanges
from gradcli.trace.array_choices import ArrayChoices
from gradcli.trace.array_grids import ArrayGrids
from gradcli.trace.array_iterators import ArrayIterators
from gradcli.trace.array_layouts import ArrayLayouts
from gradcli.trace.array_settings import ArraySettings
from gradcli.trace.arrays_of_numpy import ArrayCalls
from gradcli.trace.averaging import Averaging
from gradcli.trace.checkpoints import Checkpoints
from gradcli.trace.complex_arrays import ComplexArrays
from gradcli.trace.complex_calls import ComplexCalls
from gradcli.trace.composed_layers import ComposedLayers
from gradcli.trace.devices import Devices
from gradcli.trace.distribution_calls import DistributionCalls
from gradcli.trace.distribution_families import DistributionFamilies
from gradcli.trace.dtype_queries import DtypeQueries
from gradcli.trace.dual_numbers import DualNumbers
from gradcli.trace.gradient_checks import GradientChecks
from gradcli.trace.in_place import InPlace
from gradcli.trace.layers import Layers
from gradcli.trace.lazy_layers import LazyLayers
from gradcli.trace.lists_of_tensors import ListsOfTensors
from gradcli.trace.lower_functions import LowerFunctions
from gradcli.trace.memory import Memory
from gradcli.trace.mixed_precision import MixedPrecision
from gradcli.trace.more_layers import MoreLayers
from gradcli.trace.more_optimisers import MoreOptimisers
from gradcli.trace.more_parameters import MoreParameters
from gradcli.trace.more_schedulers import MoreSchedulers
from gradcli.trace.more_tensors import MoreTensors
from gradcli.trace.optimisers import Optimisers
from gradcli.trace.packed_sequences import PackedSequences
from gradcli.trace.parameter_calls import ParameterCalls
from gradcli.trace.plateau import Plateaus
from gradcli.trace.polynomials import Polynomials
from gradcli.trace.python_functions import PythonFunctions
from gradcli.trace.pytrees import PyTrees
from gradcli.trace.rare_python import RarePython
from gradcli.trace.rare_tensors import RareTensors
from gradcli.trace.reflection import Reflection
from gradcli.trace.reparametrising import Reparametrising
from gradcli.trace.samplers import Samplers
from gradcli.trace.short_transforms import ShortTransforms
from gradcli.trace.sobol import Sobols
from gradcli.trace.special import Special
from gradcli.trace.storages import Storages
from gradcli.trace.stores import Stores
from gradcli.trace.text_files import TextFiles
from gradcli.trace.ufunc_methods import UfuncMethods

if TYPE_CHECKING:
    from gradcli.trace.autograd import Autograd


class Seldom:
    """The functions and methods by name."""

    def __init__(
        self,
        autograd: Autograd,
        call: Callable[[str, list[Any], dict[str, Any]], Any],
        note_random: Callable[[], None],
        put: Callable[[Node, Node], Any],
        replace: Callable[[Node, Node], None],
        python: PythonFunctions,
        distributions: DistributionCalls | None,
    ) -> None:
        """`call` calls a function by its name, `put` writes into a tensor, `replace` puts one in
        the place of another.
        """
        in_place = InPlace(autograd, note_random)
        layers = Layers(autograd, call, replace, put)
        more_layers = MoreLayers(layers)
        arrays = ArrayCalls(autograd, call, put)
        grids = ArrayGrids(arrays)
        self.constants = dict(grids.constants)
        parts: list[Any] = [
            DtypeQueries(autograd),
            Reflection(autograd.values, python),
            RarePython(autograd.values, python, call, autograd.run_inside),
            Memory(autograd),
            Storages(autograd, put),
            Stores(autograd),
            MoreTensors(autograd, call, note_random),
            RareTensors(autograd, call, note_random),
            arrays,
            grids,
            ArrayChanges(arrays, replace),
            ArrayChoices(arrays),
            UfuncMethods(arrays),
            ArraySettings(arrays, call),
            Polynomials(arrays),
            ComplexArrays(arrays),
            ComplexCalls(autograd, call, put),
            more_layers,
            ComposedLayers(layers),
            LazyLayers(layers, more_layers.functions),
            MoreOptimisers(Optimisers(autograd, replace)),
            MoreSchedulers(autograd.values),
            Plateaus(autograd.values),
            GradientChecks(autograd),
            LowerFunctions(autograd, call),
            Devices(autograd),
            Averaging(autograd, replace),
            Checkpoints(autograd),
            Reparametrising(autograd),
            PackedSequences(autograd),
            Samplers(autograd, call),
            MixedPrecision(autograd),
            DualNumbers(autograd),
            ListsOfTensors(autograd.values, call, put),
            ArrayIterators(autograd.values),
            ArrayLayouts(autograd),
            Sobols(autograd),
            ShortTransforms(autograd.values, call),
            TextFiles(autograd.values),
            PyTrees(autograd.values),
            MoreParameters(ParameterCalls(autograd, call, replace, put), in_place),
        ]
        if distributions is not None:
            families = DistributionFamilies(distributions, autograd.run_inside)
            parts.append(families)
            self.constants |= families.constants
        self.functions: dict[str, Special] = {}
        self.methods: dict[str, Special] = {}
        for part in parts:
            self.functions |= part.functions
            self.methods |= part.methods
        self.in_place = in_place.functions
