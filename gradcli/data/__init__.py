"""Files to arrays, arrays to files, and the text of programs.

Everything read here is untrusted: sizes are checked before anything is allocated, nothing is
unpickled, and every mistake is a `GradcliError` that names the file and the place in it.
"""

MAPPED = 2**20
"""A `.npy` file of at least so many bytes is mapped into memory instead of read."""
