"""Suits exchanged in what is seen, and what becomes of what is done."""

import dataclasses

import numpy as np
import pytest
import torch

from agents import ppo
from agents.networks import (
    CentralCritic,
    NetworkConfig,
    SuitActorCritic,
    make_network,
)
from agents.ppo import Learner, PPOConfig
from agents.run import RunConfig
from agents.suits import (
    exchange_actions,
    exchange_masks,
    exchange_seen,
    random_orders,
)
from agents.training import train
from rummy_env import VectorEnv
from rummy_env.actions import ACTION_NAMES, NUM_ACTIONS, parse_action
from rummy_env.config import RuleConfig
from rummy_env.observation import SIZE
from rummy_env.state import State
from tests.agents.toy import ToyEnv

RULES = RuleConfig(num_players=2)
SHARED = NetworkConfig(hidden_sizes=(32, 16), suits="shared")
RUN = RunConfig(torch_threads=1, env_threads=1, tensorboard=False)
SMALL = PPOConfig(
    num_envs=8,
    num_steps=8,
    num_minibatches=2,
    total_timesteps=4 * 64,
    anneal_lr=False,
)
TABLE = "5c 6c 7c *8c 9d 9h 9s"
HANDS = ("Ac 2d 3d 9c Th", "Ks Kh 4c 5d Jd")
# Clubs come from hearts, diamonds stay, hearts come from spades and spades from clubs,
# so what was clubs is now spades, what was hearts clubs, and what was spades hearts.
ORDER = torch.tensor([[2, 1, 3, 0]])
RENAMED = str.maketrans({"c": "s", "h": "c", "s": "h"})


def renamed(cards):
    return cards.translate(RENAMED)


def position(rename=str):
    state = State.from_position(
        RULES, rename(TABLE), [rename(hand) for hand in HANDS], draws=1
    )
    state.apply_action("lay " + rename("9c"))
    return state


def tensors(state, player=0):
    return (
        torch.from_numpy(state.observation(player))[None],
        torch.from_numpy(state.action_mask())[None],
    )


def positions_played():
    """Positions from random play, some in the middle of melds."""
    envs = VectorEnv(32, RULES, seed=2, skip_forced=True)
    envs.reset()
    rng = np.random.default_rng(0)
    for _ in range(25):
        masks = envs.action_mask
        envs.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
    others = envs.observe((envs.current_player + 1) % 2)
    return (
        torch.from_numpy(envs.observation.copy()),
        torch.from_numpy(envs.action_mask.copy()),
        torch.from_numpy(others)[:, None],
    )


def test_exchanged_is_what_a_player_sees_under_other_names():
    seen, masks = tensors(position())
    expected_seen, expected_masks = tensors(position(renamed))
    assert torch.equal(exchange_seen(seen, ORDER), expected_seen)
    assert torch.equal(exchange_masks(masks, ORDER), expected_masks)
    assert not torch.equal(seen, expected_seen)


def test_actions_are_renamed_as_cards_are():
    numbers = torch.arange(NUM_ACTIONS)
    orders = ORDER.repeat(NUM_ACTIONS, 1)
    for name, number in zip(
        ACTION_NAMES, exchange_actions(numbers, orders).tolist(), strict=True
    ):
        kind, *card = name.split()
        assert number == parse_action(" ".join([kind, *map(renamed, card)]))


def test_a_legal_action_is_legal_after_the_exchange_and_no_other():
    _, masks, _ = positions_played()
    orders = random_orders(len(masks), torch.Generator().manual_seed(1))
    assert len(orders.unique(dim=0)) > 10
    exchanged = exchange_masks(masks, orders)
    for action in range(NUM_ACTIONS):
        renamed_action = exchange_actions(torch.full((len(masks),), action), orders)
        after = exchanged.gather(1, renamed_action[:, None]).squeeze(1)
        assert torch.equal(after, masks[:, action])


