"""Who plays whom, and who sits where."""

from __future__ import annotations

import itertools

Lineup = tuple[int, ...]
"""The agents of a game by number, one for each seat."""

_ALL_ORDERS_UP_TO = 3


def make_lineups(
    num_agents: int, num_players: int, *, only_first: bool = False
) -> list[Lineup]:
    """Returns every choice of agents that is to be played.

    With as many agents as seats or more, every combination of them. With fewer, each
    agent on one seat against each other on all the rest; an agent alone plays itself.

    Args:
        num_agents: Agents to compare, 1 or more.
        num_players: Seats.
        only_first: The first agent alone on one seat, against each of the others on
            all the rest, and nothing else.
    """
    if only_first:
        rest = num_players - 1
        return [(0, *[other] * rest) for other in range(1, num_agents)]
    agents = range(num_agents)
    if num_agents == 1:
        return [(0,) * num_players]
    if num_agents >= num_players:
        return list(itertools.combinations(agents, num_players))
    pairs = itertools.permutations(agents, 2)
    return [(one, *[other] * (num_players - 1)) for one, other in pairs]


def make_seatings(lineup: Lineup) -> list[Lineup]:
    """Returns the orders in which a lineup sits down, each once.

    With two or three players all orders, with more all rotations: each agent has each
    seat equally often.
    """
    if len(lineup) <= _ALL_ORDERS_UP_TO:
        orders = list(itertools.permutations(lineup))
    else:
        orders = [lineup[at:] + lineup[:at] for at in range(len(lineup))]
    return list(dict.fromkeys(orders))
