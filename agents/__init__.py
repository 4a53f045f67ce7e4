"""Agents for `rummy_env`: what chooses actions, and what learns to.

Runs from a checkout and is not part of the wheel. Imports go down only: `config`
over `ppo`, `dmc` and `evaluation`, over `rollout`, `registry` and `training`, over the
agents, over what these judge by (`options`, `tempo`, `plans`, `prospects`), over
`networks`, `losses`, `returns`, `checkpoint`, `position` and `run`, over `base`.
"""

import os

# Read once when torch is first imported, so it stands here. Where another process has
# a core, OpenMP's idle threads would otherwise spin for it: measured, ten times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
