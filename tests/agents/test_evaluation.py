import io
import json

import numpy as np
import pytest
from rich.console import Console

from agents.evaluation import (
    EvaluationConfig,
    bootstrap_mean,
    make_opponents,
    play_match,
    result_table,
    write_json,
)
from agents.evaluation.match import summarize
from agents.random_agent import RandomAgent
from agents.registry import UnknownAgentError
from rummy_env.config import RuleConfig
from tests.agents.toy import WANTED, ToyEnv

RULES = RuleConfig(num_players=3)
CONFIG = EvaluationConfig(deals=200, num_threads=1)


class Knowing:
    """Reads the toy's hint and is always right."""

    name = "knowing"

    def reset(self, seed):
        pass

    def act(self, observations, masks):
        return WANTED[observations[:, :4].argmax(axis=1)]


def match(candidate, opponent, config=CONFIG):
    return play_match(candidate, opponent, RULES, config, make_envs=ToyEnv)


def test_summary_by_hand():
    # Two deals, two seats; in rotation p the candidate sits on seat p.
    scores = np.array(
        [
            [[10, 0], [0, 30]],  # candidate on seat 0: 10 v 0 won, 0 v 30 lost
            [[20, 20], [0, 0]],  # candidate on seat 1: 20 v 20 shared, 0 v 0 shared
        ],
        dtype=float,
    )
    result = summarize("a", "b", scores, seed=0)
    # score by deal: (10 + 20) / 2 = 15, (0 + 0) / 2 = 0; mean 7.5
    assert result.score.mean == 7.5
    # ahead: deal 0 (10 + 0) / 2 = 5; deal 1 (-30 + 0) / 2 = -15; mean -5
    assert result.difference.mean == -5
    # won: deal 0 (1 + 1/2) / 2 = 3/4; deal 1 (0 + 1/2) / 2 = 1/4; mean 1/2
    assert result.win_rate.mean == 0.5
    # Resampling two deals gives nothing outside their own values.
    assert (result.difference.low, result.difference.high) == (-15, 5)


def test_bootstrap_interval_has_the_expected_width():
    samples = np.random.default_rng(0).normal(3, 2, size=1000)
    estimate = bootstrap_mean(samples)
    # 1.96 * 2 / sqrt(1000) = 0.124 to each side.
    assert estimate.high - estimate.low == pytest.approx(0.248, rel=0.15)
    assert estimate.low < estimate.mean < estimate.high
    assert estimate == bootstrap_mean(samples)


def test_bootstrap_interval_covers_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    covered = 0
    for trial in range(100):
        estimate = bootstrap_mean(rng.exponential(size=100), seed=trial)
        covered += estimate.low <= 1 <= estimate.high
    # 95 of 100, deviation 2.2; skewed samples cost a little.
    assert 86 <= covered <= 100


@pytest.mark.parametrize("seed", range(5))
def test_an_agent_against_itself_comes_out_even(seed):
    agent = RandomAgent()
    result = match(agent, agent, EvaluationConfig(deals=300, seed=seed))
    # Five intervals of 95 %: each is given half its width beyond its end.
    for estimate, even in ((result.difference, 0), (result.win_rate, 1 / 3)):
        slack = (estimate.high - estimate.low) / 2
        assert estimate.low - slack < even < estimate.high + slack


def test_an_agent_without_chance_against_itself_is_exactly_even():
    agent = Knowing()
    result = match(agent, agent)
    # Seats rotated over the same deals: what one seat gains another loses.
    assert result.difference.mean == pytest.approx(0, abs=1e-9)
    assert result.win_rate.mean == pytest.approx(1 / 3)


def test_the_better_agent_is_clearly_ahead():
    result = match(Knowing(), RandomAgent())
    assert result.difference.low > 0
    assert result.win_rate.low > 1 / 3
    assert (result.candidate, result.opponent) == ("knowing", "random")


def test_two_agents_of_one_kind_do_not_share_their_random_numbers():
    seeds = []

    class Noting(RandomAgent):
        def reset(self, seed):
            seeds.append(seed)
            super().reset(seed)

    match(Noting(), Noting())
    made, played = seeds[:2], seeds[2:]
    assert made == [0, 0]
    assert len(set(played)) == len(played) == 2 * RULES.num_players


def test_a_match_reports_how_far_it_is():
    shares = []
    config = EvaluationConfig(deals=20, num_threads=1)
    play_match(
        Knowing(),
        RandomAgent(),
        RULES,
        config,
        make_envs=ToyEnv,
        report=shares.append,
    )
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)


def test_a_misspelt_opponent_is_found_before_anything_is_played():
    with pytest.raises(UnknownAgentError, match="did you mean 'greedy'"):
        make_opponents(RULES, EvaluationConfig(opponents=("gredy",)))


def test_table_and_json(tmp_path):
    result = match(Knowing(), RandomAgent())
    console = Console(width=80, file=io.StringIO())
    console.print(result_table([result]))
    text = console.file.getvalue()
    assert "knowing" in text
    assert "2 x random" in text
    assert "…" not in text
    assert f"{result.difference.mean:+.1f} ± " in text
    assert "600" in text  # 200 deals, three rotations
    write_json(tmp_path / "result.json", [result])
    (read,) = json.loads((tmp_path / "result.json").read_text())
    assert read["difference"]["low"] == result.difference.low
    assert read["num_deals"] == 200
