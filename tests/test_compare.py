"""The benchmarks say what they measured, and what they did not, without any peer."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pettingzoo.test import api_test

from benchmarks import chart, compare, environments, own, questions, report
from benchmarks.catalogue import RUNNERS, TABLES, Row, Runner, table_of
from benchmarks.environments import NotMeasured
from benchmarks.peers import aec, noop, protocol
from benchmarks.peers.protocol import Figure, Order, Output
from benchmarks.report import Report
from rummy_env import solver
from tests.test_pettingzoo import DICT_WARNINGS

BY_NAME = {runner.name: runner for runner in RUNNERS}


def order(**given: Any) -> Order:
    """Returns an order, with little time unless more is given."""
    defaults = {"seconds": 0.01, "seed": 0, "questions": "", "part": 0, "parts": 1}
    return Order(**{**defaults, **given})


def output_of(runner: Runner, value: float, answers: Any = None) -> Output:
    """Returns made-up figures for every row of a runner."""
    figure: Figure = {"value": value, "steps": 10, "seconds": 2.0}
    if answers is not None:
        figure |= {"times": [value] * len(answers), "answers": answers}
    rows = {row.key: figure for row in runner.rows}
    return {"figures": rows, "errors": [], "versions": {"made-up": "1.0"}}


def full_report(rounds: int = 3) -> Report:
    """Returns a report in which everything was measured."""
    made = Report(settings={"seconds": 2.0})
    for turn in range(rounds):
        for runner in RUNNERS:
            answers = [1, 2] if runner.asks else None
            made.add(runner, output_of(runner, 1000.0 * (turn + 1), answers), turn)
        made.rounds = turn + 1
    return made


def line_of(markdown: str, label: str) -> list[str]:
    """Returns the cells of the first line of a table that has a label."""
    lines = [line for line in markdown.splitlines() if line.startswith(f"| {label} |")]
    return [cell.strip() for cell in lines[0].strip("|").split("|")]


def test_every_row_is_in_the_tables_with_median_and_spread() -> None:
    made = full_report()
    text = made.to_markdown()
    rows = [row for runner in RUNNERS for row in runner.rows]
    assert len({row.key for row in rows}) == len(rows)
    for row in rows:
        assert f"| {row.label} |" in text
    assert line_of(text, "RLCard")[1:4] == ["2,000", "1,000 to 3,000", "gin rummy"]
    assert line_of(text, "raw_env, 2 players")[3] == "ours"
    assert all(f"## {table.title}" in text for table in TABLES.values())


def test_the_text_says_what_is_not_compared() -> None:
    text = full_report().to_markdown()
    for said in ("another game", "easier legality", "Points are not compared"):
        assert said in text


def test_tables_of_markdown_have_as_many_cells_in_every_line() -> None:
    tables = re.findall(r"(?:^\|.*\n)+", full_report().to_markdown(), re.MULTILINE)
    assert len(tables) == len(TABLES)
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_the_json_holds_every_value() -> None:
    made = json.loads(full_report().to_json())
    (row,) = [row for row in made["rows"] if row["key"] == "rlcard"]
    assert row["values"] == [1000.0, 2000.0, 3000.0]
    assert row["summary"] == {"median": 2000.0, "lowest": 1000.0, "highest": 3000.0}
    assert row["unit"] == "actions/s"
    assert row["not_measured"] is None
    assert (row["steps"], row["seconds"]) == (30, 6.0)
    (asked,) = [row for row in made["rows"] if row["key"] == "glpk_best_large"]
    assert set(asked["summary"]) >= {"mean", "p50", "p95", "p99"}
    assert made["agreement"]["glpk_best_large"]["equal"] == 6


def test_versions_are_named_where_two_runners_have_different_ones() -> None:
    made = Report(settings={}, runners=(BY_NAME["noop"], BY_NAME["pettingzoo"]))
    for name, version in (("noop", "1.27.0"), ("pettingzoo", "1.26.1")):
        output = output_of(BY_NAME[name], 1.0)
        output["versions"] = {"pettingzoo": version}
        made.add(BY_NAME[name], output, 0)
    assert "pettingzoo 1.27.0, pettingzoo 1.26.1." in made.to_markdown()


def test_a_row_without_figures_says_why() -> None:
    made = Report(settings={}, runners=(BY_NAME["rlcard"], BY_NAME["noop"]))
    made.miss(BY_NAME["rlcard"], "it cannot be installed: a | b")
    text = made.to_markdown()
    cells = line_of(text, "RLCard")
    assert cells[1] == "not measured: it cannot be installed: a / b"
    assert line_of(text, "PettingZoo alone, bare")[1] == "not measured: not run"


def test_a_figure_that_a_runner_leaves_out_has_its_error() -> None:
    runner = BY_NAME["openspiel"]
    output = output_of(runner, 5.0)
    del output["figures"]["openspiel_bots"]
    output["errors"].append("RuntimeError: no bots")
    made = Report(settings={}, runners=(runner,))
    made.add(runner, output, 0)
    assert made.results["openspiel_python"].values == [5.0]
    assert made.results["openspiel_bots"].reason == "RuntimeError: no bots"


def test_answers_are_compared_in_the_rounds_that_both_have() -> None:
    ours = {0: [3, 4, 5], 1: [9]}
    assert report.compare(ours, {0: [3, 3, 3], 2: [9]}, jokers=1) == {
        "asked": 3,
        "equal": 1,
        "fewer": 1,
        "other": 1,
    }
    assert report.compare(ours, {0: [3, 3, 5], 1: [9]}, jokers=0)["other"] == 1
    assert report.compare(ours, {0: [4, 4, 5]}, jokers=1)["other"] == 1


def test_solvers_that_disagree_are_shouted_about() -> None:
    made = Report(settings={}, runners=(BY_NAME["solver"], BY_NAME["rummikub"]))
    made.add(BY_NAME["solver"], output_of(BY_NAME["solver"], 1.0, [2]), 0)
    made.add(BY_NAME["rummikub"], output_of(BY_NAME["rummikub"], 1.0, [1]), 0)
    lines = report.agreement_lines(made.agreement())
    assert sum("DIFFER" in line for line in lines) == 6
    assert sum("one tile less" in line for line in lines) == 2


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "folder" / "figures.md"
    report.write(path, "first")

    def fail(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(KeyboardInterrupt):
            report.write(path, "second")
    assert path.read_text(encoding="utf-8") == "first"
    assert list(path.parent.iterdir()) == [path]


def test_the_chart_shows_what_was_measured_and_is_the_same_again() -> None:
    pytest.importorskip("matplotlib")
    made = Report(settings={}, runners=(BY_NAME["rlcard"], BY_NAME["noop"]))
    made.add(BY_NAME["rlcard"], output_of(BY_NAME["rlcard"], 5.0), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of what it stands on
        first, second = chart.draw(made), chart.draw(made)
    assert first == second
    assert [row.key for row, _ in chart.bars(made, "steps")] == ["rlcard"]
    assert "<svg" in first
    with pytest.raises(chart.NoChart, match="nothing"):
        chart.draw(Report(settings={}))


def test_without_matplotlib_there_is_no_chart_but_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(chart.NoChart, match=r"pip install -e '\.\[bench\]'"):
        chart.draw(full_report())


def test_every_peer_has_versions_to_the_last_package_and_no_torch() -> None:
    for runner in RUNNERS:
        if runner.has_environment:
            lines = runner.requirements.read_text(encoding="utf-8").splitlines()
            packages = [line for line in lines if not line.startswith("#")]
            assert packages
            assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in packages)
            assert not any(line.startswith("torch") for line in packages)


def test_an_environment_is_kept_until_its_versions_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []

    def run(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        called.append(words)
        (tmp_path / "rlcard").mkdir(exist_ok=True)
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr(environments.subprocess, "run", run)
    runner = BY_NAME["rlcard"]
    python = environments.prepare(runner, tmp_path)
    assert [words[2] for words in called] == ["venv", "pip"]
    assert "--no-deps" in called[1]
    assert environments.prepare(runner, tmp_path) == python
    assert len(called) == 2
    (tmp_path / "rlcard" / ".installed").write_text("older")
    environments.prepare(runner, tmp_path)
    assert len(called) == 4


def test_a_peer_that_cannot_be_installed_is_a_row_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(words, 1, "", "...\nERROR: no version\n")

    monkeypatch.setattr(environments.subprocess, "run", run)
    places = ["--output", str(tmp_path / "out"), "--environments", str(tmp_path)]
    assert compare.main(["--only", "rlcard", "--repeats", "2", *places]) == 0
    (row,) = json.loads((tmp_path / "out" / "figures.json").read_text())["rows"]
    assert row["not_measured"] == "no environment: ERROR: no version"
    assert "rlcard is not measured" in capsys.readouterr().out


def runner_of(code: str) -> Runner:
    """Returns a runner that runs a line of Python."""
    row = Row("made_up", "made up")
    return Runner("made_up", ("-c", code), "steps", (row,))


def test_a_runner_that_fails_says_so_in_one_line() -> None:
    python = Path(sys.executable)
    for code, said in (
        ("raise ValueError('no luck')", "ValueError: no luck"),
        ("print('hello')", "printed no figures: hello"),
        ("print('{}')", "something else"),
        ("import time; time.sleep(60)", "longer than"),
    ):
        limit = 0.3 if "sleep" in code else 60.0
        with pytest.raises(NotMeasured, match=said):
            environments.measure(runner_of(code), python, [], limit)
    nowhere = Path("/nowhere/python")
    with pytest.raises(NotMeasured, match="does not start"):
        environments.measure(runner_of(""), nowhere, [], 1.0)


def test_what_a_runner_prints_before_its_figures_does_not_matter() -> None:
    output: Output = {"figures": {}, "errors": [], "versions": {}}
    code = f"print('a note'); print({json.dumps(json.dumps(output))})"
    measured = environments.measure(runner_of(code), Path(sys.executable), [], 60.0)
    assert measured == output


def test_peers_do_not_see_the_packages_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    assert "PYTHONPATH" not in environments.environment(BY_NAME["rlcard"])
    assert environments.environment(BY_NAME["noop"])["PYTHONPATH"] == "somewhere"
    assert environments.environment(BY_NAME["rlcard"])["OMP_NUM_THREADS"] == "1"


def test_rounds_go_through_all_runners_in_turn_and_ctrl_c_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    def measure(runner: Runner, _: Path, words: list[str], __: float) -> Output:
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append((runner.name, words[words.index("--part") + 1]))
        return output_of(runner, 7.0)

    monkeypatch.setattr(compare.environments, "measure", measure)
    monkeypatch.setattr(chart, "draw", lambda _: "<svg/>")
    places = ["--output", str(tmp_path), "--environments", str(tmp_path)]
    status = compare.main(["--only", "noop", "masks", *places])
    assert status == compare.INTERRUPTED
    assert asked == [("masks", "0"), ("noop", "0"), ("masks", "1")]
    made = json.loads((tmp_path / "figures.json").read_text())
    assert (made["was_stopped"], made["rounds"]) == (True, 1)
    values = {row["key"]: row["values"] for row in made["rows"]}
    assert (values["mask_3_mean"], values["noop_env"]) == ([7.0, 7.0], [7.0])
    assert "stopped early" in (tmp_path / "figures.md").read_text()


def test_the_help_lists_every_runner(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        compare.main(["--help"])
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert all(f"  {runner.name} " in printed for runner in RUNNERS)


@pytest.mark.parametrize(
    "words", [["--only", "rlcar"], ["--repeats", "0"], ["--seconds", "nan"]]
)
def test_a_wrong_option_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        compare.parse(words)
    assert stop.value.code == 2
    assert words[1] in capsys.readouterr().err


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> questions.Questions:
    """Returns questions about smaller tables, which come up sooner."""
    smaller = {
        kind: replace(asked, fewest=6 if asked.fewest < questions.LARGE else 20)
        for kind, asked in questions.KINDS.items()
    }
    monkeypatch.setattr(questions, "KINDS", smaller)
    monkeypatch.setattr(questions, "NUM_GAMES", 24)
    monkeypatch.setattr(questions, "WARM_UP", 60)
    return questions.generate(4)


def test_questions_can_be_asked_of_both_solvers(few: questions.Questions) -> None:
    for kind, found in few.items():
        assert len(found) == 4
        for asked in found:
            table, hand = asked["table"].split(), asked["hand"].split()
            fewest, most = questions.KINDS[kind].fewest, questions.KINDS[kind].most
            assert fewest <= len(table) - kind.startswith("arrange") <= most
            assert not any("*" in card for card in table)
            assert hand.count("*") == questions.KINDS[kind].jokers
            real = Counter(card for card in table + hand if card != "*")
            assert max(real.values()) <= 2
            assert bool(hand) != kind.startswith("arrange")
            if hand:
                assert solver.arrange(asked["table"]) is not None


def test_no_answer_has_a_high_ace(few: questions.Questions) -> None:
    for kind, found in few.items():
        for asked in found:
            layout = solver.arrange(asked["table"])
            if not kind.startswith("arrange"):
                best = solver.best_meld(asked["table"], asked["hand"], "cards")
                layout = layout if best is None else best[1]
            assert layout is None or not questions.has_high_ace(layout)


def test_high_aces_are_told_from_others() -> None:
    assert questions.has_high_ace(["2c 3c 4c", "Qh Kh Ah"])
    assert questions.has_high_ace(["Jh Qh Kh *Ah"])
    assert questions.has_high_ace(["Qh *Kh Ah"])
    assert not questions.has_high_ace(["Ac Ad Ah", "Ac 2c 3c", "Ts Js Qs Ks"])
    assert not questions.has_high_ace(["Ac Ad *Ah"])


def test_questions_repeat_and_are_dealt_out_to_the_rounds(
    few: questions.Questions, tmp_path: Path
) -> None:
    assert questions.generate(4) == few
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(few))
    parts = [
        protocol.read_questions(order(questions=str(path), part=part, parts=2))
        for part in range(2)
    ]
    for kind, found in few.items():
        halves = parts[0][kind] + parts[1][kind]
        assert sorted(map(json.dumps, halves)) == sorted(map(json.dumps, found))


def test_our_runner_prints_the_rows_of_the_catalogue(
    few: questions.Questions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(few))
    for group in ("masks", "solver"):
        own.main([group, "--seconds", "0.001", "--questions", str(path)])
        printed = environments.parse(capsys.readouterr().out)
        assert printed["errors"] == []
        # in so short a time some tables hardly come up
        missing = {row.key for row in BY_NAME[group].rows} - set(printed["figures"])
        assert all(re.match(r"mask_\d_\d+_", key) for key in missing)
        assert len(printed["figures"]) >= len(BY_NAME[group].rows) / 3
        assert all(figure["value"] > 0 for figure in printed["figures"].values())
    assert set(own.GROUPS) <= set(BY_NAME)
    with pytest.raises(SystemExit, match="usage"):
        own.main(["mask"])


def test_a_card_that_a_joker_stands_for_counts_as_laid() -> None:
    assert own.lay({"table": "5c 6c 7c", "hand": "8c * Kd"}) == 2
    assert own.lay({"table": "5c 6c 7c", "hand": "Kd"}) == 0
    assert own.arrange({"table": "5c 6c 7c", "hand": ""})
    assert not own.arrange({"table": "5c 6c 7c Kd", "hand": ""})


def test_a_measure_that_fails_leaves_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def good(_: Order) -> dict[str, Figure]:
        return {"good": protocol.rate(10, 2.0)}

    def bad(_: Order) -> dict[str, Figure]:
        raise OSError("no screen")

    protocol.run([bad, good], ["numpy"], ["--seconds", "1"])
    printed = environments.parse(capsys.readouterr().out)
    assert printed["figures"]["good"]["value"] == 5.0
    assert printed["errors"] == ["OSError: no screen"]
    assert set(printed["versions"]) == {"numpy"}


def test_the_clock_leaves_out_the_first_game() -> None:
    seeds: list[int] = []

    def play(seed: int) -> int:
        seeds.append(seed)
        return 3

    figure = protocol.play_for(order(seed=5), play)
    assert seeds[:2] == [5, 6]
    assert figure["steps"] == 3 * (len(seeds) - 1)
    assert figure["seconds"] >= 0.01


def test_decisions_have_a_table_of_their_own() -> None:
    names = {table_of(BY_NAME["steps"], row) for row in BY_NAME["steps"].rows}
    assert names == {"steps", "decisions"}


@pytest.mark.parametrize("make", [noop.NoopEnv, noop.wrapped])
def test_the_game_of_nothing_keeps_to_the_api(make: Any) -> None:
    game = make()
    for index, agent in enumerate(game.possible_agents):
        game.action_space(agent).seed(index)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(game, num_cycles=50)
    # there is nothing to be seen, and nothing to draw
    nothing = {
        "Observation numpy array is all zeros.",
        "Environment has not defined a render() method",
    }
    assert {str(warning.message) for warning in caught} <= DICT_WARNINGS | nothing
    assert aec.steps(make(), order())["steps"] % noop.LENGTH == 0
