"""Tournaments: fair, repeatable, and right where it can be counted by hand."""

import contextlib
import io
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console

from agents.callable_agent import CallableAgent, CallableError
from agents.evaluation import TournamentConfig, evaluate
from agents.evaluation import __main__ as command
from agents.evaluation.estimates import bootstrap
from agents.evaluation.games import TALLIES, play
from agents.evaluation.html import page
from agents.evaluation.lineups import make_lineups, make_seatings
from agents.evaluation.rating import ratings
from agents.evaluation.report import report_tables
from agents.greedy_agent import GreedyAgent
from agents.random_agent import RandomAgent
from rummy_env import RuleConfig, VectorEnv

SMALL = RuleConfig(num_players=2, num_ranks=5, hand_size=4, target_score=40)
FEW = TournamentConfig(deals=30)
FLAGS = ["--ranks", "5", "--rules.hand_size", "4", "--deals", "12", "--workers", "1"]


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def always_end(observations, masks):
    return np.ones(len(masks), dtype=np.int64)


def halves(observations, masks):
    return masks.argmax(axis=1) / 2


@pytest.mark.parametrize("episode", ["round", "game"])
@pytest.mark.parametrize("workers", [1, 2])
def test_it_says_how_far_it_is_within_tasks_too(workers, episode):
    """Two tasks of slow agents would otherwise be at 0, 50 and 100 per cent only."""
    shares = []
    config = TournamentConfig(deals=300, workers=workers, episode=episode)
    evaluate(["greedy", "random"], SMALL, config, report=shares.append)
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] == 1
    if workers == 1:
        assert len({share for share in shares if 0 < share < 0.5}) > 3


