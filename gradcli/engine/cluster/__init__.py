"""Many machines, through dask: `connection` reaches them, `window` keeps them busy with portions of
work and takes the results in order, `machines` tells whether they compute the same bits.

The scheduler of dask holds a few portions for each worker, and workers hold nothing between two of
them: what a worker that dies was given is done again.
"""
