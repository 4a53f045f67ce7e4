"""The rule options of a game, validated once, read everywhere.

Nothing in the project writes a deck size, a limit or a target a second time: the
options and what follows from them are fields and properties of `RuleConfig`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from rummy_env.cards import NUM_RANKS, NUM_SUITS
from rummy_env.errors import ConfigError, nearest

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 5
MAX_PACKS: Final = 2
MAX_JOKERS: Final = MAX_PACKS
MAX_CARDS: Final = MAX_PACKS * (NUM_SUITS * NUM_RANKS + 1)
"""The most cards a game can hold, jokers included: 106."""
MIN_NUM_RANKS: Final = 3
FIRST_HIGH_ACE_RANKS: Final = 5
"""With fewer ranks the ace is low only (R2)."""

# Where each option stands in the array the kernels read.
NUM_PLAYERS_AT: Final = 0
PACKS_AT: Final = 1
HAND_SIZE_AT: Final = 2
NUM_RANKS_AT: Final = 3
JOKERS_AT: Final = 4
KNOCK_LIMIT_AT: Final = 5
TARGET_SCORE_AT: Final = 6
BONUS_TO_ALL_AT: Final = 7
KNOCK_IN_LAP_AT: Final = 8
MAX_ROUNDS_AT: Final = 9
CONFIG_LENGTH: Final = 10

_MAX_OPTION: Final = 10**6
_BONUS_TO: Final = ("others", "all")


@dataclass(frozen=True, kw_only=True)
class RuleConfig:
    """The rules of one game: who plays, with what, and until when.

    Attributes:
        num_players: Two to five (R4).
        packs: One or two packs; None takes one for two players, else two (R1).
        hand_size: Cards dealt to each player (R4).
        num_ranks: Ranks kept, the lowest ones, 3 to 13 (R2).
        jokers_per_pack: Jokers in each pack, 0 or 1 (R2).
        knock_limit: The most points a hand may hold to knock (R18).
        target_score: The score that ends the game (R27).
        round_bonus_to: Who gets 25 for each round won at the end of the game: the
            "others" than those at the target, or "all" (R28).
        knock_in_last_lap: Whether knocking is allowed in the last lap (R18).
        max_rounds: After so many rounds the game is truncated (R30).

    Raises:
        ConfigError: An option has a wrong value, or no stock card would be left.
    """

    num_players: int = 3
    packs: int | None = None
    hand_size: int = 10
    num_ranks: int = NUM_RANKS
    jokers_per_pack: int = 1
    knock_limit: int = 5
    target_score: int = 150
    round_bonus_to: Literal["others", "all"] = "others"
    knock_in_last_lap: bool = False
    max_rounds: int = 100

    def __post_init__(self) -> None:
        """Fills in the packs and checks every value."""
        self._check_whole("num_players", MIN_PLAYERS, MAX_PLAYERS)
        if self.packs is None:
            object.__setattr__(self, "packs", 1 if self.num_players == 2 else 2)
        self._check_whole("packs", 1, MAX_PACKS)
        self._check_whole("hand_size", 1, MAX_CARDS)
        self._check_whole("num_ranks", MIN_NUM_RANKS, NUM_RANKS)
        self._check_whole("jokers_per_pack", 0, 1)
        self._check_whole("knock_limit", 0, _MAX_OPTION)
        self._check_whole("target_score", 1, _MAX_OPTION)
        self._check_whole("max_rounds", 1, _MAX_OPTION)
        given = self.round_bonus_to
        if not isinstance(given, str) or given not in _BONUS_TO:
            raise ConfigError(
                f"round_bonus_to is 'others' or 'all', not {given!r}; "
                f"{nearest(str(given), _BONUS_TO)}"
            )
        if not isinstance(self.knock_in_last_lap, bool | np.bool_):
            raise ConfigError(
                f"knock_in_last_lap is True or False, not {self.knock_in_last_lap!r}"
            )
        object.__setattr__(self, "knock_in_last_lap", bool(self.knock_in_last_lap))
        if self.stock_size < 1:
            raise ConfigError(
                f"{self.num_players} hands of {self.hand_size} leave no stock card of "
                f"the {self.num_cards} in play; deal at most "
                f"{(self.num_cards - 1) // self.num_players} each"
            )

    def _check_whole(self, name: str, low: int, high: int) -> None:
        """Checks a whole number and stores it as a plain int."""
        value = getattr(self, name)
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not is_whole or not low <= value <= high:
            raise ConfigError(
                f"{name} is a whole number from {low} to {high}, not {value!r}"
            )
        object.__setattr__(self, name, int(value))

    @classmethod
    def from_options(cls, **options: Any) -> RuleConfig:
        """Returns the configuration of options by name, refusing unknown ones.

        Raises:
            ConfigError: An option is unknown (the nearest name is offered) or wrong.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        for name in options:
            if name not in names:
                raise ConfigError(
                    f"there is no option {name!r}; {nearest(name, names)}"
                )
        return cls(**options)

    @property
    def num_packs(self) -> int:
        """The packs in play, 1 or 2: `packs` once the default is filled in."""
        assert self.packs is not None
        return self.packs

    @property
    def num_jokers(self) -> int:
        """The jokers in play, at most two (R2)."""
        return self.num_packs * self.jokers_per_pack

    @property
    def num_cards(self) -> int:
        """The cards in play, jokers included (R1)."""
        return self.num_packs * NUM_SUITS * self.num_ranks + self.num_jokers

    @property
    def stock_size(self) -> int:
        """The stock after the deal (R4)."""
        return self.num_cards - self.num_players * self.hand_size

    @property
    def has_high_ace(self) -> bool:
        """Whether the ace is also high above the last rank kept (R2)."""
        return self.num_ranks >= FIRST_HIGH_ACE_RANKS

    def options(self) -> dict[str, Any]:
        """Returns every option by name, for `from_options`."""
        return dataclasses.asdict(self)

    def to_array(self) -> np.ndarray:
        """Returns what the kernels read: int64 `[10]`, indexed by the `_AT` names."""
        array = np.zeros(CONFIG_LENGTH, dtype=np.int64)
        array[NUM_PLAYERS_AT] = self.num_players
        array[PACKS_AT] = self.num_packs
        array[HAND_SIZE_AT] = self.hand_size
        array[NUM_RANKS_AT] = self.num_ranks
        array[JOKERS_AT] = self.num_jokers
        array[KNOCK_LIMIT_AT] = self.knock_limit
        array[TARGET_SCORE_AT] = self.target_score
        array[BONUS_TO_ALL_AT] = self.round_bonus_to == "all"
        array[KNOCK_IN_LAP_AT] = self.knock_in_last_lap
        array[MAX_ROUNDS_AT] = self.max_rounds
        return array
