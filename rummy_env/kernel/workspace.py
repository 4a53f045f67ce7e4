"""The memory that the kernels think in: one record a thread, made by the caller."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummy_env.cards import NUM_CARD_TYPES, NUM_RANKS, NUM_SUITS
from rummy_env.config import MAX_CARDS, MAX_JOKERS
from rummy_env.kernel.automaton import MAX_COPIES, NO_LETTER
from rummy_env.kernel.groups import NUM_BOXES
from rummy_env.kernel.jit import ADDRESSES, OUTLINED
from rummy_env.kernel.subsets import NEXT

NUM_LEVELS: Final = MAX_JOKERS + 1
"""Levels of a node: sets by the free jokers that one suit has used."""
CAPACITY: Final = 1024
"""The nodes that one layer of a walk has room for, besides relaxed ones."""
RELAXED: Final = CAPACITY
"""The place of a layer's first relaxed node."""
MOST_RELAXED: Final = 8
"""The relaxed nodes that a layer may have."""
NUM_LAYERS: Final = NUM_RANKS + 1
BACKWARD: Final = NUM_LAYERS
"""The row of the first backward layer: row `BACKWARD + rank` is before that rank."""

PLAIN_CAPACITY: Final = 512
"""The same for walks without free jokers."""
HULL: Final = PLAIN_CAPACITY
"""The place of the union of such a layer."""
OUT: Final = 2 * NUM_LAYERS
"""The first of two rows for walks that go out from a card, in turn."""
OUT_BACK: Final = OUT + 2
"""Where those that go back from one are all kept, row `OUT_BACK + rank` (`without`)."""
NUM_PLAIN_LAYERS: Final = OUT_BACK + NUM_LAYERS

IS_OPEN: Final = 0
"""An answer that is not known, or one that is no."""
IS_LEGAL: Final = 1
RULED_OUT: Final = -1
"""An answer known to be no before it was looked for (`memory`)."""
RULED_OUT_BEFORE: Final = -2
"""An answer that was no before the hand grew."""
NOT_ASKED: Final = 2
"""An answer that nobody needs."""
NOT_GROWN: Final = -1
NUM_HINTS: Final = 2
"""So many names settle whether a joker may be released: one may be its own."""
NO_HINT: Final = -1

MOST_STAY: Final = 2
NUM_STAYS: Final = (MOST_STAY + 1) ** NUM_SUITS
"""How many ways there are to keep up to two cards of each suit."""
MOST_MOVES: Final = NUM_STAYS * NUM_BOXES
"""A move is a box and what stays, `box * NUM_STAYS + stays`."""

MOST_LOOSE: Final = 12
"""The largest hand of which all sets are listed."""

MEMORY: Final = np.dtype(
    [
        # a question; num_ranks is 0 where there is none
        ("num_ranks", np.int8),
        ("table", np.int8, (NUM_CARD_TYPES,)),
        ("named", np.int8, (NUM_CARD_TYPES,)),
        ("locked", np.int8, (NUM_CARD_TYPES,)),
        ("hand", np.int8, (NUM_CARD_TYPES + 1,)),
        ("pending", np.int8),
        # what is known of its answers: legal, ruled out or open
        ("lay", np.int8, (NUM_CARD_TYPES,)),
        ("name", np.int8, (NUM_CARD_TYPES,)),
        ("name_more", np.int8, (NUM_CARD_TYPES,)),
        ("knows_names", np.int8),  # whether no `name` is open
        ("num_hints", np.int8),  # of these:
        ("hints", np.int8, (NUM_HINTS,)),  # names that jokers could have lately
        ("boxes", np.int8, (NUM_RANKS,)),  # of a split not long ago (`witness`)
    ]
)
"""What is remembered of the last question of a game."""

