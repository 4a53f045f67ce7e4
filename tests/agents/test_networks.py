import pytest
import torch

from agents.networks import (
    ActorCritic,
    NetworkConfig,
    masked_log_probs,
    sample_actions,
)

LOGITS = torch.tensor([[3.0, -50.0, 80.0, 0.5], [0.0, 0.0, 0.0, 0.0]])
MASKS = torch.tensor([[1, 1, 0, 1], [0, 1, 0, 0]], dtype=torch.int8)


def test_masked_probability_is_exactly_zero():
    probabilities = masked_log_probs(LOGITS, MASKS).exp()
    assert (probabilities[MASKS == 0] == 0).all()
    torch.testing.assert_close(probabilities.sum(dim=1), torch.ones(2))
    # Between the legal ones it is the softmax: e^3 : e^0.5.
    ratio = probabilities[0, 0] / probabilities[0, 3]
    assert ratio.item() == pytest.approx(torch.tensor(2.5).exp().item(), rel=1e-5)


def test_gradient_of_a_masked_action_is_exactly_zero():
    logits = LOGITS.clone().requires_grad_()
    log_probs = masked_log_probs(logits, MASKS)
    entropy = -(log_probs.exp() * log_probs).sum()
    (log_probs[0, 0] + log_probs[1, 1] + entropy).backward()
    assert (logits.grad[MASKS == 0] == 0).all()
    assert (logits.grad[0, MASKS[0] != 0] != 0).any()
    assert torch.isfinite(logits.grad).all()


def test_masked_actions_leave_the_head_untouched():
    network = ActorCritic(6, 4, NetworkConfig(hidden_sizes=(8,)))
    logits, _ = network(torch.ones(2, 6), MASKS)
    masked_log_probs(logits, MASKS)[:, 1].sum().backward()
    assert (network.policy_head.weight.grad[2] == 0).all()


def test_row_without_legal_actions_is_uniform_and_finite():
    log_probs = masked_log_probs(torch.tensor([[1.0, 2.0]]), torch.zeros(1, 2))
    assert log_probs.exp().tolist() == [[0.5, 0.5]]


def test_samples_follow_the_policy_and_never_the_mask():
    logits = torch.log(torch.tensor([[0.1, 0.2, 0.3, 0.4]])).repeat(20_000, 1)
    masks = torch.tensor([[1, 1, 0, 1]]).repeat(20_000, 1)
    generator = torch.Generator().manual_seed(3)
    actions = sample_actions(masked_log_probs(logits, masks), generator)
    shares = torch.bincount(actions, minlength=4) / len(actions)
    # Renormalised over the legal ones: 1/7, 2/7, 4/7; deviation of a share < 0.004.
    expected = torch.tensor([1 / 7, 2 / 7, 0, 4 / 7])
    torch.testing.assert_close(shares, expected, atol=0.016, rtol=0)
    assert shares[2] == 0


def test_shapes_and_value():
    network = ActorCritic(6, 4, NetworkConfig(hidden_sizes=(8, 5)))
    given = (torch.randn(3, 6), torch.ones(3, 4, dtype=torch.int8))
    logits, values = network(*given)
    assert logits.shape == (3, 4)
    assert values.shape == (3,)
    torch.testing.assert_close(network.value(*given), values)


@pytest.mark.parametrize("sees_mask", [False, True])
def test_mask_is_an_input_if_asked(sees_mask):
    network = ActorCritic(6, 4, NetworkConfig(hidden_sizes=(8,), sees_mask=sees_mask))
    observations = torch.ones(2, 6)
    _, values = network(observations, MASKS)
    # Row by row the same observation under another mask.
    assert bool(torch.isclose(values[0], values[1])) is not sees_mask


def test_starts_near_uniform():
    network = ActorCritic(700, 159, NetworkConfig())
    masks = torch.ones(5, 159, dtype=torch.int8)
    logits, _ = network(torch.randn(5, 700), masks)
    assert logits.abs().max() < 1


@pytest.mark.parametrize("sizes", [(), (8, 0)])
def test_refuses_layers_without_units(sizes):
    with pytest.raises(ValueError, match="hidden_sizes"):
        NetworkConfig(hidden_sizes=sizes)


def test_refuses_an_unknown_activation():
    with pytest.raises(ValueError, match="relu, tanh"):
        NetworkConfig(activation="gelu")
