"""The phases of a turn: what is legal in each, and what an action does.

A state is a record of `record.STATE`; a round starts with `start_round`, goes on with
`legal_actions` and `apply` in turn, and has ended when `state["ended"]` is not 0.
`apply` does not check: the caller has looked at the mask.
"""

from __future__ import annotations

from typing import Any, Final

from rummy_env.actions import DRAW, END, KNOCK, LAY, NAME_JOKER, TAKE
from rummy_env.cards import JOKER, NUM_CARD_TYPES
from rummy_env.config import (
    KNOCK_IN_LAP_AT,
    KNOCK_LIMIT_AT,
    MAX_ROUNDS_AT,
    NUM_PLAYERS_AT,
    NUM_RANKS_AT,
    TARGET_SCORE_AT,
)
from rummy_env.kernel.completion import answer_open, is_table_legal
from rummy_env.kernel.deal import NO_CARD, deal_cards, first_dealer
from rummy_env.kernel.jit import inlined, kernel
from rummy_env.kernel.memory import (
    recall,
    recall_witness,
    remember,
    remember_witness,
)
from rummy_env.kernel.scoring import (
    BY_GOING_OUT,
    BY_KNOCK,
    BY_LAP,
    RUNNING,
    hand_points,
    score_round,
    total_game,
)
from rummy_env.kernel.workspace import IS_LEGAL

MAX_DRAWS: Final = 3
NO_LAP: Final = -1
NOT_PENDING: Final = -1
NOBODY: Final = -1
GAME_RUNNING: Final = 0
GAME_OVER: Final = 1
GAME_TRUNCATED: Final = 2


@kernel
def start_game(state: Any, config: Any, seed: int) -> None:
    """Sets a record to the first round of a game, dealt."""
    state["seed"] = seed
    state["round"] = 0
    state["scores"][:] = 0
    state["rounds_won"][:] = 0
    state["game_over"] = GAME_RUNNING
    state["game_winners"] = 0
    state["dealer"] = first_dealer(seed, config[NUM_PLAYERS_AT])
    start_round(state, config)


@kernel
def start_round(state: Any, config: Any) -> None:
    """Deals the round of the record's index and gives the turn to its first player."""
    deal_cards(state, config)
    state["table"][:] = 0
    state["named"][:] = 0
    state["turns_since_meld"][:] = 0
    state["last_draws"][:] = 0
    state["last_laid"][:] = 0
    state["lap_left"] = NO_LAP
    state["points"][:] = 0
    state["round_scores"][:] = 0
    state["totals"][:] = 0
    state["ended"] = RUNNING
    state["by"] = NOBODY
    state["winners"] = 0
    _start_turn(state, (state["dealer"] + 1) % config[NUM_PLAYERS_AT])


@kernel
def start_next_round(state: Any, config: Any) -> None:
    """Deals the round after one that has ended; the next seat deals (R4)."""
    state["round"] += 1
    state["dealer"] = (state["dealer"] + 1) % config[NUM_PLAYERS_AT]
    start_round(state, config)


@kernel
def _start_turn(state: Any, player: int) -> None:
    """Gives the turn to a player."""
    state["to_move"] = player
    state["draws"] = 0
    state["num_laid"] = 0
    state["laid"][:] = 0
    state["locked"][:] = 0
    state["pending"] = NOT_PENDING
    state["table_legal"] = 1


@kernel
def _wanted_names(state: Any) -> int:
    """Returns how many names the mask needs to know.

    All where one may be chosen. Two where jokers could only be released: a release
    is legal iff a name other than the joker's own is possible.
    """
    if state["pending"] != NOT_PENDING or state["hands"][state["to_move"], JOKER] > 0:
        return NUM_CARD_TYPES
    return 2 if state["num_laid"] > 0 and _num_releasable(state) > 0 else 0


@kernel
def _num_releasable(state: Any) -> int:
    """Returns how many cards have a joker that may be released now, names aside."""
    count = 0
    for card in range(NUM_CARD_TYPES):
        count += _is_releasable(state, card)
    return count


@kernel
def load_question(state: Any, config: Any, work: Any) -> None:
    """Puts the table and the hand of the player to move before `completion`."""
    hand = state["hands"][state["to_move"]]
    work["wanted_names"] = _wanted_names(state)
    work["num_ranks"] = config[NUM_RANKS_AT]
    work["pending"] = state["pending"] != NOT_PENDING
    work["hand"][JOKER] = hand[JOKER]
    for card in range(NUM_CARD_TYPES):
        work["table"][card] = state["table"][card]
        work["named"][card] = state["named"][card]
        work["locked"][card] = state["locked"][card]
        work["hand"][card] = hand[card]


