"""One game as an object, for people, search and tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from rummy_env import card_text, notation, observation, record, rules, solver
from rummy_env.actions import ACTION_NAMES, parse_action
from rummy_env.cards import JOKER, NUM_CARD_TYPES, parse_hand, rank_of
from rummy_env.config import RuleConfig
from rummy_env.errors import (
    ConfigError,
    NotationError,
    PositionError,
    RummyError,
    is_whole,
)
from rummy_env.kernel import deal, turn

_TRIES = 64
"""Random hands tried before one is made by exchanging cards."""


def check_seed(seed: int) -> int:
    """Returns a seed as a plain int.

    Raises:
        ConfigError: It is no whole number from 0 to 2**63 - 1.
    """
    if not is_whole(seed) or not 0 <= seed < 2**63:
        raise ConfigError(f"a seed is a whole number from 0 to 2**63 - 1, not {seed!r}")
    return int(seed)


class State:
    """A game of Manipulation Rummy: what is true now, what may happen, what happens.

    Make one with `State.new`, `State.from_position` or `State.from_text`. It keeps no
    history.

    Attributes:
        config: The options.
        record: The game as one record, `[1]` of `record.STATE`; `problems` says
            whether it is sound.
    """

    def __init__(self, config: RuleConfig, states: NDArray[Any]) -> None:
        self.config = rules.check_config(config)
        self.record = rules.check_states(states)
        self._options = config.to_array()
        # what is no game of one pack is asked about as one of two, and not refused
        self._packs = max(config.num_packs, record.packs_of(states))
        self._mask: NDArray[np.int8] | None = None

    @classmethod
    def new(cls, config: RuleConfig | None = None, seed: int = 0) -> State:
        """Returns a game with its first round dealt (R4).

        Args:
            config: The options; three players by default.
            seed: From 0 to 2**63 - 1; the same seed deals the same cards.
        """
        config = RuleConfig() if config is None else rules.check_config(config)
        states = record.new_states()
        rules.start_game(states, config.to_array(), check_seed(seed))
        return cls(config, states)

    @classmethod
    def from_position(
        cls,
        config: RuleConfig,
        table: card_text.Table = "",
        hands: Sequence[card_text.Hand | None] = (),
        to_move: int = 0,
        draws: int = 0,
        seed: int = 0,
        *,
        stock: card_text.Hand | None = None,
        scores: Sequence[int] | None = None,
        rounds_won: Sequence[int] | None = None,
        dealer: int = 0,
        lap: int | bool | None = None,
    ) -> State:
        """Returns a position at a point of a turn at which nothing is laid yet.

        Whether a game could come to it is not asked.

        Args:
            config: The options.
            table: Melds such as `"5c 6c *7c"`, or cards in any order.
            hands: One for each player; those that are None or missing are dealt
                `hand_size` cards of the ones not seen, fewer where that would not
                leave a stock card.
            to_move: Whose turn it is.
            draws: Cards drawn this turn, 0 to 3.
            seed: What is dealt here, and the seed of the rounds that follow.
            stock: The stock, its next card first; all cards left where it is None.
                Cards that are then nowhere are out of play.
            scores: Scores of the rounds before.
            rounds_won: Rounds won before.
            dealer: Who dealt this round.
            lap: Turns left in the last lap, this one included; True for a whole lap.

        Raises:
            PositionError: More copies of a card than the packs hold, a table that is
                not legal, a name or a card that is not in play, an empty hand, an
                empty stock with nothing drawn outside the lap, or a seat or number
                that does not exist.
            NotationError: A word is no card.
        """
        rules.check_config(config)
        states = record.new_states()
        state = states[0]
        _put_seats(state, config, to_move, dealer, draws, lap)
        state["seed"] = check_seed(seed)
        _put_numbers(state["scores"], scores, config, "scores")
        _put_numbers(state["rounds_won"], rounds_won, config, "rounds_won")
        _put_cards(state, config, table, hands, stock)
        wrong = record.problems(states, config)
        if wrong:
            raise PositionError("no such position: " + "; ".join(wrong[:3]))
        return cls(config, states)

    @classmethod
    def from_text(cls, text: str) -> State:
        """Returns the game that a line of text describes; see `notation`.

        Raises:
            NotationError: The text is no position; says at which column and why.
        """
        state = cls(*notation.parse_state(text)[::-1])
        if state.outcome() is None and not state._legal().any():
            raise NotationError("the meld under way cannot be finished", column=1)
        return state

    def to_text(self) -> str:
        """Returns the game as one line of text; see `notation`."""
        return notation.format_state(self.record, self.config)

    @property
    def current_player(self) -> int:
        """Whose turn it is, or whose was the last when the round is over."""
        return int(self.record["to_move"][0])

    @property
    def round_index(self) -> int:
        """How many rounds were played before this one."""
        return int(self.record["round"][0])

    @property
    def stock_left(self) -> int:
        """How many cards the stock holds."""
        return int(self.record["stock_left"][0])

    def hand(self, player: int) -> NDArray[np.int8]:
        """Returns a player's hand as counts, int8 `[53]`, jokers last, a copy."""
        hand: NDArray[np.int8] = self.record["hands"][0, self._seat(player)].copy()
        return hand

    def action_mask(self) -> NDArray[np.int8]:
        """Returns what is legal now, int8 `[159]`; all 0 once the round is over."""
        return self._legal().copy()

    def legal_actions(self) -> list[int]:
        """Returns the ids of the legal actions, ascending."""
        return [int(action) for action in np.flatnonzero(self._legal())]

    def legal_action_names(self) -> list[str]:
        """Returns the names of the legal actions, in the order of their ids."""
        return [ACTION_NAMES[action] for action in self.legal_actions()]

    def apply_action(self, action: SupportsIndex | str) -> None:
        """Plays an action.

        Args:
            action: An id, be it an int or an integer array or tensor without axes, or
                a name, as in `"lay 7c"`.

        Raises:
            IllegalActionError: The action is not legal now; nothing has changed.
        """
        number = parse_action(action)
        mask = self._legal()
        rules.check_action(self.record, mask, number)
        works = solver.local_workspaces(self._packs)
        rules.play(self.record, self._options, works, mask, number)

    def outcome(self) -> rules.Outcome | None:
        """Returns how the round ended, or None; see `rules.outcome`."""
        return rules.outcome(self.record, self.config)

    def start_next_round(self) -> None:
        """Deals the next round of the game.

        Raises:
            RummyError: The round is not over, or the game is.
        """
        outcome = self.outcome()
        if outcome is None:
            raise RummyError("the round is not over yet")
        if outcome["game_over"]:
            raise RummyError("the game is over; start another with State.new")
        self._mask = None
        rules.start_next_round(self.record, self._options)

    def problems(self) -> list[str]:
        """Returns all that is wrong with the record; nothing if it is sound."""
        works = solver.local_workspaces(self._packs)
        return record.problems(self.record, self.config, works)

    def observation(self, player: int) -> NDArray[np.float32]:
        """Returns what a player sees now, float32 `[observation.SIZE]`."""
        return observation.encode(self.record, self.config, self._seat(player))

    def layout(self, near: Iterable[str] | None = None) -> list[str] | None:
        """Returns the table as melds, for people.

        Args:
            near: The layout shown before; its melds are kept where they can be.

        Returns:
            The melds as texts, or None while the table is not legal or a joker waits.
        """
        if not self.record["table_legal"][0]:
            return None
        works = solver.local_workspaces(self._packs)
        work = works[0]
        work["table"], work["named"] = self.record["table"][0], self.record["named"][0]
        work["num_ranks"] = self.config.num_ranks
        return solver.arrange_loaded(works, near)

    def clone(self) -> State:
        """Returns an independent copy."""
        return State(self.config, record.copied(self.record))

    def resample_hidden(self, player: int, seed: int) -> State:
        """Returns a copy with all that a player cannot see dealt anew, for search.

        The other hands and the stock keep their sizes. A player in the middle of a
        meld gets only hands that can finish it. Once the round is over the hands
        stay, since their points are known. Rounds after this one come from the new
        seed.

        Args:
            player: Who looks.
            seed: From 0 to 2**63 - 1.
        """
        copy = self.clone()
        copy.record["seed"] = check_seed(seed)
        _resample(copy, self._seat(player), seed)
        return copy

    def __copy__(self) -> State:
        """Returns an independent copy."""
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        """Returns an independent copy."""
        return self.clone()

    def __eq__(self, other: object) -> bool:
        """Tells whether two games are the same, to the last byte."""
        if not isinstance(other, State):
            return NotImplemented
        same_bytes = self.record.tobytes() == other.record.tobytes()
        return self.config == other.config and same_bytes

    def __hash__(self) -> int:
        return hash((self.config, self.record.tobytes()))

    def __repr__(self) -> str:
        return f"State.from_text({self.to_text()!r})"

    def _seat(self, player: int) -> int:
        """Returns a player's seat, checked."""
        if not is_whole(player) or not 0 <= player < self.config.num_players:
            raise RummyError(
                f"there is no player {player!r} among {self.config.num_players}"
            )
        return int(player)

    def _legal(self) -> NDArray[np.int8]:
        """Returns the mask, computed once for each position."""
        if self._mask is None:
            self._mask = rules.new_mask()
            works = solver.local_workspaces(self._packs)
            rules.play(self.record, self._options, works, self._mask)
        return self._mask


