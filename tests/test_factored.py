"""Actions as a kind and a card: the same games as by their ids."""

from __future__ import annotations

import numpy as np
import pytest

from rummy_env import IllegalActionError, manipulation_rummy_v0
from rummy_env.actions import ACTION_NAMES, KIND_NAMES, ActionLayout
from rummy_env.cards import CARD_NAMES
from rummy_env.factored import FactoredActions


def test_factoring_names_the_same_action() -> None:
    layout = ActionLayout()
    for action, name in enumerate(ACTION_NAMES):
        kind, card = layout.factor(action)
        words = [KIND_NAMES[kind]] + ([CARD_NAMES[card]] if " " in name else [])
        assert " ".join(words) == name
        assert layout.join(kind, card) == action


def test_pairs_play_the_same_round_as_ids() -> None:
    by_id = manipulation_rummy_v0.raw_env(num_players=2, episode="round")
    by_pair = FactoredActions(
        manipulation_rummy_v0.raw_env(num_players=2, episode="round")
    )
    by_id.reset(seed=4)
    by_pair.reset(seed=4)
    rng = np.random.default_rng(0)
    layout = ActionLayout()
    for agent in by_id.agent_iter():
        seen, reward, terminated, truncated, _ = by_id.last()
        other = by_pair.last()
        assert by_pair.agent_selection == agent
        assert other[1:4] == (reward, terminated, truncated)
        assert by_pair.observation_space(agent).contains(other[0])
        if terminated or truncated:
            by_id.step(None)
            by_pair.step(None)
            continue
        kinds, cards = other[0]["kind_mask"], other[0]["card_mask"]
        legal = {layout.join(k, c) for k, c in np.argwhere(cards).tolist()}
        assert legal == set(np.flatnonzero(seen["action_mask"]).tolist())
        assert np.array_equal(kinds, cards.any(axis=1))
        action = int(rng.choice(sorted(legal)))
        pair = np.array(layout.factor(action))
        assert by_pair.action_space(agent).contains(pair)
        by_id.step(action)
        by_pair.step(pair)
    assert not by_pair.agents


@pytest.mark.parametrize("action", [7, [1], [0.0, 0.0], [6, 0], [3, 52], [-1, 0]])
def test_what_is_no_pair_is_refused(action: object) -> None:
    game = FactoredActions(manipulation_rummy_v0.raw_env(num_players=2))
    game.reset(seed=0)
    with pytest.raises(IllegalActionError):
        game.step(action)
    assert game.unwrapped.game().legal_action_names() == ["draw"]
