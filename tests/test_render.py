"""What a person is shown of a game."""

from __future__ import annotations

import pytest

from rummy_env import RuleConfig, RummyError, State
from rummy_env.manipulation_rummy_v0 import raw_env
from rummy_env.render import render

CONFIG = RuleConfig(num_players=2)


def shown_env(state: State, mode: str = "ansi") -> raw_env:
    """Returns an environment whose game is a given one."""
    game = raw_env(num_players=2, render_mode=mode)
    game.reset(seed=0)
    game.record[:] = state.record
    game.load(game.save())
    return game


def position() -> State:
    """Returns a position in which a joker can be released."""
    return State.from_position(
        CONFIG,
        table=["5c 6c *7c", "8d 8h 8s"],
        hands=["7c 8c Kd", "2d Ks"],
        draws=1,
        scores=[12, 0],
    )


def test_only_the_hand_of_who_acts_is_shown() -> None:
    text = shown_env(position()).render()
    assert text is not None
    assert text.splitlines() == [
        "round 1, player 0 has drawn 1 of 3",
        "stock: 42 cards",
        "table:",
        "  5c 6c *7c",
        "  8d 8h 8s",
        "> player_0  score   12   3 cards: 7c 8c Kd",
        "  player_1  score    0   2 cards: ?",
    ]


def test_all_hands_are_shown_to_nobody_in_particular() -> None:
    state = position()
    assert "2 cards: 2d Ks" in render(state.record, CONFIG, state.layout())


def test_a_released_joker_is_shown_until_it_has_a_name() -> None:
    game = shown_env(position())
    game.step("lay 7c")
    game.step("take 7c")
    text = game.render()
    assert text is not None
    assert "* was 7c, waits for a name" in text
    game.step("joker 9c")
    text = game.render()
    assert text is not None
    assert "table (being rearranged):\n  5c 6c 7c *9c 8d 8h 8s" in text
    game.step("lay 8c")
    text = game.render()
    assert text is not None
    assert "waits for a name" not in text
    assert {"  5c 6c 7c 8c *9c", "  8d 8h 8s"} <= set(text.splitlines())


@pytest.mark.parametrize("meld", ["{rank}c {rank}d {rank}h", "3{suit} 4{suit} 5{suit}"])
def test_old_melds_stay_where_they_were_through_a_meld(meld: str) -> None:
    pairs = zip("345", "cdh", strict=True)
    table = [meld.format(rank=rank, suit=suit) for rank, suit in pairs]
    state = State.from_position(CONFIG, table, ["Kc Kd Kh 2s", "2d"], draws=1)
    game = shown_env(state)
    game._layout = table[:]
    for action in ("lay Kc", "lay Kd", "lay Kh"):
        assert game.render() is not None
        game.step(action)
    text = game.render()
    assert text is not None
    assert {f"  {meld}" for meld in [*table, "Kc Kd Kh"]} <= set(text.splitlines())


def test_a_new_round_begins_with_an_empty_table() -> None:
    game = raw_env(num_players=2, render_mode="ansi", num_ranks=6, hand_size=5)
    game.reset(seed=0)
    while game.record["round"][0] == 0:
        mask = game.observe(game.agent_selection)["action_mask"]
        game.step(int(mask.argmax()))
        text = game.render()
    assert text is not None
    assert text.startswith("round 2, ")
    assert "table: empty" in text


def test_the_end_names_how_and_by_whom() -> None:
    state = State.from_position(CONFIG, ["8d 8h 8s"], ["8c", "2d Ks"], draws=1)
    state.apply_action("lay 8c")
    text = render(state.record, CONFIG, state.layout(), viewer=0)
    assert "round 1, the round is over" in text
    assert "ended by out of player_0; points [0, 12], scores [37, 0]" in text
    assert "2d" not in text


def test_a_person_sees_every_step_printed(capsys: pytest.CaptureFixture[str]) -> None:
    game = shown_env(position(), mode="human")
    game.step("lay 7c")
    assert "player 0 is melding" in capsys.readouterr().out
    assert game.render() is None


def test_there_is_nothing_to_render_without_a_mode() -> None:
    game = raw_env()
    game.reset(seed=0)
    with pytest.raises(RummyError, match="render_mode='ansi'"):
        game.render()