@kernel
def may_meld(state: Any) -> bool:
    """Tells whether the player to move may lay cards now (R6, R7, R20)."""
    if state["num_laid"] > 0 or state["lap_left"] != NO_LAP:
        return True
    return 0 < state["draws"] < MAX_DRAWS


@kernel
def may_draw(state: Any) -> bool:
    """Tells whether the player to move may draw now (R6, R7, R20)."""
    return (
        state["num_laid"] == 0
        and state["lap_left"] == NO_LAP
        and state["draws"] < MAX_DRAWS
        and state["stock_left"] > 0
    )


@kernel
def may_end(state: Any) -> bool:
    """Tells whether the turn may end now (R6, R7, R9, R20)."""
    if state["num_laid"] > 0:
        return state["table_legal"] == 1
    if state["lap_left"] != NO_LAP:
        return True
    return state["draws"] > 0 and not may_draw(state)


@kernel
def may_knock(state: Any, config: Any) -> bool:
    """Tells whether the player to move may knock now (R18)."""
    if state["lap_left"] != NO_LAP and config[KNOCK_IN_LAP_AT] == 0:
        return False
    if not may_end(state):
        return False
    return hand_points(state["hands"][state["to_move"]]) <= config[KNOCK_LIMIT_AT]


@kernel
def legal_actions(state: Any, config: Any, work: Any, memory: Any, mask: Any) -> int:
    """Writes which actions are legal.

    Args:
        state: The game.
        config: The options.
        work: A workspace.
        memory: What is remembered of the last question of this game; any memory will
            do, the right one saves time.
        mask: Int8 `[159]`, overwritten; all 0 once the round has ended.

    Returns:
        How many are legal.
    """
    mask[:] = 0
    if state["ended"] != RUNNING:
        return 0
    if state["pending"] != NOT_PENDING:
        _ask(state, config, work, memory)
        return _mask_pending(state, work, mask)
    mask[DRAW] = may_draw(state)
    mask[END] = may_end(state)
    mask[KNOCK] = may_knock(state, config)
    count = mask[DRAW] + mask[END] + mask[KNOCK]
    if may_meld(state):
        _ask(state, config, work, memory)
        count += _mask_meld(state, work, mask)
    return count


@kernel
def _ask(state: Any, config: Any, work: Any, memory: Any) -> None:
    """Finds what the player to move may lay and name."""
    load_question(state, config, work)
    recall(work, memory)
    answer_open(work)
    remember(work, memory)


@kernel
def _mask_pending(state: Any, work: Any, mask: Any) -> int:
    """Writes the names that a released joker may take: any but its old one (R16)."""
    count = 0
    for card in range(NUM_CARD_TYPES):
        if work["name"][card] == IS_LEGAL and card != state["pending"]:
            mask[NAME_JOKER + card] = 1
            count += 1
    return count


@kernel
def _mask_meld(state: Any, work: Any, mask: Any) -> int:
    """Writes which cards may be laid, jokers named and jokers released."""
    count = 0
    for card in range(NUM_CARD_TYPES):
        may_lay = work["lay"][card] == IS_LEGAL
        may_name = work["name_more"][card] == IS_LEGAL
        mask[LAY + card] = may_lay
        mask[NAME_JOKER + card] = may_name
        count += may_lay + may_name
    if state["num_laid"] > 0 and _num_releasable(state) > 0:
        num_names = work["num_names"]
        for card in range(NUM_CARD_TYPES):
            has_other = num_names > (work["name"][card] == IS_LEGAL)
            if has_other and _is_releasable(state, card):
                mask[TAKE + card] = 1
                count += 1
    return count


@inlined
def _is_releasable(state: Any, card: int) -> bool:
    """Tells whether a joker of this name has its real card beside it (R16)."""
    is_movable = state["named"][card] > state["locked"][card]
    return bool(is_movable & (state["table"][card] > 0))


@kernel
def apply(state: Any, config: Any, work: Any, memory: Any, action: int) -> None:
    """Changes the state by a legal action; with it a turn or the round may end.

    The boxes of the memory are tried on the table, and noted (`witness`); any memory
    will do.
    """
    if action == DRAW:
        _draw(state)
    elif action == END:
        _end_turn(state, config)
    elif action == KNOCK:
        _end_round(state, config, BY_KNOCK)
    elif action < NAME_JOKER:
        _lay(state, action - LAY)
        _finish_card(state, config, work, memory)
    elif action < TAKE:
        _name_joker(state, action - NAME_JOKER)
        _finish_card(state, config, work, memory)
    else:
        _take(state, action - TAKE)


