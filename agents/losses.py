"""The losses of proximal policy optimisation, and what is watched beside them.

Pure functions on tensors. "PPO" is Schulman et al., Proximal Policy Optimization
Algorithms (2017), arXiv:1707.06347.
"""

from __future__ import annotations

import torch
from torch import Tensor


def clipped_policy_loss(log_ratio: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """Returns the clipped surrogate loss, PPO equation 7 with its sign turned.

    `-mean(min(r A, clamp(r, 1 - clip, 1 + clip) A))` with `r = exp(log_ratio)`.

    Args:
        log_ratio: `log pi_new(a) - log pi_old(a)`, `[B]`.
        advantages: `[B]`.
        clip: How far the ratio may count away from 1.

    Returns:
        The loss, `[]`.
    """
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - clip, 1 + clip)
    return -torch.minimum(ratio * advantages, clipped * advantages).mean()


def value_loss(values: Tensor, returns: Tensor) -> Tensor:
    """Returns half the mean squared error, `mean((v - R)^2) / 2`.

    Args:
        values: `[B]`.
        returns: `[B]`.

    Returns:
        The loss, `[]`.
    """
    return 0.5 * (values - returns).square().mean()


def clipped_value_loss(
    values: Tensor, old_values: Tensor, returns: Tensor, clip: float
) -> Tensor:
    """Returns the value loss with the change of the value clipped.

    `mean(max((v - R)^2, (v_old + clamp(v - v_old, -clip, clip) - R)^2)) / 2`.

    Args:
        values: `[B]`.
        old_values: The values when the actions were chosen, `[B]`.
        returns: `[B]`.
        clip: How far the value may count away from the old one.

    Returns:
        The loss, `[]`.
    """
    near = old_values + (values - old_values).clamp(-clip, clip)
    errors = torch.maximum((values - returns).square(), (near - returns).square())
    return 0.5 * errors.mean()


def entropy(log_probs: Tensor) -> Tensor:
    """Returns the mean entropy in nats, `mean(-sum_a pi(a) log pi(a))`.

    Illegal actions, of probability exactly 0, add nothing.

    Args:
        log_probs: From `networks.masked_log_probs`, `[B, A]`.

    Returns:
        The entropy, `[]`.
    """
    return -(log_probs.exp() * log_probs).sum(dim=-1).mean()


def old_approx_kl(log_ratio: Tensor) -> Tensor:
    """Returns the plain estimate of KL(old || new), `mean(-log r)`, of `[B]`: `[]`."""
    return -log_ratio.mean()


def approx_kl(log_ratio: Tensor) -> Tensor:
    """Returns the estimate of KL(old || new) of low variance, never negative.

    `mean((r - 1) - log r)`: Schulman, Approximating KL Divergence (2020), "k3".

    Args:
        log_ratio: `[B]`.

    Returns:
        The estimate, `[]`.
    """
    return (log_ratio.exp() - 1 - log_ratio).mean()


def clip_fraction(log_ratio: Tensor, clip: float) -> Tensor:
    """Returns the share of ratios further than `clip` from 1, of `[B]`: `[]`."""
    return ((log_ratio.exp() - 1).abs() > clip).float().mean()


def explained_variance(values: Tensor, returns: Tensor) -> Tensor:
    """Returns how much of the returns' variance the values explain.

    `1 - var(R - v) / var(R)`: 1 is perfect, 0 no better than a constant; NaN where
    all returns are equal.

    Args:
        values: `[B]`.
        returns: `[B]`.

    Returns:
        The share, `[]`.
    """
    variance = returns.var(correction=0)
    unexplained = (returns - values).var(correction=0)
    return torch.where(variance == 0, torch.nan, 1 - unexplained / variance)


def normalized(advantages: Tensor) -> Tensor:
    """Returns the advantages with mean 0 and deviation 1, `[B]`; one alone stays."""
    if advantages.numel() < 2:
        return advantages
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8)
