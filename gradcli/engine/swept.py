"""What can be swept over in blocks: large values that are computed element by element, and what
reduces them.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from gradcli.graph import INPUT, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import CAST
from gradcli.ops.loops import Loop, written_out
from gradcli.ops.sums import wide

LARGE = 1 << 16
"""Values with at least this many elements are worth a region."""


def compiler() -> str:
    """The C++ compiler that the environment names, for what `compiled` does; mostly none."""
    return os.environ.get("GRADCLI_CXX", "")


def is_member(node: Node) -> bool:
    """Whether a node is computed element by element, and large."""
    return node.size >= LARGE and (isinstance(node.op, Elementwise) or node.op is CAST)


def is_swept(node: Node) -> bool:
    """Whether a node reduces what a region sweeps over: its members, or an input."""
    if not node.op.combine or node.inputs[0].size < LARGE:
        return False
    return may_be_swept(node.inputs[0])


def may_be_swept(node: Node, body: Loop | None = None) -> bool:
    """Whether a large value, maybe in the body of a loop, is a member or an input: where passes are
    written out.
    """
    made = written_out(node, body)
    return made.op is INPUT or is_member(made)


def dtype_of_parts(node: Node) -> np.dtype[Any]:
    """The type of a reduction's partial results: what is added up or multiplied is wide."""
    dtype = node.graph.dtype(node.kind)
    return wide(dtype) if (node.op.combine or "add") in ("add", "multiply") else dtype