_WHOLE: Final = np.int64
_INDEX: Final = np.uint32
"""For what is used as an index where time counts. Of a signed one Numba asks each time
if it is negative; of what is read as 32 bits without a sign the compiler sees that it
is not, nor its sum with a constant. Not uint64: a variable that is now that and now an
int64 would be a float. A difference of two of these may wrap: an int64 must take part.
"""
WORKSPACE: Final = np.dtype(
    [
        # the question: a table, a hand, and what this turn did to the jokers
        ("table", _WHOLE, (NUM_CARD_TYPES,)),  # real cards on the table
        ("named", _WHOLE, (NUM_CARD_TYPES,)),  # jokers on the table, by name
        ("locked", _WHOLE, (NUM_CARD_TYPES,)),  # those of them named this turn
        ("hand", _WHOLE, (NUM_CARD_TYPES + 1,)),  # real cards, then jokers
        ("pending", _WHOLE),  # released jokers that wait for a name, 0 or 1
        ("num_ranks", _WHOLE),
        ("wanted_names", _WHOLE),  # how many names to find before it is enough
        # the answers
        ("lay", _WHOLE, (NUM_CARD_TYPES,)),  # some completion lays one more
        ("name", _WHOLE, (NUM_CARD_TYPES,)),  # some completion names a joker so anew
        ("name_more", _WHOLE, (NUM_CARD_TYPES,)),  # ... and uses one from the hand
        ("num_names", _WHOLE),  # how many of `name` are 1
        ("memory", MEMORY),  # of the last question, where one game has the workspace
        ("hints", _WHOLE, (NUM_HINTS,)),  # names that may do, or NO_HINT
        ("grown", _WHOLE),  # the card whose further copies are new to it (`memory`)
        ("is_barred", _WHOLE, (NUM_CARD_TYPES,)),  # whether no free joker goes there
        ("is_tried", _WHOLE, (NUM_CARD_TYPES,)),  # whether one was placed there
        # the same, joker questions resolved: what a walk reads
        ("must", _WHOLE, (NUM_CARD_TYPES,)),  # copies that lie, whatever happens
        ("may", _WHOLE, (NUM_CARD_TYPES,)),  # further copies that may be laid
        ("home", _WHOLE, (NUM_CARD_TYPES,)),  # free jokers that bear this name now
        ("jokers_low", _WHOLE),  # the fewest free jokers to be placed
        ("jokers_high", _WHOLE),  # the most
        ("is_padded", _WHOLE),  # whether jokers left over can be added to a run
        ("group_totals", _WHOLE, (2 * NUM_LAYERS,)),  # jokers used without any run
        # the choices at each rank: letters by suit and jokers placed, packed; the
        # second word has one more card of the suit laid
        ("choices", _WHOLE, (NUM_RANKS, NUM_BOXES, 2)),
        ("letters_at", _WHOLE, (NUM_SUITS,)),  # where their letters stand (`choices`)
        ("num_choices", _WHOLE, (NUM_RANKS,)),
        ("most_groups", _WHOLE, (NUM_RANKS,)),  # of any of them
        ("num_plain", _WHOLE, (NUM_RANKS,)),  # those, the first ones, without a joker
        ("num_steps", _WHOLE, (NUM_RANKS,)),  # those of them that steps need
        # walks without free jokers; rows as below, then those of walks that go out from
        # a card; at HULL the union of a layer
        ("plain", _WHOLE, (NUM_PLAIN_LAYERS, PLAIN_CAPACITY + 1, NUM_SUITS)),
        ("plain_numbers", _INDEX, (NUM_PLAIN_LAYERS, PLAIN_CAPACITY, NUM_SUITS)),
        ("next", np.uint16, (len(NEXT),)),  # `NEXT`: a copy, so that code holds none
        # nodes that a layer keeps, or 0 to keep all; 0 but in `marks`, `_mark_with_one`
        ("most_plain", _WHOLE),
        ("is_cut", _WHOLE),  # whether nodes were dropped for that
        ("plain_counts", _WHOLE, (NUM_PLAIN_LAYERS,)),
        ("num_asked", _WHOLE),  # melds of the last layout found one by one (`layout`)
        ("needs_two", _WHOLE),  # whether one joker alone is known not to complete
        # whether one joker was found not to complete, all layers of that there still
        ("is_refuted", _WHOLE),
        # of `must`: copies that may be left out of the same layers soon (`without`),
        # and those that are
        ("may_stay", _WHOLE, (NUM_CARD_TYPES,)),
        ("left_out", _WHOLE, (NUM_CARD_TYPES + 1,)),  # jokers last
        ("place", _INDEX),  # the row that the node looked at steps to
        ("node", _INDEX, (NUM_SUITS,)),  # where the steps of the node looked at stand
        ("zero", _WHOLE, (NUM_SUITS,)),  # a step of it, by suit
        ("zero_numbers", _INDEX, (NUM_SUITS,)),  # ... as numbers
        ("one", _WHOLE, (NUM_SUITS,)),  # ... with a joker in the suit
        ("boxes", _INDEX, (NUM_RANKS,)),  # of groups, of a witness (`witness`)
        ("chain", _INDEX, (2 * NUM_LAYERS, NUM_SUITS)),  # its sets, as numbers
        # its open runs, suit by suit, in the order in which they began, by their rows
        # in a layout and their lengths, and aces held back (`melds`)
        ("num_open", _WHOLE, (NUM_SUITS,)),
        ("open_rows", _WHOLE, (NUM_SUITS, MAX_COPIES)),
        ("open_lengths", _WHOLE, (NUM_SUITS, MAX_COPIES)),
        ("held_aces", _WHOLE, (NUM_SUITS,)),
        # walks where cards are single (`single`); rows as below, by jokers placed
        ("sets", _WHOLE, (2, 2 * NUM_LAYERS, NUM_SUITS)),
        ("ways", _WHOLE, (NUM_RANKS,)),  # what the suits may do
        ("joined", _WHOLE, (NUM_RANKS,)),  # ... with a free joker there
        ("places", _WHOLE, (NUM_RANKS,)),  # suits that a free joker may be of
        ("asked", _WHOLE, (NUM_RANKS,)),  # what is open: suits of lays, of names
        ("highs", _WHOLE),  # suits whose aces end runs
        ("eithers", _WHOLE),  # suits whose aces may lie low and high at once
        # the walks; a layer is a row, forward ones first, then backward ones
        ("room", _INDEX, (NUM_LAYERS + 1, NUM_SUITS)),  # copies a card may come to
        ("keep", _WHOLE, (2 * NUM_LAYERS, NUM_SUITS)),  # elements told apart
        ("alone", _WHOLE, (2 * NUM_LAYERS, NUM_SUITS)),  # of those: that need no joker
        # how many suits of a step may miss these; NUM_SUITS: `alone` is not filled
        ("may_miss", _WHOLE),
        ("has_hulls", _WHOLE),  # whether the next three are those of the question
        # the sets of elements that a suit can have by itself before a rank, and those
        # that it comes to an end from behind one, as numbers (`hulls`); once `alone` is
        # filled, without jokers
        ("hull_before", _INDEX, (NUM_LAYERS, NUM_SUITS)),
        ("hull_after", _INDEX, (NUM_RANKS, NUM_SUITS)),
        ("widest", _INDEX, (NUM_RANKS, NUM_SUITS)),  # what they may do at each rank
        (
            "nodes",
            _WHOLE,
            (2 * NUM_LAYERS, CAPACITY + MOST_RELAXED, NUM_SUITS, NUM_LEVELS),
        ),
        ("counts", _WHOLE, (2 * NUM_LAYERS,)),
        ("beam", _WHOLE),  # nodes kept in a layer before the rest are merged
        ("is_filled", _WHOLE, (2 * NUM_LAYERS,)),  # whether a layer can guide
        ("scores", _WHOLE, (CAPACITY,)),  # of the nodes of the layer being filled
        ("num_relaxed", _WHOLE, (2 * NUM_LAYERS,)),  # how many there are, from RELAXED
        ("is_relaxed", _WHOLE),  # whether the join looked at involves such a node
        ("is_unsettled", _WHOLE),  # whether only such a join speaks for an answer
        ("cursors", _WHOLE, (NUM_LAYERS,)),
        ("faced", _WHOLE, (NUM_SUITS, NUM_LEVELS)),  # the node stepped from
        ("level_images", _WHOLE, (NUM_SUITS, NUM_LEVELS, NO_LETTER + 1)),  # its steps
        ("here", _WHOLE, (NUM_SUITS, NUM_LEVELS)),  # the node after a choice
        ("more", _WHOLE, (NUM_SUITS, NUM_LEVELS)),  # ... with one more card laid
        ("joker", _WHOLE, (NUM_SUITS, NUM_LEVELS)),  # ... with a joker there
        ("hull", _WHOLE, (NUM_SUITS, NUM_LEVELS)),  # what any node of a layer holds
        # the search for the best meld
        ("before", _WHOLE, (NUM_CARD_TYPES,)),  # the question as it was asked
        ("before_named", _WHOLE, (NUM_CARD_TYPES,)),
        ("before_locked", _WHOLE, (NUM_CARD_TYPES,)),
        ("before_hand", _WHOLE, (NUM_CARD_TYPES + 1,)),
        ("asked_hand", _WHOLE, (NUM_CARD_TYPES + 1,)),
        ("kept_hand", _WHOLE, (NUM_CARD_TYPES + 1,)),
        ("asked_table", _WHOLE, (NUM_CARD_TYPES,)),
        ("may_name", _WHOLE, (NUM_CARD_TYPES,)),
        ("best_table", _WHOLE, (NUM_CARD_TYPES,)),
        ("best_pending", _WHOLE),
        ("best_value", _WHOLE),
        ("best_name", _WHOLE),  # a name that the first joker may have (`naming`)
        ("next_name", _WHOLE),  # ... and then the second
        ("loose", _WHOLE, (MOST_LOOSE,)),  # the cards of a small hand
        ("loose_keys", _WHOLE, (1 << MOST_LOOSE,)),  # of each set of them (`loose`)
        # the walk that adds up what stays in the hand
        # letters of each suit by box and by how many of its cards stay, and how many
        # boxes there are; the ways for cards to stay, by number, and how many
        ("stay_letters", _WHOLE, (NUM_RANKS, NUM_BOXES, NUM_SUITS, MOST_STAY + 1)),
        ("num_boxes", _WHOLE, (NUM_RANKS,)),
        ("ways_to_stay", _WHOLE, (NUM_RANKS, NUM_STAYS)),
        ("num_ways", _WHOLE, (NUM_RANKS,)),
        # what each suit of the node faced comes to in a box, by how many cards stay
        ("options", _WHOLE, (NUM_SUITS, MOST_STAY + 1, NUM_LEVELS)),
        ("is_option", _WHOLE, (NUM_SUITS, MOST_STAY + 1)),  # whether that is of use
        ("width", _WHOLE),  # the most nodes kept in a layer, or 0 to keep all
        # what a node leaves, from the end that it comes from
        ("left", _WHOLE, (2 * NUM_LAYERS, CAPACITY + MOST_RELAXED)),
        ("parent", _WHOLE, (2 * NUM_LAYERS, CAPACITY)),  # the node it was stepped from
        ("stays", _WHOLE, (2 * NUM_LAYERS, CAPACITY)),  # which cards stayed then
        ("digests", _WHOLE, (2 * NUM_LAYERS, CAPACITY)),  # of its sets
        ("is_inserted", _WHOLE),  # whether the last node offered was kept
        ("num_from_hand", _WHOLE),  # jokers of the hand that a walk places
        ("plan", _WHOLE, (2 * MAX_CARDS,)),  # action ids
        ("num_plan", _WHOLE),
        ("limit", _WHOLE),  # the widest beam
        ("packs", _WHOLE),  # 1 if it is for games of one pack only
        ("num_looks", _WHOLE),  # nodes or sets stepped from; who counts sets it to 0
        ("slow_answers", _WHOLE),  # how often that did not settle a question
        (ADDRESSES, _WHOLE, (len(OUTLINED),)),  # where functions lie; 0 uncompiled
    ],
    align=True,
)
