"""Each expected number is worked out by hand in the comment beside it."""

import math

import pytest
import torch

from agents import losses
from agents.networks import masked_log_probs

LN2 = math.log(2)
# Ratios 1, 2, 1/2, 2 as log ratios.
LOG_RATIO = torch.tensor([0.0, LN2, -LN2, LN2])


def test_clipped_policy_loss():
    advantages = torch.tensor([1.0, 1.0, -1.0, -1.0])
    # clip 0.2; min(r A, clamp(r) A):
    #   r 1,   A  1: min(1, 1)        =  1
    #   r 2,   A  1: min(2, 1.2)      =  1.2    a good action counts no further
    #   r 1/2, A -1: min(-0.5, -0.8)  = -0.8    a bad one neither
    #   r 2,   A -1: min(-2, -1.2)    = -2      but a mistake counts in full
    # mean = (1 + 1.2 - 0.8 - 2) / 4 = -0.15, the loss its negative
    loss = losses.clipped_policy_loss(LOG_RATIO, advantages, 0.2)
    assert loss.item() == pytest.approx(0.15)


def test_clipped_samples_have_no_gradient():
    log_ratio = torch.tensor([LN2, -LN2], requires_grad=True)
    losses.clipped_policy_loss(log_ratio, torch.tensor([1.0, -1.0]), 0.2).backward()
    assert log_ratio.grad.tolist() == [0.0, 0.0]


def test_value_loss():
    # errors 1 and -3: (1 + 9) / 2 samples / 2 = 2.5
    loss = losses.value_loss(torch.tensor([3.0, 1.0]), torch.tensor([2.0, 4.0]))
    assert loss.item() == pytest.approx(2.5)


def test_clipped_value_loss():
    values = torch.tensor([3.0, 1.0, 0.1])
    old = torch.tensor([2.0, 2.0, 0.0])
    returns = torch.tensor([3.0, 0.0, 0.0])
    # clip 0.5
    #   v 3, old 2 -> 2.5; R 3: max(0, 0.25)      = 0.25
    #   v 1, old 2 -> 1.5; R 0: max(1, 2.25)      = 2.25
    #   v .1, old 0 -> .1; R 0: max(0.01, 0.01)   = 0.01
    # (0.25 + 2.25 + 0.01) / 3 / 2 = 2.51 / 6
    loss = losses.clipped_value_loss(values, old, returns, 0.5)
    assert loss.item() == pytest.approx(2.51 / 6)


def test_entropy_counts_legal_actions_only():
    logits = torch.tensor([[0.0, 0.0, 9.0], [5.0, 1.0, 1.0]])
    masks = torch.tensor([[1, 1, 0], [1, 0, 0]])
    # row 0: two equal actions, ln 2; row 1: one action, 0; mean ln 2 / 2
    result = losses.entropy(masked_log_probs(logits, masks))
    assert result.item() == pytest.approx(LN2 / 2)


def test_entropy_of_unequal_actions():
    # p = 3/4, 1/4: H = ln 4 - 3/4 ln 3
    log_probs = torch.tensor([[math.log(0.75), math.log(0.25)]])
    expected = math.log(4) - 0.75 * math.log(3)
    assert losses.entropy(log_probs).item() == pytest.approx(expected)


def test_kl_estimates():
    # old_approx_kl: -(0 + ln2 - ln2 + ln2) / 4 = -ln2 / 4
    assert losses.old_approx_kl(LOG_RATIO).item() == pytest.approx(-LN2 / 4)
    # approx_kl: (r - 1) - ln r: 0, 1 - ln2, -1/2 + ln2, 1 - ln2; sum 3/2 - ln2
    assert losses.approx_kl(LOG_RATIO).item() == pytest.approx((1.5 - LN2) / 4)


def test_approx_kl_is_near_the_true_kl():
    old = torch.tensor([0.5, 0.3, 0.2])
    new = torch.tensor([0.4, 0.4, 0.2])
    # KL = sum old ln(old / new); the estimator's mean under old is exactly that.
    kl = 0.5 * math.log(5 / 4) + 0.3 * math.log(3 / 4)
    # Ten samples in the proportions of old.
    log_ratio = (new / old).log().repeat_interleave(torch.tensor([5, 3, 2]))
    assert losses.approx_kl(log_ratio).item() == pytest.approx(kl, abs=1e-6)


def test_clip_fraction():
    # |r - 1| = 0, 1, 1/2, 1: three of four above 0.2, two above 0.5
    assert losses.clip_fraction(LOG_RATIO, 0.2).item() == pytest.approx(0.75)
    assert losses.clip_fraction(LOG_RATIO, 0.6).item() == pytest.approx(0.5)


def test_explained_variance():
    returns = torch.tensor([1.0, 3.0])
    # var R = 1. Errors R - v: (0, 1), variance 1/4 -> 3/4; constant values -> 0;
    # the right values plus a constant -> 1
    ev = losses.explained_variance
    assert ev(torch.tensor([1.0, 2.0]), returns).item() == pytest.approx(0.75)
    assert ev(torch.tensor([7.0, 7.0]), returns).item() == pytest.approx(0.0)
    assert ev(torch.tensor([11.0, 13.0]), returns).item() == pytest.approx(1.0)
    assert math.isnan(ev(returns, torch.tensor([2.0, 2.0])).item())


def test_normalized():
    # mean 2, deviation sqrt(((-1)^2 + 1^2) / 1) = sqrt 2
    result = losses.normalized(torch.tensor([1.0, 3.0]))
    root = 1 / math.sqrt(2)
    assert result.tolist() == pytest.approx([-root, root])
    assert losses.normalized(torch.tensor([5.0])).tolist() == [5.0]