@pytest.mark.parametrize("sees_mask", [False, True])
def test_shared_suits_exchange_the_logits_and_keep_the_value(sees_mask):
    seen, masks, others = positions_played()
    torch.manual_seed(0)
    config = dataclasses.replace(SHARED, sees_mask=sees_mask)
    network = make_network(SIZE, NUM_ACTIONS, config)
    critic = CentralCritic(SIZE, NUM_ACTIONS, 2, config)
    orders = random_orders(len(seen), torch.Generator().manual_seed(1))
    renamed_seen = exchange_seen(seen, orders)
    renamed_masks = exchange_masks(masks, orders)
    with torch.no_grad():
        logits, values = network(seen, masks)
        after, values_after = network(renamed_seen, renamed_masks)
        judged = critic(seen, masks, others)
        judged_after = critic(
            renamed_seen, renamed_masks, exchange_seen(others, orders)
        )
        torch.testing.assert_close(network.value(seen, masks), values)
    torch.testing.assert_close(after, exchange_masks(logits, orders))
    torch.testing.assert_close(after[:, :3], logits[:, :3])
    torch.testing.assert_close(values_after, values)
    torch.testing.assert_close(judged_after, judged)
    # Not because it is blind to cards: the logits of one kind differ between suits.
    assert logits[:, 3:55].std(dim=1).min() > 1e-4
    assert (after - logits).abs().max() > 1e-4


def test_a_plain_network_tells_suits_apart():
    seen, masks, _ = positions_played()
    network = make_network(SIZE, NUM_ACTIONS, NetworkConfig(hidden_sizes=(16,)))
    orders = ORDER.repeat(len(seen), 1)
    values = network.value(seen, masks)
    after = network.value(exchange_seen(seen, orders), exchange_masks(masks, orders))
    assert not torch.allclose(values, after)


def test_shared_suits_need_the_games_own_sizes():
    with pytest.raises(ValueError, match="suits"):
        Learner.new(RULES, SHARED, SMALL, RUN, ToyEnv)


@pytest.mark.parametrize("central", [False, True])
def test_samples_are_augmented_consistently(central):
    hyperparameters = dataclasses.replace(SMALL, central_critic=central)
    learner = Learner.new(RULES, SHARED, hyperparameters, RUN)
    batch = ppo.Batch.empty(learner.envs, hyperparameters)
    ppo.collect(learner, batch)
    samples = next(ppo.minibatches(batch, hyperparameters, learner.generator))
    changed = ppo.in_random_suits(samples, learner.generator)
    assert not torch.equal(changed.observations, samples.observations)
    assert not torch.equal(changed.actions, samples.actions)
    legal = changed.masks.gather(1, changed.actions[:, None])
    assert (legal == 1).all()
    # To a network of shared suits it is the same position and the same action.
    torch.testing.assert_close(
        ppo.ppo_loss(learner, changed)[0], ppo.ppo_loss(learner, samples)[0]
    )
    assert torch.equal(changed.log_probs, samples.log_probs)


@pytest.mark.parametrize("suits", ["plain", "shared"])
def test_trained_policies_play_and_resume(tmp_path, suits):
    hyperparameters = dataclasses.replace(SMALL, augment_suits=suits == "plain")
    network = NetworkConfig(hidden_sizes=(16,), suits=suits)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    train(Learner.new(RULES, network, hyperparameters, RUN), RUN, whole)
    short = dataclasses.replace(hyperparameters, total_timesteps=2 * 64)
    half = train(Learner.new(RULES, network, short, RUN), RUN, parts)
    # Its own policy as an opponent is read from the file.
    played = dataclasses.replace(short, opponents=(str(half.policy),))
    assert Learner.new(RULES, network, played, RUN).learn()
    resumed = Learner.new(RULES, network, hyperparameters, RUN)
    resumed.restore(half.checkpoint)
    train(resumed, RUN, parts)
    policies = [(f / "policy.safetensors").read_bytes() for f in (whole, parts)]
    assert policies[0] == policies[1]
    assert isinstance(resumed.network, SuitActorCritic) is (suits == "shared")