def _put_seats(
    state: Any,
    config: RuleConfig,
    to_move: int,
    dealer: int,
    draws: int,
    lap: int | bool | None,
) -> None:
    """Writes whose turn it is and where it stands."""
    for name, seat in (("to_move", to_move), ("dealer", dealer)):
        if not is_whole(seat) or not 0 <= seat < config.num_players:
            raise PositionError(f"{name} is a seat from 0, not {seat!r}")
        state[name] = seat
    if not is_whole(draws) or not 0 <= draws <= turn.MAX_DRAWS:
        raise PositionError(f"draws is 0 to 3, not {draws!r}")
    left = turn.NO_LAP
    if isinstance(lap, bool | np.bool_):
        left = config.num_players if lap else turn.NO_LAP
    elif lap is not None:
        if not is_whole(lap) or not 1 <= lap <= config.num_players:
            raise PositionError(f"lap is 1 to {config.num_players} turns, not {lap!r}")
        left = lap
    if left != turn.NO_LAP and draws > 0:
        raise PositionError("nobody draws in the last lap")
    state["draws"], state["lap_left"] = draws, left
    state["pending"], state["by"] = turn.NOT_PENDING, turn.NOBODY
    state["table_legal"] = 1


def _put_numbers(
    into: NDArray[Any], values: Sequence[int] | None, config: RuleConfig, name: str
) -> None:
    """Writes a whole number for each player."""
    if values is None:
        return
    numbers = rules.whole_numbers(values)
    if numbers is None or numbers.shape != (config.num_players,):
        raise PositionError(f"{name} takes {config.num_players} whole numbers from 0")
    into[: config.num_players] = numbers


