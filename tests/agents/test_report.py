"""Weights that come with the project are found by name, and measured by a command."""

import json
from pathlib import Path

import pytest
import torch

from agents import registry, report
from agents.checkpoint import describe, save_policy
from agents.dmc_agent import OptionNetwork, OptionNetworkConfig
from agents.options import NUM_FEATURES, OptionConfig
from agents.registry import UnknownAgentError, make_agent
from rummy_env import RuleConfig


@pytest.fixture
def weights(tmp_path, monkeypatch):
    """Puts untrained weights for two players where the shipped ones are."""
    torch.manual_seed(0)
    shape = OptionNetworkConfig(hidden_sizes=(8,))
    description = describe(
        algorithm="dmc",
        rules=RuleConfig(num_players=2).options(),
        options=vars(OptionConfig(window=4)),
        network=vars(shape),
        num_features=NUM_FEATURES,
    )
    network = OptionNetwork(shape)
    save_policy(tmp_path / "dmc-2.safetensors", description, network.state_dict())
    (tmp_path / "dmc-2.json").write_text(json.dumps({"choices": 12}))
    for module in (registry, report):
        monkeypatch.setattr(module, "WEIGHTS", tmp_path)
    return tmp_path


def test_shipped_weights_are_found_by_name(weights):
    assert registry.shipped_players("dmc") == [2]
    assert make_agent("dmc", RuleConfig(num_players=2)).name == "dmc-2"


def test_a_number_of_players_without_weights_is_refused_with_those_that_have_some(
    weights,
):
    with pytest.raises(
        UnknownAgentError, match=r"for 4 players, weights of dmc are there for 2"
    ):
        make_agent("dmc", RuleConfig(num_players=4))


def test_the_report_has_a_row_for_each_opponent_and_says_how_they_were_made(
    weights, capsys
):
    output = weights / "REPORT.md"
    flags = ["--deals", "4", "--games", "2", "--workers", "1", "--players", "2"]
    flags += ["--against", "random", "greedy", "--output", str(output)]
    assert report.main(flags) == 0
    text = output.read_text()
    rows = [line for line in text.splitlines() if line.startswith("| 2 |")]
    assert [row.split(" | ")[1:4] for row in rows] == [
        ["random", "round", "4"],
        ["greedy", "round", "4"],
        ["random", "game", "2"],
    ]
    assert "2 players, choices: 12" in text


FEW = ["--deals", "4", "--games", "2", "--workers", "1", "--players", "2"]


def test_only_the_first_opponent_gets_all_deals_and_whole_games():
    chosen = report._parser().parse_args(["--players", "2", "3"])
    asked = [
        (m.players, m.opponent, m.episode, m.deals) for m in report.planned(chosen)
    ]
    assert asked[:5] == [
        (2, "expert", "round", 10_000),
        (2, "hoarder", "round", 2000),
        (2, "greedy", "round", 2000),
        (2, "random", "round", 2000),
        (2, "expert", "game", 500),
    ]
    assert len(asked) == 10


def test_an_interrupted_report_goes_on_where_it_was(weights, capsys, monkeypatch):
    """Results are kept one by one; --resume plays only what is missing."""
    output, played = weights / "REPORT.md", []
    flags = [*FEW, "--against", "random", "greedy", "--output", str(output)]
    measure = report.measure

    def stop_at_the_second(match, *rest):
        if played:
            raise KeyboardInterrupt
        played.append(match)
        return measure(match, *rest)

    monkeypatch.setattr(report, "measure", stop_at_the_second)
    assert report.main(flags) == 130
    assert "--resume" in capsys.readouterr().err
    assert not output.exists()

    def count(match, *rest):
        played.append(match)
        return measure(match, *rest)

    monkeypatch.setattr(report, "measure", count)
    assert report.main([*flags, "--resume"]) == 0
    assert len(played) == len(set(played)) == 3
    resumed = output.read_text()
    assert report.main(flags) == 0
    assert output.read_text() == resumed


