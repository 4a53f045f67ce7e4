"""The rules R15 to R17: what a joker on the table is, and how it is released."""

from __future__ import annotations

from rummy_env import solver
from tests.positions import lays, melding, names, play, position


def test_r15_a_joker_counts_as_its_name() -> None:
    assert solver.arrange("7s *7s 7h") is None
    assert solver.arrange("7s *7c 7h") is not None
    state = position(["7s * Kd 2c", None], ["7h 7d 7c"], packs=2)
    assert "joker 7s" in melding(state)
    play(state, "lay 7s")  # a second seven of spades would be no group
    assert "joker 7s" not in melding(state)


def test_r15_a_card_whose_copies_are_on_the_table_may_be_named() -> None:
    state = position(["5c 6c * Kd", None], ["7c 7d 7h", "7c 7d 7s"], packs=2)
    play(state, "joker 7c")
    assert melding(state) == lays("5c 6c")
    play(state, *lays("5c 6c"))
    assert state.legal_action_names() == ["end"]


def test_r15_one_card_four_times() -> None:
    table = ["7c 7d 7h", "7c 7d 7s", "5c 6c *7c", "*7c 8c 9c"]
    state = position(["4c Kd", None], table, packs=2)
    assert sorted(state.layout(near=table) or []) == sorted(table)
    assert melding(state) == lays("4c")


def test_r16_no_release_without_the_real_card_or_before_a_card_is_laid() -> None:
    state = position(["4c 8c Kd", None], ["5c 6c *7c"])
    assert melding(state) == lays("4c 8c")
    assert play(state, "lay 8c").legal_action_names() == ["end", "lay 4c"]
    state = position(["8c Kd", None], ["5c 6c *7c", "7c 7d 7h 7s"], packs=2)
    assert melding(state) == lays("8c")  # a release is no laying of a card (R12)
    play(state, "lay 8c")
    assert state.legal_action_names() == ["end", "take 7c"]
    play(state, "take 7c")  # 7c from the group, or the run 5-8 with it, and 7d 7h 7s
    assert state.legal_action_names() == names("4c 9c")
    play(state, "joker 9c")
    assert state.legal_action_names() == ["end"]  # named this turn: not twice


def test_r16_the_real_card_from_the_hand() -> None:
    state = play(position(["7c 8c", None], ["5c 6c *7c"]), "lay 7c")
    assert state.legal_action_names() == ["lay 8c", "take 7c"]
    play(state, "take 7c")
    assert state.legal_action_names() == names("4c 8c 9c")


def test_r16_one_real_card_releases_both_jokers() -> None:
    state = position(["7c Kd", None], ["6c *7c 8c", "*7c 7d 7h"], packs=2)
    play(state, "lay 7c")
    assert state.legal_action_names() == ["take 7c"]
    play(state, "take 7c")
    assert state.legal_action_names() == names("5c 9c 7s")
    play(state, "joker 9c")
    assert state.legal_action_names() == ["end", "take 7c"]
    play(state, "take 7c")
    assert "joker 7s" in state.legal_action_names()
    assert play(state, "joker 7s").legal_action_names() == ["end"]


def test_r16_two_released_jokers_may_swap_their_names() -> None:
    table = ["6c *7c 8c", "6d *7d 8d"]
    state = position(["7c 7d 7s Kd", None], table, packs=2)
    play(state, *lays("7c 7d 7s"))
    assert {"end", "take 7c", "take 7d"} <= set(state.legal_action_names())
    play(state, "take 7c", "joker 7d", "take 7d", "joker 7c")
    assert state.legal_action_names() == ["end"]
    assert state.layout() is not None


def test_r17_a_named_ace_is_low_or_high() -> None:
    for cards in ("*Ac 2c 3c", "Qc Kc *Ac"):
        assert solver.arrange(cards) is not None
    state = position(["Qc Kc Kd", None], ["*Ac 2c 3c", "4c 5c 6c"])
    assert melding(state) == lays("Qc Kc")  # 2-6 does without the ace
    assert play(state, *lays("Qc Kc")).legal_action_names() == ["end"]
