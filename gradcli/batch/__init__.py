"""Many programs in, one JSON line each out, in order; a bad record does not affect the others.

One process (`supervisor`) reads lines, hands them to workers that it forked (`worker`), and writes
their answers in input order, through a `journal` where they go to a file. A worker reads a record,
runs it with a plan, kept from an earlier record if there is one, and fills in the `form` of the
answer; records that are `alike` go through the plan together, as a `stack`.
"""
