"""The engine: runs plans over nodes. It knows schedules and memory, and nothing of derivatives.

    nodes ──▶ plan: units, in the order in which they run

    ┌ plan ──────────────────────────────────────────────────────────────────────────────────┐
    │  single    a node on its own: one call of NumPy's                                      │
    │  region    elementwise nodes of one large shape, and the reductions at their ends:     │
    │            │ block │ block │ block │ …   2¹⁶ elements each, which stay in the cache    │
    │  strips    a large product of matrices, and what follows from its rows row by row:     │
    │            │ strip │ strip │ strip │ …   about 2¹⁹ elements each; each strip runs      │
    │            ┌ plan ────────────────────────────┐                                        │
    │            │  the same nodes, for fewer rows  │  in scratch memory, on one thread      │
    │            └──────────────────────────────────┘  what is summed over rows is added up  │
    │  single    …                                                                           │
    └────────────────────────────────────────────────────────────────────────────────────────┘

- A *plan* (`plan.py`) is made for some outputs. It knows its *units*, when values die, and how much
  memory it takes at most.
- A *unit* is what runs at once. Whatever it is, it tells what it reads (operands), what is there
  after it (outputs), what memory it takes on the way, and gives its runner.
- A *region* (`region.py`; which nodes make one: `regions.py`) is swept over once: a *block* of all
  its values is computed before the next one is touched, and threads take blocks in turn.
- *Strips* (`strips.py`; which nodes: `rows.py`) are rows of tables. A *split* says for an op which
  part of each operand goes with a part of its result: it stands in the op's entry.
- A *loop* that stayed one (`loops.py`) is a unit with a body of its own, which is run pass by pass;
  what passes do not wait for each other with is computed for many of them in one call.
- An *engine* makes a plan ready for a device, and runs it as often as it is fed: `cpu.py` with
  NumPy, `gpu.py` with kernels that `cuda.py` writes for regions. `device.py` chooses. What a trace
  looks at is computed by `evaluator.py`, a node at a time, to the same bits.

Where blocks, strips and tiles lie depends on shapes alone, and what they leave is combined in their
order: the same bits come out for any number of threads.
"""
