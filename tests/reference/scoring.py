"""Round and game scores (R21 to R29), written from the rules text."""

from __future__ import annotations

from collections.abc import Sequence

from rummy_env.config import RuleConfig

UNDERCUT_BONUS = 10
OUT_BONUS = 25
TARGET_BONUS = 100
ROUND_BONUS = 25


def round_winners(points: Sequence[int], ended: str, by: int | None) -> list[int]:
    """Returns who scores as a winner of the round (R21 to R25).

    Args:
        points: Points in each hand.
        ended: "knock", "out" or "lap".
        by: Who knocked or went out; None after a lap.
    """
    if ended == "out":
        assert by is not None
        return [by]
    lowest = [p for p, own in enumerate(points) if own == min(points)]
    if ended == "knock" and len(lowest) > 1:
        return [p for p in lowest if p != by]
    return lowest


def round_scores(
    points: Sequence[int], ended: str, by: int | None
) -> tuple[list[int], list[int]]:
    """Returns the scores of a round and its winners (R21 to R26)."""
    winners = round_winners(points, ended, by)
    scores = [0] * len(points)
    for winner in winners:
        scores[winner] = sum(other - points[winner] for other in points)
        if ended == "out":
            scores[winner] += OUT_BONUS
        if ended == "knock" and winner != by:
            scores[winner] += UNDERCUT_BONUS
    return scores, winners


def final_totals(
    scores: Sequence[int], rounds_won: Sequence[int], config: RuleConfig
) -> tuple[list[int], list[int]]:
    """Returns the totals at the end of a game and who has the highest (R28, R29)."""
    totals = []
    for score, won in zip(scores, rounds_won, strict=True):
        at_target = score >= config.target_score
        bonus = TARGET_BONUS if at_target else 0
        if not at_target or config.round_bonus_to == "all":
            bonus += ROUND_BONUS * won
        totals.append(score + bonus)
    best = max(totals)
    return totals, [p for p, total in enumerate(totals) if total == best]
