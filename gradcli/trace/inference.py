"""Tensors that were made under `torch.inference_mode()`, and what PyTorch does not do with them."""

from __future__ import annotations

from collections.abc import Callable

from gradcli.differentiate.reverse import contributions
from gradcli.graph import Node
from gradcli.trace.caught import RaisedError
from gradcli.trace.objects import Recording
from gradcli.trace.values import Values

_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference mode in computation tracked by autograd. To work around this, you can make a clone "
    "to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
    "`torch.inference_mode()`."
)
_MARKED = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
_CHANGED = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
    "to get a normal tensor before doing inplace update.See "
    "https://github.com/pytorch/rfcs/pull/17 for more details."
)


class InferredTensors:
    """The tensors, and PyTorch's errors of them."""

    def __init__(self, values: Values, requires_grad: Callable[[Node], bool]) -> None:
        self._values, self._requires_grad = values, requires_grad
        self._spans: list[tuple[int, int | None]] = []
        """Of nodes that such blocks have made: the first, and the one behind the last."""

    def begin(self) -> None:
        """A block begins."""
        self._spans.append((self._values.graph.count, None))

    def end(self) -> None:
        """It ends."""
        self._spans[-1] = self._spans[-1][0], self._values.graph.count

    def __contains__(self, node: Node) -> bool:
        """Whether a tensor, or what it is a view of, was made in a block."""
        base = self._values.storage(node)[0]
        index = self._values.first.get(base, base).index  # not where it was changed
        return any(start <= index < (index + 1 if end is None else end)
                   for start, end in self._spans)  # fmt: skip

    def _are_outside(self) -> bool:
        return all(end is not None for _, end in self._spans)

    def check_marked(self, node: Node) -> None:
        """Raise PyTorch's error where such a tensor is to require grad."""
        if self._are_outside() and node in self:
            raise RaisedError("RuntimeError", _MARKED)

    def check_changed(self, node: Node) -> None:
        """Raise PyTorch's error where such a tensor is to change in place."""
        if self._are_outside() and node in self:
            raise RaisedError("RuntimeError", _CHANGED)

    def check_saved(self, result: Node, first: int) -> None:
        """Raise PyTorch's error where backward through a result, which the nodes from index `first`
        on compute, would need such a tensor.
        """
        waiting, seen = [result], {result}
        cotangent = result.graph.constant(1.0)  # a number of the program may be the same node
        while waiting:
            node = waiting.pop()
            if node.index < first:
                continue
            linked = {each for each in node.inputs if self._requires_grad(each)}
            found = contributions(node, cotangent, linked, set())
            if any(self._is_read(part, cotangent, first) for _, part in found):
                raise RaisedError("RuntimeError", _SAVED)
            waiting += [each for each in node.inputs if each not in seen]
            seen.update(node.inputs)

    def _is_read(self, derivative: Node, cotangent: Node, first: int) -> bool:
        """Whether a derivative is computed of such a tensor, besides the cotangent."""
        waiting, seen = [derivative], {derivative, cotangent}
        if derivative is cotangent:
            return False
        while waiting:
            part = waiting.pop()
            if part.index < first:
                is_number = part.known is not None and not part.shape  # it may be one of a block's
                if not is_number and part in self:
                    return True
                continue
            waiting += [each for each in part.inputs if each not in seen]
            seen.update(part.inputs)
        return False


class Inference(Recording):
    """`torch.inference_mode()`: nothing is recorded, and tensors can tell where they were made."""

    def __init__(self, inferred: InferredTensors) -> None:
        super().__init__(False)
        self._inferred = inferred

    def begin(self) -> None:
        self._inferred.begin()

    def end(self) -> None:
        self._inferred.end()
