"""Values from outside: texts that stand for arrays, and read no names."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Node
from gradcli.language import syntax
from gradcli.language.parser import parse_expression
from gradcli.ledger import Ledger
from gradcli.options import DEFAULT, Options
from gradcli.trace import Tracer
from gradcli.trace.items import Items
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


def literals(
    sources: Sequence[Source],
    options: Options = DEFAULT,
    ledger: Ledger | None = None,
) -> tuple[list[Array], int | None, int]:
    """The arrays that texts from the command line stand for: literals, constants, constructors.

    Also the seed, if random numbers were drawn, and how many draws were made. The `ledger` knows
    what else was read.
    """
    graph = options.graph(ledger=ledger)
    arrays = []
    for source in sources:
        expression = parse_expression(source, options.limits.parse)
        evaluator = Evaluator({}, graph.ledger)
        tracer = LiteralTracer(graph, evaluator, source, options.limits.trace)
        node = tracer.literal(expression)
        try:
            array = evaluator.value(node)
            evaluator.clear()
            graph.ledger.take(array.nbytes, source.name)
            arrays.append(array)
        except GradcliError as error:
            raise error.located(source, None) from None
    return arrays, graph.seed, graph.draws