def test_lineups_and_seatings():
    assert make_lineups(3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert len(make_lineups(5, 3)) == 10
    assert make_lineups(2, 3) == [(0, 1, 1), (1, 0, 0)]
    assert make_lineups(1, 2) == [(0, 0)]
    assert make_lineups(2, 4, only_first=True) == [(0, 1, 1, 1)]
    assert make_lineups(3, 2, only_first=True) == [(0, 1), (0, 2)]
    assert len(make_seatings((0, 1, 2))) == 6
    assert make_seatings((0, 1, 1)) == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    assert make_seatings((0, 1, 2, 3))[1] == (1, 2, 3, 0)
    for lineup in ((0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 1, 2, 3, 4)):
        for seats in zip(*make_seatings(lineup), strict=True):
            assert len(set(np.bincount(seats))) == 1  # each seat equally often


def test_ratings_are_those_of_two_agents_by_hand():
    # 76 wins and a draw with the fixed opponent against 24: the odds are close to 3.
    found = ratings([(0, 1)], np.array([1e6]), np.array([760_000.0, 240_000.0]))
    assert found[0] - found[1] == pytest.approx(400 * np.log10(760 / 240), abs=0.1)
    assert found.sum() == pytest.approx(0)


def test_ratings_of_a_whole_model_are_found_again():
    strength = np.array([4.0, 2.0, 1.0, 0.5])
    lineups = list(itertools.combinations(range(4), 3))
    wins = np.zeros(4)
    for lineup in lineups:
        wins[list(lineup)] += (
            1e6 * strength[list(lineup)] / strength[list(lineup)].sum()
        )
    expected = 400 * np.log10(strength)
    found = ratings(lineups, np.full(4, 1e6), wins)
    np.testing.assert_allclose(found, expected - expected.mean(), atol=0.1)


def test_an_agent_that_never_wins_has_a_rating():
    found = ratings([(0, 1)], np.array([100.0]), np.array([100.0, 0.0]))
    assert np.isfinite(found).all()


def test_bootstrap_of_a_statistic():
    samples = np.random.default_rng(0).normal([1, 2], 1, size=(500, 2))
    (ratio,) = bootstrap(samples, statistic=lambda means: means[:1] / means[1:])
    assert ratio.low < 0.5 < ratio.high
    assert ratio.high - ratio.low < 0.2


def test_tallies_agree_with_what_the_games_say():
    envs = VectorEnv(40, SMALL, episode="round")
    played = play(envs, [GreedyAgent(5), RandomAgent()], seed=3)
    count = dict(zip(TALLIES, played.tallies.transpose(2, 0, 1), strict=True))
    assert (count["rounds"] == 1).all()
    points = count["points_left"]
    knocked, out = count["knocks"].any(axis=1), count["outs"].any(axis=1)
    assert not (knocked & out).any()
    assert knocked.any()
    assert out.any()
    # Going out scores what the other holds, and 25 (R24).
    at = np.flatnonzero(out)
    who = count["outs"][at].argmax(axis=1)
    assert (points[at, who] == 0).all()
    np.testing.assert_array_equal(played.scores[at, who], points[at, 1 - who] + 25)
    # A knocker who is lowest scores the difference; an undercut scores 10 more (R22).
    for row in np.flatnonzero(knocked):
        knocker = int(count["knocks"][row].argmax())
        difference = points[row, 1 - knocker] - points[row, knocker]
        is_undercut = difference <= 0
        assert count["undercuts"][row, knocker] == is_undercut
        winner = 1 - knocker if is_undercut else knocker
        assert played.scores[row, winner] == abs(difference) + 10 * is_undercut
    # In the other rounds, ended by the lap, the lowest wins the difference (R25).
    for row in np.flatnonzero(~knocked & ~out):
        assert played.scores[row].max() == abs(points[row, 0] - points[row, 1])
    assert (count["draws"] <= 3 * count["turns"]).all()
    assert (count["cards_laid"] >= count["melds"]).all()


def test_tallies_of_games_hold_every_round():
    envs = VectorEnv(10, SMALL, episode="game")
    played = play(envs, [GreedyAgent(5)] * 2, seed=3)
    rounds = played.tallies[:, :, TALLIES.index("rounds")]
    assert (rounds > 1).all()
    assert (rounds[:, 0] == rounds[:, 1]).all()
    assert (played.scores.max(axis=1) >= 40).all()


def test_an_agent_against_itself_is_even():
    report = evaluate(["random", "random"], SMALL, TournamentConfig(deals=200))
    assert [agent.name for agent in report.agents] == ["random", "random (2)"]
    for agent in report.agents:
        assert agent.ahead.low <= 0 <= agent.ahead.high
        assert agent.win_rate.low <= 0.5 <= agent.win_rate.high
        assert agent.rating.low <= 0 <= agent.rating.high
    exact = evaluate(["greedy", "greedy"], SMALL, FEW)
    assert exact.agents[0].ahead.mean == 0  # both seats, nothing random


@pytest.mark.parametrize(
    ("players", "names"),
    [(2, ["greedy", "random"]), (3, ["greedy"] * 4), (3, ["greedy", "random"])],
)
def test_the_payoff_matrix_is_antisymmetric(players, names):
    rules = RuleConfig(num_players=players, num_ranks=5, hand_size=4)
    report = evaluate(names, rules, TournamentConfig(deals=5))
    for one, row in enumerate(report.payoff):
        assert row[one] is None
        for other, cell in enumerate(row):
            if one != other:
                back = report.payoff[other][one]
                assert cell is not None
                assert back is not None
                assert cell.mean == pytest.approx(-back.mean)


def test_every_lineup_gets_the_same_deals():
    report = evaluate(["greedy"] * 3, SMALL, FEW)
    assert len({agent.score for agent in report.agents}) == 1


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(tmp_path):
    texts = []
    for number, workers in enumerate((1, 1, 2)):
        path = tmp_path / f"{number}.json"
        arguments = ["random", "greedy", "--players", "2", *FLAGS[:-1], str(workers)]
        assert command.main([*arguments, "--json", str(path)]) == 0
        texts.append(path.read_bytes())
    assert texts[0] == texts[1] == texts[2]
    read = json.loads(texts[0])
    assert read["num_deals"] == 12
    assert sorted(read["ranking"]) == ["greedy", "random"]


def test_tables_and_page_show_every_agent(tmp_path):
    report = evaluate(["random", "greedy", first_legal], SMALL, FEW)
    console = Console(width=80, file=io.StringIO())
    for table in report_tables(report):
        console.print(table)
    text = console.file.getvalue()
    html = page(report)
    for name in ("random", "greedy", "first_legal"):
        assert text.count(name) == 4  # a row of each table, a column of one
        assert name in html
    assert html.count("<svg") == 3
    addresses = set(re.findall(r'https?://[^"<]*', html))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, nothing is fetched


def test_names_are_escaped_in_the_page():
    agent = CallableAgent(first_legal, "<script>")
    assert "<script>" not in page(evaluate([agent, agent], SMALL, FEW))


def test_a_callable_by_its_name(capsys):
    name = f"{__name__}:first_legal"
    assert command.main([name, "random", "--players", "2", *FLAGS]) == 0
    assert "first_legal" in capsys.readouterr().out


def test_callables_are_told_what_is_wrong():
    seen, masks = np.zeros((2, 1), np.float32), np.zeros((2, 159), np.int8)
    masks[:, 0] = 1
    with pytest.raises(CallableError, match=r"chose end in row 0, .* allows draw"):
        CallableAgent(always_end, "mine").act(seen, masks)
    with pytest.raises(CallableError, match=r"mine returned float64 \[2\]"):
        CallableAgent(halves, "mine").act(seen, masks)
    with pytest.raises(CallableError, match="no module:callable"):
        CallableAgent.load("no_such_module:policy")
    with pytest.raises(CallableError, match="not a callable"):
        CallableAgent.load(f"{__name__}:FLAGS")


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as caught:
        command.main(arguments)
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    return err


def test_errors_say_what_to_do(capsys, tmp_path):
    nowhere = str(tmp_path / "no" / "x.json")
    assert "make it first" in refused(capsys, "random", "greedy", "--json", nowhere)
    assert "is a folder" in refused(capsys, "random", "greedy", "--html", str(tmp_path))
    assert "did you mean 'greedy'" in refused(capsys, "random", "gredy")
    assert "deals: 2 or more" in refused(capsys, "random", "greedy", "--deals", "1")
    assert "single agent" in refused(capsys, "random", "greedy", "--opponents", "x")
    assert "two or more" in refused(capsys, "random", "--episode", "game")
    assert "holds no policy" in refused(capsys, "random", str(tmp_path))


def test_an_interrupt_leaves_no_files(monkeypatch, tmp_path, capsys):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "evaluate", interrupted)
    path = tmp_path / "report.json"
    status = command.main(["random", "greedy", "--json", str(path), *FLAGS])
    assert status == 130
    assert "nothing was written" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_function_that_other_processes_cannot_import_is_refused():
    config = TournamentConfig(deals=4, workers=2)
    with pytest.raises(ValueError, match=r"workers: the agent .* other processes"):
        evaluate([lambda seen, masks: masks.argmax(axis=1), "random"], SMALL, config)


@contextlib.contextmanager
def evaluation_is_starting(interrupts):
    """Starts an evaluation in a group of its own, whose workers import already.

    What is started has Ctrl-C heeded or ignored as whoever starts it has.
    """
    agents = ["random", "greedy", "--deals", "100000", "--workers", "2"]
    before = signal.signal(signal.SIGINT, interrupts)
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "agents.evaluation", *agents],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        assert "0.0%  playing" in process.stderr.readline()
        time.sleep(0.7)  # they import for seconds
        yield process


def test_an_interrupt_while_workers_start_prints_no_traceback():
    with evaluation_is_starting(signal.default_int_handler) as process:
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.strip() == "interrupted; nothing was written"


def test_what_runs_in_the_background_is_not_interrupted():
    with evaluation_is_starting(signal.SIG_IGN) as process:
        os.killpg(process.pid, signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        os.killpg(process.pid, signal.SIGKILL)


def test_help_shows_how(capsys):
    with pytest.raises(SystemExit):
        command.main(["--help"])
    text = capsys.readouterr().out
    assert "examples:" in text
    assert "module:callable" in text
