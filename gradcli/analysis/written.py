"""Which choices of a formula and its program the user has written, and which lie inside a function
of the language that computes by other formulas than the one by which it is known.
"""

from __future__ import annotations

from gradcli.analysis.diagnosis.claim import Claim
from gradcli.analysis.diagnosis.typed import Tolerant
from gradcli.diagnostics import Source
from gradcli.graph import Node
from gradcli.language.parser import parse_expression
from gradcli.language.rewrite import called
from gradcli.language.syntax import Call, Compare
from gradcli.ops import FUNCTIONS


class Texts:
    """The texts of a claim's formula and of its program."""

    def __init__(self, claim: Claim) -> None:
        problem = claim.walk.problem
        self._limits = problem.options.limits.parse
        self._program = problem.program.source
        self._formula = claim.typed.source if claim.typed else self._program
        nodes = (*claim.walk.outputs, *problem.looked)
        self._last = max(each.index for each in nodes)
        """The formula has no nodes of its own before it."""

    def has(self, node: Node) -> bool:
        """Whether a node stands there as a comparison, or a call of what has no other formula."""
        if node.span is None:
            return False
        source = self._program if node.index <= self._last else self._formula
        with Tolerant():
            match parse_expression(Source("", source.text[slice(*node.span)]), self._limits):
                case Compare():
                    return True
                case Call() as call:
                    function = FUNCTIONS.get(called(call)[0])
                    return function is not None and function.by_book is None
        return False