def test_results_of_other_weights_are_measured_again(weights, monkeypatch):
    output = weights / "REPORT.md"
    flags = [*FEW, "--against", "random", "--output", str(output)]
    assert report.main(flags) == 0
    path = output.with_suffix(".json")
    rows = json.loads(path.read_text())
    path.write_text(json.dumps([{**row, "weights": "others"} for row in rows]))
    assert report.main([*flags, "--resume"]) == 0
    assert json.loads(path.read_text())[:2] == rows


GOOD = {"mean": 1.0, "low": 0.0, "high": 2.0}
ROW = {"players": 2, "opponent": "random", "episode": "round", "deals": 4, "seed": 1}
ROW |= {"weights": "ab", "ahead": GOOD, "won": GOOD}
BAD_ROWS = [
    {"ahead": None},
    {"ahead": {"mean": 1.0}},
    {"won": GOOD | {"more": 1.0}},
    {"won": GOOD | {"mean": "a"}},
    {"ahead": GOOD | {"mean": float("nan")}},
    {"deals": 2.0},
    {"weights": 3},
    {"more": 1},
]


@pytest.mark.parametrize(
    "content",
    ['[{"a": 1}]', "{}x", "[1]", "7", "", "[" * 100_000]
    + [json.dumps([ROW | bad]) for bad in BAD_ROWS],
    ids=lambda content: content[:40],
)
def test_a_file_that_is_no_report_is_refused(weights, capsys, content):
    output = weights / "REPORT.md"
    output.with_suffix(".json").write_text(content)
    with pytest.raises(SystemExit):
        report.main([*FEW, "--output", str(output), "--resume"])
    assert "holds no results" in capsys.readouterr().err


def test_a_row_that_is_one_is_read(weights):
    path = weights / "REPORT.json"
    path.write_text(json.dumps([ROW]))
    assert report._read(path) == [ROW]


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--games", "1"], "2 players, random, games: deals: 2 or more"),
        (["--deals", "1"], "2 players, random, rounds: deals: 2 or more"),
        (["--workers", "0"], "workers: 1 or more"),
        (["--against", "random", "nobody"], "nobody"),
        (["--players", "2", "7"], "num_players"),
        (["--players", "2", "3"], "for 3 players"),
        (["--output", "missing/x.md"], "cannot be written"),
        (["--output", "e.json"], "ends in .md"),
        (["--output", "."], "ends in .md"),
        (["--output", "d.md"], "cannot be written"),
    ],
)
def test_what_would_come_to_nothing_is_refused_at_once(
    weights, capsys, monkeypatch, flags, problem
):
    monkeypatch.chdir(weights)
    (weights / "d.md").mkdir()
    monkeypatch.setattr(report, "measure", lambda *_: pytest.fail("it was played"))
    first = [*FEW, "--against", "random", "--output", str(weights / "REPORT.md")]
    with pytest.raises(SystemExit):
        report.main([*first, *flags])
    assert problem in capsys.readouterr().err


def test_the_tables_shown_are_the_results_kept():
    """Those of the report and of the README, measured with the weights there are."""
    results = report._read(registry.WEIGHTS / "REPORT.json")
    rows = [report._row(result) for result in results]
    readme = Path(__file__).parents[2] / "README.md"
    for shown in (registry.WEIGHTS / "REPORT.md", readme):
        assert "\n".join(rows) in shown.read_text(encoding="utf-8")
    matches = report.planned(report._parser().parse_args([]))
    assert [report._look_up(match, results) for match in matches] == results


def test_the_shipped_weights_play_what_they_say():
    """Whatever is in the folder loads, for the number of players in its name."""
    for players in registry.shipped_players("dmc"):
        agent = make_agent("dmc", RuleConfig(num_players=players))
        assert agent.name == f"dmc-{players}"
        assert (registry.WEIGHTS / f"dmc-{players}.json").is_file()
