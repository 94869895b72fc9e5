"""Algebra: a graph in index notation, where identities of matrix calculus are easy to see.

    nodes ──lift──▶ sums of terms ──identities──▶ fewer terms ──reading──▶ an expression to read

    x @ A @ x, by x        Σ_j A[i, j]·x[j] + Σ_j A[j, i]·x[j]        (A + A.T) @ x

In index notation (Laue, Mitterreiter, Giesen: Computing higher order derivatives of matrix and
tensor expressions, 2018) there are no transposes, traces, outer products or broadcasts: these are
only places of indices. `terms.py` has the notation, `lift.py` comes from nodes to it,
`identities.py` are the rewrites, and `reading.py` with `chains.py` goes back to matrices.

What comes out is for reading. It holds for regular matrices and away from kinks, and is checked
against the gradient that is computed before anyone sees it (`gradcli.analysis.symbolic`).
"""
