"""Agents for `rummy_env`: what chooses actions, and what learns to.

Runs from a checkout and is not part of the wheel. Imports go down only: `config`
over `ppo` and `evaluation`, over `rollout` and `registry`, over the agents, over
`networks`, `losses`, `returns`, `checkpoint` and `run`, over `base`.
"""
