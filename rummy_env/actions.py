"""Actions: one table from which ids, names and kinds come.

The ids are `draw`, `end`, `knock`, then `lay <card>`, `joker <card>` (lay a joker
under this name) and `take <card>` (release the joker of this name), each over the
52 card types: always 159, whatever the configuration.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Final, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import CARD_NAMES, NUM_CARD_TYPES
from rummy_env.errors import IllegalActionError, nearest


@dataclass(frozen=True)
class Kind:
    """One kind of action.

    Attributes:
        name: Its word in text.
        has_card: Whether a card type follows.
        doc: What it does, with the rules.
    """

    name: str
    has_card: bool
    doc: str


KINDS: Final = (
    Kind("draw", False, "Draw the top card of the stock (R6)."),
    Kind("end", False, "End the turn (R6, R7, R9, R20)."),
    Kind("knock", False, "End the round with few points in hand (R18)."),
    Kind("lay", True, "Lay this card from the hand on the table (R12)."),
    Kind("joker", True, "Lay a joker, from the hand or released, as this card (R15)."),
    Kind("take", True, "Release a joker that bears this name (R16)."),
)
KIND_NAMES: Final = tuple(kind.name for kind in KINDS)

DRAW: Final = 0
END: Final = 1
KNOCK: Final = 2
LAY: Final = 3
"""The id of `lay <first card>`; `LAY + card` lays that card."""
NAME_JOKER: Final = LAY + NUM_CARD_TYPES
"""`NAME_JOKER + card` lays a joker under that name."""
TAKE: Final = NAME_JOKER + NUM_CARD_TYPES
"""`TAKE + card` releases a joker of that name."""
NUM_ACTIONS: Final = TAKE + NUM_CARD_TYPES

ACTION_NAMES: Final = tuple(
    name
    for kind in KINDS
    for name in (
        [f"{kind.name} {card}" for card in CARD_NAMES] if kind.has_card else [kind.name]
    )
)
_ID_OF_NAME: Final = {name: action for action, name in enumerate(ACTION_NAMES)}


def action_name(action: int) -> str:
    """Returns the text of an action id, as in `"lay 7h"`."""
    return ACTION_NAMES[action]


def parse_action(action: SupportsIndex | str) -> int:
    """Returns the id of an action given as an id or a name.

    Args:
        action: An id from 0 to 158, as an int or what can stand for one (an integer
            array or tensor without axes), or a name such as `"draw"` or `"take 7c"`.
            A torch tensor would turn into a number even with axes or as a truth
            value, where an array does not; neither is taken.

    Raises:
        IllegalActionError: There is no such action, whatever the position.
    """
    if type(action) is int and 0 <= action < NUM_ACTIONS:
        return action  # what nearly all are
    shape, dtype = getattr(action, "shape", ()), getattr(action, "dtype", None)
    if shape != () or str(dtype).endswith("bool"):
        what = f"of the shape {tuple(shape)}" if shape != () else f"of {dtype}"
        raise IllegalActionError(
            f"an action is one id, not {type(action).__name__} {what}"
        )
    if isinstance(action, str):
        known = _ID_OF_NAME.get(" ".join(action.split()))
        if known is None:
            raise IllegalActionError(
                f"there is no action {action[:40]!r}; {nearest(action, ACTION_NAMES)}"
                if len(action) < 40
                else f"there is no action {action[:40]!r}..."
            )
        return known
    try:
        if isinstance(action, bool):
            raise TypeError
        number = operator.index(action)
    except TypeError:
        raise IllegalActionError(
            f"an action is an id from 0 to {NUM_ACTIONS - 1} or a name such as "
            f"'lay 7h', not {type(action).__name__}"
        ) from None
    if not 0 <= number < NUM_ACTIONS:
        raise IllegalActionError(
            f"there is no action {number}; ids run from 0 to {NUM_ACTIONS - 1}"
        )
    return number


class ActionLayout:
    """The same actions factored into a kind and a card, for autoregressive policies.

    Kinds without a card use card 0.

    Attributes:
        kinds: The kind of each action, int64 `[159]`, an index into `KINDS`.
        cards: The card of each action, int64 `[159]`.
    """

    num_kinds: Final = len(KINDS)
    num_cards: Final = NUM_CARD_TYPES

    def __init__(self) -> None:
        self.kinds = np.array(
            [KIND_NAMES.index(name.split()[0]) for name in ACTION_NAMES], dtype=np.int64
        )
        self.cards = np.array(
            [max(0, action - LAY) % NUM_CARD_TYPES for action in range(NUM_ACTIONS)],
            dtype=np.int64,
        )

    def factor(self, action: int) -> tuple[int, int]:
        """Returns the kind and the card of an action id."""
        return int(self.kinds[action]), int(self.cards[action])

    def join(self, kind: int, card: int = 0) -> int:
        """Returns the action id of a kind and a card.

        Raises:
            IllegalActionError: There is no such kind or card.
        """
        if not 0 <= kind < self.num_kinds or not 0 <= card < self.num_cards:
            raise IllegalActionError(f"there is no action of kind {kind}, card {card}")
        if not KINDS[kind].has_card:
            return kind
        return LAY + (kind - LAY) * NUM_CARD_TYPES + card

    def kind_mask(self, action_mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """Returns which kinds have a legal action.

        Args:
            action_mask: Int8 `[..., 159]`.

        Returns:
            Int8 `[..., 6]`.
        """
        kind_mask: NDArray[np.int8] = self.card_mask(action_mask).max(axis=-1)
        return kind_mask

    def card_mask(self, action_mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """Returns the legal cards under each kind.

        Args:
            action_mask: Int8 `[..., 159]`.

        Returns:
            Int8 `[..., 6, 52]`; a kind without a card has its own bit at card 0.
        """
        shape = action_mask.shape[:-1]
        mask = np.zeros((*shape, self.num_kinds, self.num_cards), dtype=np.int8)
        mask[..., :LAY, 0] = action_mask[..., :LAY]
        by_kind = action_mask[..., LAY:].reshape(*shape, -1, NUM_CARD_TYPES)
        mask[..., LAY:, :] = by_kind
        return mask
