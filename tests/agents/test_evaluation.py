import io
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from agents import checkpoint
from agents.checkpoint import CheckpointError
from agents.evaluation import (
    EvaluationConfig,
    bootstrap_mean,
    make_opponents,
    play_match,
    result_table,
    write_json,
)
from agents.evaluation import __main__ as command
from agents.evaluation.match import summarize
from agents.random_agent import RandomAgent
from agents.registry import UnknownAgentError
from rummy_env import VectorEnv
from rummy_env.config import RuleConfig
from tests.agents.test_ppo import new_learner
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


# The command


TWO = RuleConfig(num_players=2, num_ranks=6, hand_size=5, knock_limit=7)
THREE = RuleConfig(num_players=3, num_ranks=6, hand_size=5)


def save_run(folder, rules):
    """Writes an untrained policy and its checkpoint as a run leaves them."""
    folder.mkdir()
    learner = new_learner(rules=rules, make=VectorEnv)
    learner.envs.reset()
    learner.save(folder)
    return str(folder)


@pytest.fixture
def runs(tmp_path):
    return {
        "two": save_run(tmp_path / "two", TWO),
        "three": save_run(tmp_path / "three", THREE),
    }


@pytest.fixture
def played(monkeypatch):
    """Notes what the command would play instead of playing it."""
    calls = []

    def note(candidate, rules, config):
        calls.append(rules)
        make_opponents(rules, config)
        return []

    monkeypatch.setattr(command, "measure", note)
    return calls


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as caught:
        command.main(arguments)
    assert caught.value.code == 2
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("file", ["", "policy.safetensors", "checkpoint.pt"])
def test_the_rules_are_those_that_the_policy_was_trained_for(runs, played, file):
    path = str(Path(runs["two"]) / file)
    command.main([path])
    command.main(["greedy", "--opponents", "random", path])
    command.main([path, "--players", "2", "--rules.knock_limit=7"])
    assert played == [TWO] * 3


def test_a_policy_plays_its_own_game(runs, capsys):
    command.main([runs["two"], "--opponents", "random", "--deals=20", "--threads=1"])
    line = next(row for row in capsys.readouterr().out.splitlines() if "two" in row)
    assert "1 x random" in line
    assert " 40 " in line  # 20 deals, two rotations


def test_without_a_policy_the_flags_say_the_rules(played, capsys):
    command.main(["greedy"])
    flags = "--players 4 --ranks 7 --rules.hand_size 5 --rules.knock_in_last_lap true"
    command.main(["greedy", *flags.split(), "--rules.round_bonus_to=all"])
    options = {"num_players": 4, "num_ranks": 7, "hand_size": 5}
    options |= {"knock_in_last_lap": True, "round_bonus_to": "all"}
    assert played == [RuleConfig(), RuleConfig(**options)]
    message = refused(capsys, "greedy", "--rules.num_players", "9")
    assert "num_players is a whole number from 2 to 5, not 9" in message
    message = refused(capsys, "greedy", "--players", "[")
    assert "num_players is a whole number from 2 to 5, not '['" in message


def test_flags_that_contradict_the_policy_are_refused(runs, played, capsys):
    for flag, option in (
        ("--players=3", "num_players is 2 there, 3 here"),
        ("--rules.num_players=3", "num_players is 2 there, 3 here"),
        ("--ranks=13", "num_ranks is 6 there, 13 here"),
        ("--rules.knock_limit=5", "knock_limit is 7 there, 5 here"),
    ):
        message = refused(capsys, runs["two"], flag)
        assert f"{runs['two']} was trained for other rules: " in message
        assert option in message
    assert played == []


def test_policies_of_different_rules_are_not_matched(runs, played, capsys):
    message = refused(capsys, runs["two"], "--opponents", "random", runs["three"])
    assert (
        f"{runs['three']} was trained for other rules than {runs['two']}: " in message
    )
    assert "num_players is 3 there, 2 here" in message
    assert "knock_limit is 5 there, 7 here" in message
    with pytest.raises(CheckpointError, match="num_players is 3 there, 2 here"):
        make_opponents(TWO, EvaluationConfig(opponents=(runs["three"],)))


def test_a_policy_that_does_not_say_its_rules_is_refused(tmp_path, capsys):
    path = tmp_path / "policy.safetensors"
    checkpoint.save_policy(path, checkpoint.describe(network={}), {})
    assert "does not fit this version" in refused(capsys, str(path))