@kernel
def _draw(state: Any) -> None:
    """Moves the next stock card to the hand (R6)."""
    left = state["stock_left"] - 1
    card = state["stock"][left]
    state["stock"][left] = NO_CARD
    state["stock_left"] = left
    state["hands"][state["to_move"], card] += 1
    state["draws"] += 1


@kernel
def _lay(state: Any, card: int) -> None:
    """Moves a real card from the hand to the table."""
    state["hands"][state["to_move"], card] -= 1
    state["table"][card] += 1
    state["laid"][card] += 1
    state["num_laid"] += 1


@kernel
def _name_joker(state: Any, card: int) -> None:
    """Lays a released joker, or else one from the hand, under a name (R15)."""
    if state["pending"] != NOT_PENDING:
        state["pending"] = NOT_PENDING
    else:
        state["hands"][state["to_move"], JOKER] -= 1
        state["num_laid"] += 1
    state["named"][card] += 1
    state["locked"][card] += 1


@kernel
def _take(state: Any, card: int) -> None:
    """Releases a joker from its name; it waits for another (R16)."""
    state["named"][card] -= 1
    state["pending"] = card
    state["table_legal"] = 0


@kernel
def _finish_card(state: Any, config: Any, work: Any, memory: Any) -> None:
    """Looks at the table after a card; an empty hand may end the round (R19)."""
    load_question(state, config, work)
    recall_witness(work, memory)
    is_legal = is_table_legal(work)
    remember_witness(work, memory)
    state["table_legal"] = is_legal
    if is_legal and _is_hand_empty(state):
        _end_round(state, config, BY_GOING_OUT)


@kernel
def _is_hand_empty(state: Any) -> bool:
    """Tells whether the player to move has no card left."""
    player = state["to_move"]
    for card in range(NUM_CARD_TYPES + 1):
        if state["hands"][player, card] > 0:
            return False
    return True


@kernel
def _note_turn(state: Any) -> None:
    """Keeps what everybody saw of the turn that ends (R8)."""
    player = state["to_move"]
    state["last_draws"][player] = state["draws"]
    state["last_laid"][player] = state["num_laid"]
    if state["num_laid"] > 0:
        state["turns_since_meld"][player] = 0
    else:
        state["turns_since_meld"][player] += 1


@kernel
def _end_turn(state: Any, config: Any) -> None:
    """Passes the turn on, into the last lap or out of it (R20)."""
    num_players = config[NUM_PLAYERS_AT]
    if state["lap_left"] != NO_LAP:
        if state["lap_left"] == 1:
            _end_round(state, config, BY_LAP)
            return
        state["lap_left"] -= 1
    elif state["stock_left"] == 0:
        state["lap_left"] = num_players
    _note_turn(state)
    _start_turn(state, (state["to_move"] + 1) % num_players)


@kernel
def _end_round(state: Any, config: Any, ended: int) -> None:
    """Counts the hands and scores the round and, where it is over, the game."""
    num_players = config[NUM_PLAYERS_AT]
    by = NOBODY if ended == BY_LAP else state["to_move"]
    _note_turn(state)
    state["ended"] = ended
    state["by"] = by
    points, scores = state["points"], state["round_scores"]
    for player in range(num_players):
        points[player] = hand_points(state["hands"][player])
    winners = score_round(points, num_players, ended, by, scores)
    state["winners"] = winners
    for player in range(num_players):
        state["scores"][player] += scores[player]
        state["totals"][player] = state["scores"][player]
        state["rounds_won"][player] += (winners >> player) & 1
    _end_game(state, config)


@kernel
def _end_game(state: Any, config: Any) -> None:
    """Ends the game at the target, or truncates it (R27 to R30)."""
    for player in range(config[NUM_PLAYERS_AT]):
        if state["scores"][player] >= config[TARGET_SCORE_AT]:
            state["game_over"] = GAME_OVER
    if state["game_over"] == GAME_OVER:
        state["game_winners"] = total_game(
            state["scores"], state["rounds_won"], config, state["totals"]
        )
    elif state["round"] + 1 >= config[MAX_ROUNDS_AT]:
        state["game_over"] = GAME_TRUNCATED
