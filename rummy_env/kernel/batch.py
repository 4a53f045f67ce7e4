"""Many games at once: the same functions over an array of records.

A call works with one workspace on rows that no other call has fetched, so threads share
nothing but how many were.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from rummy_env.config import NUM_PLAYERS_AT
from rummy_env.kernel.deal import episode_seed
from rummy_env.kernel.encode import encode
from rummy_env.kernel.jit import copy, entry, fetch_add, kernel
from rummy_env.kernel.payoff import EPISODE_GAME, add_rewards, is_episode_over
from rummy_env.kernel.scoring import RUNNING
from rummy_env.kernel.turn import (
    GAME_TRUNCATED,
    apply,
    legal_actions,
    start_game,
    start_next_round,
)

NO_ACTION: Final = -1

# Where each setting stands in `Rows.settings`.
EPISODE_AT: Final = 0
REWARD_AT: Final = 1
SKIP_FORCED_AT: Final = 2
SEED_AT: Final = 3
NUM_SETTINGS: Final = 4


class Rows(NamedTuple):
    """The arrays of a vector engine, one row a game.

    Attributes:
        settings: How episodes are made, int64 `[4]`.
        states: Records, `[N]`.
        memories: Records of `workspace.MEMORY`, `[N]`: what each game last asked.
        action_mask: Int8 `[N, 159]`.
        observation: Float32 `[N, D]`, what the player to act sees.
        current_player: Int64 `[N]`.
        reward: Float32 `[N, P]`, of this step.
        carried: Float32 `[N, P]`, earned before an episode's first choice.
        terminated: Bool `[N]`.
        truncated: Bool `[N]`.
        final_scores: Int64 `[N, P]`, of the last episode that ended in each row.
        game_seed: Int64 `[N]`.
        episode: Int64 `[N]`, the index of the episode in its row.
        counts: Int64 `[N, 2]`: actions applied, forced ones included; episodes
            passed over because they held no choice at all.
    """

    settings: Any
    states: Any
    memories: Any
    action_mask: Any
    observation: Any
    current_player: Any
    reward: Any
    carried: Any
    terminated: Any
    truncated: Any
    final_scores: Any
    game_seed: Any
    episode: Any
    counts: Any


@kernel
def _begin_episode(rows: Rows, config: Any, works: Any, row: int) -> None:
    """Deals a row's episode; passes over those without any choice.

    Rewards of rounds that are over before the first choice wait for the next step.
    """
    settings, state = rows.settings, rows.states[row]
    while True:
        seed = episode_seed(settings[SEED_AT], row, rows.episode[row])
        rows.game_seed[row] = seed
        rows.carried[row] = 0.0
        start_game(state, config, seed)
        if not _go_on(rows, config, works, row, rows.carried):
            return
        rows.counts[row, 1] += 1
        rows.episode[row] += 1


@kernel
def _go_on(rows: Rows, config: Any, works: Any, row: int, rewards: Any) -> bool:
    """Plays what needs no decision; tells whether the episode is over then."""
    settings, state = rows.settings, rows.states[row]
    mask = rows.action_mask[row]
    while True:
        if state["ended"] != RUNNING:
            episode = settings[EPISODE_AT]
            add_rewards(state, config, episode, settings[REWARD_AT], rewards[row])
            if is_episode_over(state, episode):
                return True
            start_next_round(state, config)
        count = legal_actions(state, config, works[0], rows.memories[row], mask)
        if count > 1 or settings[SKIP_FORCED_AT] == 0:
            return False
        forced = 0
        while mask[forced] == 0:
            forced += 1
        apply(state, config, works[0], rows.memories[row], forced)
        rows.counts[row, 0] += 1


@kernel
def _show(rows: Rows, config: Any, row: int) -> None:
    """Writes who acts and what that player sees."""
    state = rows.states[row]
    player = int(state["to_move"])
    rows.current_player[row] = player
    encode(state, config, player, rows.observation[row])


@kernel
def _end_episode(rows: Rows, config: Any, row: int) -> None:
    """Keeps the result of an episode."""
    state, is_game = rows.states[row], rows.settings[EPISODE_AT] == EPISODE_GAME
    is_truncated = is_game and state["game_over"] == GAME_TRUNCATED
    rows.truncated[row] = is_truncated
    rows.terminated[row] = not is_truncated
    for player in range(config[NUM_PLAYERS_AT]):
        if is_game:
            rows.final_scores[row, player] = state["totals"][player]
        else:
            rows.final_scores[row, player] = state["round_scores"][player]
    rows.episode[row] += 1


@entry
def are_legal(action_mask: Any, actions: Any) -> bool:
    """Tells whether each row's action is one, and legal.

    Args:
        action_mask: Int8 `[N, 159]`.
        actions: Int64 `[N]`, any numbers.
    """
    for row in range(len(actions)):
        action = actions[row]
        if not 0 <= action < action_mask.shape[1] or action_mask[row, action] == 0:
            return False
    return True


@entry
def step_rows(
    rows: Rows, config: Any, works: Any, actions: Any, fetched: Any, at_once: int
) -> None:
    """Applies an action in each of the rows that nobody has fetched yet.

    Threads call it at once, each with a workspace of its own. Some rows take a hundred
    times as long as others, so none has its share of them: each fetches a few, again
    and again, until none is left.

    The actions must be legal: the caller has looked. `NO_ACTION` begins the row's
    episode of index `episode` instead; one entry serves both, since each costs
    seconds to compile.

    Args:
        rows: The arrays.
        config: The options.
        works: The workspace of this thread.
        actions: One for each row, int64 `[N]`.
        fetched: How many rows were fetched so far, int64 `[1]`, by all threads.
        at_once: How many to fetch at a time.
    """
    count = len(rows.states)
    first = fetch_add(fetched, at_once)
    while first < count:
        for row in range(first, min(first + at_once, count)):
            _step_row(rows, config, works, row, actions[row])
        first = fetch_add(fetched, at_once)


@kernel
def _step_row(rows: Rows, config: Any, works: Any, row: int, action: int) -> None:
    """Applies an action in one row, or begins its episode."""
    rows.terminated[row] = False
    rows.truncated[row] = False
    if action == NO_ACTION:
        rows.reward[row] = 0.0
        _begin_episode(rows, config, works, row)
    else:
        _play(rows, config, works, row, action)
    _show(rows, config, row)


@kernel
def _play(rows: Rows, config: Any, works: Any, row: int, action: int) -> None:
    """Applies an action in one row, and begins the next episode after the last."""
    copy(rows.carried[row], rows.reward[row])
    rows.carried[row] = 0.0
    apply(rows.states[row], config, works[0], rows.memories[row], action)
    rows.counts[row, 0] += 1
    if _go_on(rows, config, works, row, rows.reward):
        _end_episode(rows, config, row)
        _begin_episode(rows, config, works, row)


@entry
def encode_rows(rows: Rows, config: Any, players: Any, out: Any) -> None:
    """Writes what one player of each row sees.

    Args:
        rows: The arrays.
        config: The options.
        players: Who asks in each row, int64 `[N]`.
        out: Float32 `[N, D]`, overwritten.
    """
    for row in range(len(rows.states)):
        encode(rows.states[row], config, players[row], out[row])
