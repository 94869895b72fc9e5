"""Values from the command line: expressions that read no names."""

from __future__ import annotations

import math

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.language import syntax
from gradcli.trace.items import Items
from gradcli.trace.tracer import Tracer
from gradcli.trace.values import Value

NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""How JSON output writes numbers that JSON does not have; input may write them so, too."""


class LiteralTracer(Tracer):
    """Evaluates one expression of literals, constants and constructors."""

    def literal(self, expression: syntax.Expression) -> Node:
        """The expression's tensor; `1, 2` is the same as `[1, 2]`."""
        try:
            value = self.run(self.visit(expression))
            return self.values.tensor(Items(list(value)) if isinstance(value, tuple) else value)
        except GradcliError as error:
            raise error.located(self.source, self.graph.span) from None

    def _string(self, expression: syntax.String) -> Value:
        if expression.value in NON_FINITE:
            return self.graph.constant(NON_FINITE[expression.value])
        return expression.value

    def _unknown_name(self, name: str) -> GradcliError:
        return GradcliError(
            "name",
            f"a value from outside cannot read names, and {name!r} is none of pi, e, inf, nan",
            hint="write numbers, [1, 2], a constructor such as ones(2, 2), or @file",
        )
