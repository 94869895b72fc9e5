"""Many programs in, one JSON line each out, in order; a bad record costs itself and nothing else.

One process (`supervisor`) reads lines, hands them to workers that it forked (`worker`), and writes
their answers in input order, through a `journal` where they go to a file.
"""