def _put_cards(
    state: Any,
    config: RuleConfig,
    table: card_text.Table,
    hands: Sequence[card_text.Hand | None],
    stock: card_text.Hand | None,
) -> None:
    """Writes all cards, dealing what is not given."""
    if isinstance(hands, str | bytes) or not isinstance(hands, Sequence):
        raise PositionError(
            "hands are a list with a hand, or None, for each player, not "
            f"{type(hands).__name__}"
        )
    if len(hands) > config.num_players:
        raise PositionError(f"{len(hands)} hands for {config.num_players} players")
    real, named = card_text.table_counts(table)
    card_text.check_counts((named > 0) * 1, 0, config.num_ranks)
    given = {
        player: card_text.hand_counts(hand)
        for player, hand in enumerate(hands)
        if hand is not None
    }
    on_top = None if stock is None else _stock_cards(stock)
    unseen = _unseen(config, real, named, [*given.values()], on_top or [])
    state["table"], state["named"] = real, named
    for player, counts in given.items():
        if not counts.any():
            raise PositionError(f"the hand of player {player} is empty")
        state["hands"][player] = counts
    deal.shuffle_for(unseen, int(state["seed"]), deal.POSITION_STREAM)
    at = 0
    missing = [p for p in range(config.num_players) if p not in given]
    spare = len(unseen) - (1 if on_top is None else 0)
    for index, player in enumerate(missing):
        size = min(config.hand_size, (spare - at) // (len(missing) - index))
        if size < 1:
            raise PositionError(f"no card is left for the hand of player {player}")
        for card in unseen[at : at + size]:
            state["hands"][player, card] += 1
        at += size
    _put_stock(state, unseen[at:], on_top)


def _stock_cards(stock: card_text.Hand) -> list[int]:
    """Returns the cards of a stock in the order written."""
    return [card for text in card_text.card_texts(stock) for card in parse_hand(text)]


def _put_stock(state: Any, rest: NDArray[Any], on_top: list[int] | None) -> None:
    """Writes the stock: the rest of the cards, or those given and no others."""
    cards = list(rest) if on_top is None else on_top[::-1]
    state["stock"][:] = deal.NO_CARD
    state["stock"][: len(cards)] = cards
    state["stock_left"] = len(cards)
    if on_top is not None:
        for card in rest:
            state["aside"][card] += 1


def _unseen(
    config: RuleConfig,
    real: NDArray[Any],
    named: NDArray[Any],
    hands: list[NDArray[Any]],
    stock: list[int],
) -> NDArray[np.int8]:
    """Returns the cards in play that are in no place yet, checked for too many."""
    used = np.zeros(NUM_CARD_TYPES + 1, dtype=np.int64)
    used[:JOKER] = real
    used[JOKER] = named.sum()
    for counts in hands:
        used += counts
    used += np.bincount(np.array(stock, dtype=np.int64), minlength=JOKER + 1)
    card_text.check_counts(used[:JOKER], 0, config.num_ranks, config.num_packs)
    if used[JOKER] > config.num_jokers:
        raise PositionError(
            f"{used[JOKER]} jokers, but {config.num_jokers} are in play"
        )
    cards = []
    for card in range(JOKER):
        if rank_of(card) < config.num_ranks:
            cards += [card] * (config.num_packs - int(used[card]))
    cards += [JOKER] * (config.num_jokers - int(used[JOKER]))
    return np.array(cards, dtype=np.int8)


def _hidden_cards(state: Any, player: int) -> NDArray[np.int8]:
    """Returns all cards a player cannot see."""
    counts = state["hands"].sum(axis=0, dtype=np.int64) - state["hands"][player]
    counts += state["aside"]
    left = int(state["stock_left"])
    counts += np.bincount(state["stock"][:left], minlength=JOKER + 1)
    return np.repeat(np.arange(JOKER + 1, dtype=np.int8), counts)


def _deal_hidden(state: Any, player: int, cards: NDArray[np.int8]) -> None:
    """Deals hidden cards into the places they came from, in order."""
    at = 0
    for other in range(len(state["hands"])):
        if other != player:
            size = int(state["hands"][other].sum(dtype=np.int64))
            state["hands"][other] = np.bincount(
                cards[at : at + size], minlength=JOKER + 1
            )
            at += size
    left = int(state["stock_left"])
    state["stock"][:left] = cards[at : at + left]
    state["aside"] = np.bincount(cards[at + left :], minlength=JOKER + 1)


def _resample(copy: State, player: int, seed: int) -> None:
    """Deals what a player cannot see anew, so that a meld under way can be ended."""
    state = copy.record[0]
    if state["ended"] != 0:
        # the points of a round that is over tell too much of the hands: they stay
        stock = state["stock"][: int(state["stock_left"])]
        deal.shuffle_for(stock, seed, 0)
        return
    mover = copy.current_player
    must_finish = mover != player and state["num_laid"] > 0
    original = state["hands"][mover].copy()
    cards = _hidden_cards(state, player)
    for attempt in range(_TRIES if must_finish else 1):
        deal.shuffle_for(cards, seed, attempt)
        _deal_hidden(state, player, cards)
        copy._mask = None
        if not must_finish or copy._legal().any():
            return
    # `must_finish` holds: hands that can finish are rare, so one is walked to
    _exchange(copy, player, seed, original)


def _exchange(copy: State, player: int, seed: int, hand: NDArray[np.int8]) -> None:
    """Reaches a random hand that can finish a meld by exchanging single cards.

    A walk over such hands, from one that is known: each step offers to exchange a
    random card of the hand for a random hidden one, and is taken where the meld can
    still be ended. Offers are symmetric, so all hands within reach become equally
    likely.
    """
    state, mover = copy.record[0], copy.current_player
    cards = _hidden_cards(state, player)
    rest = np.bincount(cards, minlength=JOKER + 1) - hand
    held = np.repeat(np.arange(JOKER + 1, dtype=np.int8), hand)
    others = np.repeat(np.arange(JOKER + 1, dtype=np.int8), rest)
    rng = np.random.default_rng([seed, player])
    rng.shuffle(others)
    for _ in range(20 * len(held) if len(others) else 0):
        i, j = rng.integers(len(held)), rng.integers(len(others))
        held[i], others[j] = others[j], held[i]
        state["hands"][mover] = np.bincount(held, minlength=JOKER + 1)
        copy._mask = None
        if not copy._legal().any():
            held[i], others[j] = others[j], held[i]
    sizes = [
        0 if other in (player, mover) else int(counts.sum(dtype=np.int64))
        for other, counts in enumerate(state["hands"])
    ]
    before = sum(sizes[:mover])
    _deal_hidden(
        state, player, np.concatenate([others[:before], held, others[before:]])
    )
    copy._mask = None
