"""Suits are interchangeable: where they stand in observations, masks and actions.

No rule tells one suit from another (R2), so exchanging suits in all that is seen
exchanges them in all that is best to do, and nothing else.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from rummy_env.actions import LAY, NUM_ACTIONS
from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.observation import OFFSETS, SECTIONS, SIZE

_CARDS: Final = (NUM_SUITS, NUM_RANKS)


def _by_suit(starts: list[int]) -> Tensor:
    """Returns the places of each suit in planes of cards that begin at `starts`."""
    planes = torch.tensor(starts)[None, :, None]
    suits = torch.arange(NUM_SUITS)[:, None, None] * NUM_RANKS
    return (planes + suits + torch.arange(NUM_RANKS)).flatten(1)


def _others(places: Tensor, size: int) -> Tensor:
    """Returns the places from 0 to `size - 1` that are not among those given."""
    is_other = torch.ones(size, dtype=torch.bool)
    is_other[places.flatten()] = False
    return is_other.nonzero().squeeze(1)


SEEN: Final = _by_suit(
    [
        start
        for section in SECTIONS
        if section.shape[-2:] == _CARDS
        for start in range(
            OFFSETS[section.name],
            OFFSETS[section.name] + section.size,
            NUM_CARD_TYPES,
        )
    ]
)
"""Where each suit stands in an observation, int64 `[4, F]`."""
SEEN_BESIDE: Final = _others(SEEN, SIZE)
"""What in an observation is of no suit, `[G]`."""
PLAYED: Final = _by_suit(list(range(LAY, NUM_ACTIONS, NUM_CARD_TYPES)))
"""The actions with each suit, `[4, 39]`."""
PLAYED_BESIDE: Final = _others(PLAYED, NUM_ACTIONS)
"""The actions without a card, `[3]`."""


def random_orders(count: int, generator: torch.Generator) -> Tensor:
    """Returns random orders of the suits, int64 `[count, 4]`."""
    return torch.rand(count, NUM_SUITS, generator=generator).argsort(dim=1)


def exchange_seen(observations: Tensor, orders: Tensor) -> Tensor:
    """Returns observations with their suits in other orders.

    Args:
        observations: `[B, ..., SIZE]`.
        orders: The suit that comes to stand for each, `[B, 4]`.
    """
    return _exchange(observations, orders, SEEN)


def exchange_masks(masks: Tensor, orders: Tensor) -> Tensor:
    """Returns masks, or logits, with their suits in other orders, `[B, 159]`."""
    return _exchange(masks, orders, PLAYED)


def _exchange(values: Tensor, orders: Tensor, places: Tensor) -> Tensor:
    """Returns values with the suits at some places in other orders."""
    between = values.dim() - 2
    index = orders.view(len(orders), *[1] * between, NUM_SUITS, 1)
    exchanged = values.clone()
    exchanged[..., places] = values[..., places].take_along_dim(index, dim=-2)
    return exchanged


def exchange_actions(actions: Tensor, orders: Tensor) -> Tensor:
    """Returns the actions that are the same after an exchange of suits, `[B]`."""
    card = actions - LAY
    suit = card.clamp(min=0) // NUM_RANKS % NUM_SUITS
    # An order says which suit comes to a place, its inverse where a suit goes.
    new_suit = orders.argsort(dim=1).gather(1, suit[:, None]).squeeze(1)
    return torch.where(card < 0, actions, actions + (new_suit - suit) * NUM_RANKS)
