"""Means with their 95 % confidence intervals, by bootstrap over deals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_NUM_RESAMPLES: Final = 2000
_AT_ONCE: Final = 100
_INTERVAL: Final = (2.5, 97.5)


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % confidence interval.

    Attributes:
        mean: The mean over the deals.
        low: The interval's lower end.
        high: The interval's upper end.
    """

    mean: float
    low: float
    high: float


def bootstrap_mean(samples: NDArray[np.float64], seed: int = 0) -> Estimate:
    """Returns the mean of independent samples with a percentile bootstrap interval.

    Args:
        samples: `[S]`.
        seed: Seed of the resampling.
    """
    (estimate,) = bootstrap(samples[:, None], seed)
    return estimate


def bootstrap(
    samples: NDArray[np.float64],
    seed: int = 0,
    *,
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
    num_resamples: int = _NUM_RESAMPLES,
) -> list[Estimate]:
    """Returns what means of independent samples say, with bootstrap intervals.

    The same samples are drawn for every column.

    Args:
        samples: `[S, M]`.
        seed: Seed of the resampling.
        statistic: Makes `[K]` numbers of the means `[M]`; the means themselves if
            None.
        num_resamples: How often samples are drawn anew.
    """
    compute = statistic or (lambda means: means)
    resampled = np.stack(
        [compute(means) for means in _resampled_means(samples, seed, num_resamples)]
    )
    low, high = np.percentile(resampled, _INTERVAL, axis=0)
    values = compute(samples.mean(axis=0))
    return [
        Estimate(float(value), float(bottom), float(top))
        for value, bottom, top in zip(values, low, high, strict=True)
    ]


def _resampled_means(
    samples: NDArray[np.float64], seed: int, num_resamples: int
) -> NDArray[np.float64]:
    """Returns the means of samples drawn with replacement, `[num_resamples, M]`."""
    rng = np.random.default_rng(seed)
    size = len(samples)
    means = np.empty((num_resamples, samples.shape[1]))
    for start in range(0, num_resamples, _AT_ONCE):
        count = min(_AT_ONCE, num_resamples - start)
        chosen = rng.integers(size, size=(count, size))
        times = np.stack([np.bincount(row, minlength=size) for row in chosen])
        means[start : start + count] = times @ samples / size
    return means
