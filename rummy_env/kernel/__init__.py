"""The compiled core: every rule of the game, once, as functions over a record.

Kernels take arrays and scalars, allocate nothing per call (workspaces come from the
caller, one per thread), and read as plain Python: they run unchanged under
`NUMBA_DISABLE_JIT=1`. They check nothing; their callers do. `jit` is the only door
to Numba.
"""
