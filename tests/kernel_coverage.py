"""Runs the kernels as plain Python down every path: `make coverage`.

`tests.kernel_run` plays and asks a little of everything; here are the rarer paths:
whole games, rows of many games, and questions put to workspaces so narrow that every
way out of a walk that is too wide is taken.
"""

from __future__ import annotations

import random

import numpy as np

from rummy_env import RuleConfig, State, VectorEnv, card_text, solver
from rummy_env.kernel import calls
from rummy_env.manipulation_rummy_v0 import raw_env
from rummy_env.rewards import REWARDS
from tests.driving import NO_CHOICE, SMALL_GAME, chosen_action, random_actions
from tests.kernel_run import all_lines
from tests.test_attacks import dense_turn, question_of

NUM_QUESTIONS = 60


def play_game() -> None:
    """Plays a small game to its end."""
    state = State.new(RuleConfig(num_players=2, **SMALL_GAME), seed=1)
    while True:
        while state.outcome() is None:
            text, mask = state.to_text(), state.action_mask()
            state.apply_action(chosen_action(text, mask))
        if state.outcome()["game_over"]:
            return
        state.start_next_round()


def play_rows() -> None:
    """Plays rows of games and rounds, with each kind of reward."""
    for number, reward in enumerate(REWARDS):
        config = RuleConfig(num_players=2, **SMALL_GAME | {"max_rounds": 2})
        episode = ("game", "round")[number % 2]
        envs = VectorEnv(2, config, episode=episode, reward=reward, skip_forced=True)
        envs.reset()
        rng = np.random.default_rng(number)
        for _ in range(60):
            envs.step(random_actions(envs.action_mask, rng))
        envs.observe(0)


def ask_narrowly() -> None:
    """Asks what may be laid and what is best, with little room."""
    rng = random.Random(3)
    for number in range(NUM_QUESTIONS):
        turn = dense_turn(rng)
        question = question_of(turn)
        given = {key: question[key] for key in ("locked", "pending", "num_ranks")}
        works = calls.new_workspaces(limit=1 + number % 3)
        solver.load(works, question["table"], question["hand"], **given)
        calls.answer(works)
        solver.load(works, question["table"], question["hand"], **given)
        old = -1 if turn.pending is None else turn.pending
        calls.find_best(works, number % 2, old)
        solver.arrange_loaded(works)


def ask_oddly() -> None:
    """Asks what no game asks: tables that nothing completes, rows of questions."""
    assert solver.best_meld("7c", "Kd") is None
    assert solver.best_meld("7c 9d", "Kd", pending="Ks") is None
    assert solver.best_meld("*7c 8c 9c", "7c 7d") is not None
    assert solver.arrange("7c 8c") is None
    assert solver.arrange("5c 6c 7c 7d 7h", near=["7c 7d 7h", "5c 6c 7c"]) is None
    near = solver.arrange("5c 6c 7c 8c 9c Tc", near=["8c 9c Tc", "5c 6c 7c"])
    assert near == ["8c 9c Tc", "5c 6c 7c"]
    assert solver.arrange("7c 7d 7h 8c 9c Tc 7s") is not None
    whole = [np.zeros((1, size), dtype=np.int64) for size in (52, 52, 52, 53)]
    solver.best_actions(*whole, np.full(1, -1))
    whole[3][0] = card_text.hand_counts("5c 6c 7c 8c 9c 7d 8d 9d 7h 8h")
    narrow = solver.best_melds(*whole, np.full(1, -1), width=1)
    assert solver.legal_tables(narrow.table, narrow.named).all()


def play_laps() -> None:
    """Plays rounds to the end of the last lap, and one whose rest is dealt anew."""
    state = State.from_position(
        RuleConfig(num_players=2), "", ["Kc Qd", "Jh 9s"], stock="2c", draws=0
    )
    state.resample_hidden(0, 1)
    while state.outcome() is None:
        state.apply_action("draw" if "draw" in state.legal_action_names() else "end")


def play_without_choice() -> None:
    """Deals rounds that hold no choice, so that they are passed over."""
    config = RuleConfig(num_players=2, **NO_CHOICE)
    envs = VectorEnv(200, config, skip_forced=True)
    envs.reset()
    assert envs.num_skipped.sum() > 0


def play_one() -> None:
    """Plays a round in the environment of one game."""
    game = raw_env(num_players=2, episode="round", reward="win", **SMALL_GAME)
    game.reset(seed=0)
    while not game.last()[2]:
        game.step(int(game.last()[0]["action_mask"].argmax()))


if __name__ == "__main__":
    all_lines()
    play_one()
    play_laps()
    play_without_choice()
    ask_oddly()
    play_game()
    play_rows()
    ask_narrowly()
