"""Values from the command line: texts that stand for arrays."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array
from gradcli.language.parser import parse_expression
from gradcli.ledger import Ledger
from gradcli.options import DEFAULT, Options
from gradcli.trace.literal import LiteralTracer


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
