"""Runners: each measures one peer, and knows nothing but it, NumPy and `protocol`.

They run in environments of their own, where the game is not installed.
"""
