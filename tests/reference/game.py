"""A whole game in plain Python, phase by phase (R1 to R30).

The deal is given, so that a game can be compared with another program's card by
card. Cards are integers as in `rummy_env.cards`; actions are names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from rummy_env.cards import JOKER, NUM_CARD_TYPES, parse_card
from rummy_env.config import RuleConfig
from tests.reference import completion, melds, scoring

DRAWS = 3
JOKER_POINTS = 25


def card_points(card: int) -> int:
    """Returns the points of a card in the hand (R3)."""
    return JOKER_POINTS if card == JOKER else min(card % 13 + 1, 10)


@dataclass(frozen=True)
class Outcome:
    """How a round ended, and the game with it where it did.

    Attributes:
        reason: "knock", "out" or "lap" (R18 to R20).
        by: Who knocked or went out; None after a lap.
        points: Points left in each hand.
        round_scores: What each player scores for the round.
        winners: Who won the round (R26).
        scores: The scores of the game so far.
        game_over: Whether the game ended by its target or was truncated.
        totals: Scores with the bonuses of the game's end (R28); without an end, or
            when truncated, the scores.
        game_winners: Who has the highest total (R29); none without an end.
        truncated: Whether the rounds ran out (R30).
    """

    reason: str
    by: int | None
    points: list[int]
    round_scores: list[int]
    winners: list[int]
    scores: list[int]
    game_over: bool
    totals: list[int]
    game_winners: list[int]
    truncated: bool


class Game:
    """A game of one or more rounds.

    All attributes may be read; a test may also set them to build a position.

    Attributes:
        config: The rules.
        dealer: The dealer's seat.
        hands: A list of cards for each seat.
        stock: The cards left, the next one first.
        real: The real cards on the table.
        named: The names of the jokers on the table, without a pending one.
        locked: Those named in this turn.
        pending: The old name of a released joker that waits, or None.
        player: Who is to act.
        draws: Draws made in this turn.
        laid: Cards laid in this turn.
        turns_left: Turns left in the last lap with the present one, or None.
        scores: Points scored so far.
        rounds_won: Rounds won so far.
        rounds_played: Rounds finished.
        outcome: None while a round runs.
        aside: Cards out of play, in a position that a test builds.
    """

    def __init__(
        self,
        config: RuleConfig,
        hands: Sequence[Sequence[int]],
        stock: Sequence[int],
        dealer: int,
    ) -> None:
        self.config = config
        self.dealer = dealer
        self.scores = [0] * config.num_players
        self.rounds_won = [0] * config.num_players
        self.rounds_played = 0
        self.aside: list[int] = []
        self._deal(hands, stock)

    def _deal(self, hands: Sequence[Sequence[int]], stock: Sequence[int]) -> None:
        """Begins a round with given cards (R4, R5)."""
        assert len(hands) == self.config.num_players
        self.hands = [list(hand) for hand in hands]
        self.stock = list(stock)
        self.real: list[int] = []
        self.named: list[int] = []
        self.turns_left: int | None = None
        self.outcome: Outcome | None = None
        self._begin_turn((self.dealer + 1) % self.config.num_players)

    def start_next_round(
        self, hands: Sequence[Sequence[int]], stock: Sequence[int]
    ) -> None:
        """Deals the next round; the deal passes one seat to the left (R4)."""
        assert self.outcome is not None
        assert not self.outcome.game_over
        self.aside = []
        self.dealer = (self.dealer + 1) % self.config.num_players
        self._deal(hands, stock)

    def _begin_turn(self, player: int) -> None:
        """Gives the turn to a player (R6)."""
        self.player = player
        self.draws = 0
        self.laid = 0
        self.locked: list[int] = []
        self.pending: int | None = None

    # What is legal.

    def turn(self) -> completion.Turn:
        """Returns the table and the hand of the player to act."""
        pack = melds.pack
        hand = self.hands[self.player]
        return completion.Turn(
            real=pack(self.real),
            named=pack(self.named),
            locked=pack(self.locked),
            hand=pack(card for card in hand if card != JOKER),
            jokers=hand.count(JOKER),
            pending=self.pending,
            laid=self.laid > 0,
            num_ranks=self.config.num_ranks,
        )

    def legal_actions(self) -> list[str]:
        """Returns the legal actions in the order of their ids."""
        if self.outcome is not None:
            return []
        actions = [action for action in ("draw",) if self._can_draw()]
        melding = self.melding_actions() if self._can_meld() else []
        if self._can_pass() or "end" in melding:
            actions.append("end")
            if self._can_knock():
                actions.append("knock")
        return actions + [action for action in melding if action != "end"]

    def is_legal(self, action: str) -> bool:
        """Returns whether an action is legal, without a question about others."""
        kind, _, card = action.partition(" ")
        if self.outcome is not None:
            return False
        if kind == "draw":
            return self._can_draw()
        if kind in ("end", "knock"):
            melded = self.laid > 0 and completion.is_table_legal(self.turn())
            can_end = self._can_pass() or (self._can_meld() and melded)
            return can_end and (kind == "end" or self._can_knock())
        is_turn = self._can_meld()
        return is_turn and completion.allows(self.turn(), kind, parse_card(card))

    def melding_actions(self) -> list[str]:
        """Returns what the player may lay, name and take; "end" if a meld stands."""
        return completion.melding_actions(self.turn())

    def _in_lap(self) -> bool:
        """Returns whether the last lap is on (R20)."""
        return self.turns_left is not None

    def _can_draw(self) -> bool:
        """Returns whether the player may draw: not after a meld (R6, R7, R20)."""
        more = self.draws < DRAWS and len(self.stock) > 0
        return more and not self.laid and not self._in_lap()

    def _can_meld(self) -> bool:
        """Returns whether the player may meld: after the first and second draw."""
        return self._in_lap() or self.draws in (1, 2)

    def _can_pass(self) -> bool:
        """Returns whether the turn may end without a meld (R6, R9, R20)."""
        if self.laid:
            return False
        ran_out = self.draws > 0 and not self.stock
        return self._in_lap() or self.draws == DRAWS or ran_out

    def _can_knock(self) -> bool:
        """Returns whether the player may knock where the turn may end (R18)."""
        allowed = not self._in_lap() or self.config.knock_in_last_lap
        return allowed and self.points(self.player) <= self.config.knock_limit

    def points(self, player: int) -> int:
        """Returns the points in a player's hand (R3)."""
        return sum(card_points(card) for card in self.hands[player])

    # What happens.

    def apply(self, action: str) -> None:
        """Plays a legal action.

        Raises:
            ValueError: The action is not legal.
        """
        if not self.is_legal(action):
            raise ValueError(f"{action!r} is not legal")
        kind, _, card = action.partition(" ")
        if kind == "draw":
            self.hands[self.player].append(self.stock.pop(0))
            self.draws += 1
        elif kind == "end":
            self._end_turn()
        elif kind == "knock":
            self._end_round("knock", self.player)
        else:
            self._meld(kind, parse_card(card))

    def _meld(self, kind: str, card: int) -> None:
        """Lays or takes one card; an empty hand may end the round (R12 to R19)."""
        if kind == "take":
            self.named.remove(card)
            self.pending = card
            return
        if kind == "joker":
            self.named.append(card)
            self.locked.append(card)
        else:
            self.real.append(card)
        if self.pending is None:
            self.hands[self.player].remove(card if kind == "lay" else JOKER)
            self.laid += 1
        self.pending = None
        if not self.hands[self.player] and completion.is_table_legal(self.turn()):
            self._end_round("out", self.player)

    def _end_turn(self) -> None:
        """Ends a turn and perhaps the round by its last lap (R20)."""
        if self.turns_left is not None:
            self.turns_left -= 1
        elif not self.stock:
            self.turns_left = self.config.num_players
        if self.turns_left == 0:
            self._end_round("lap", None)
        else:
            self._begin_turn((self.player + 1) % self.config.num_players)

    def _end_round(self, reason: str, by: int | None) -> None:
        """Counts the hands and, where it ends, the game (R21 to R30)."""
        points = [self.points(player) for player in range(self.config.num_players)]
        round_scores, winners = scoring.round_scores(points, reason, by)
        self.scores = [a + b for a, b in zip(self.scores, round_scores, strict=True)]
        for winner in winners:
            self.rounds_won[winner] += 1
        self.rounds_played += 1
        at_target = max(self.scores) >= self.config.target_score
        truncated = not at_target and self.rounds_played >= self.config.max_rounds
        totals, game_winners = self._totals(at_target)
        self.outcome = Outcome(
            reason=reason,
            by=by,
            points=points,
            round_scores=round_scores,
            winners=winners,
            scores=list(self.scores),
            game_over=at_target or truncated,
            totals=totals,
            game_winners=game_winners,
            truncated=truncated,
        )

    def _totals(self, at_target: bool) -> tuple[list[int], list[int]]:
        """Returns totals and winners of the game; no bonus before its end (R27)."""
        if not at_target:
            return list(self.scores), []
        return scoring.final_totals(self.scores, self.rounds_won, self.config)

    def problems(self) -> list[str]:
        """Returns what is wrong with the cards: none may be lost or made (R1, R2)."""
        jokers = [JOKER] * (len(self.named) + (self.pending is not None))
        places = (self.real, jokers, self.stock, self.aside, *self.hands)
        seen = Counter(chain(*places))
        expected = Counter({JOKER: self.config.num_jokers})
        for card in range(NUM_CARD_TYPES):
            if card % 13 < self.config.num_ranks:
                expected[card] = self.config.num_packs
        return [
            f"card {card}" for card in seen | expected if seen[card] != expected[card]
        ]
