"""Game logs: what was played goes round, what was not is found where it first differs.

What is malformed says so with its line and column, and nothing else happens.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from rummy_env import (
    IllegalActionError,
    NotationError,
    ReplayError,
    RuleConfig,
    RummyError,
    State,
    manipulation_rummy_v0,
    replay,
)
from rummy_env.replay import GameLog
from tests.driving import next_action
from tests.hostile import GARBAGE, accepted, edited

ROOT = Path(__file__).resolve().parent.parent
TEXT = """\
rummy-game1; num_players=2; hand_size=4; num_ranks=3; target_score=20; seed=513
round 0: dealer=1
hand 0: Ac 3h 3s *
hand 1: 3c Ad Ah 2h
stock: As 2d 3d 2c 2s
player 0: draw, lay As, joker 2s, lay 3s, end
player 1: draw, draw, lay 2h, lay 3c, lay Ad, lay 3d, lay 2d, lay Ah
result: reason=out; by=1; points=4 0; round_scores=0 29; winners=1; scores=0 29
final: totals=0 129; winners=1
"""


def random_log(config: RuleConfig, seed: int, most: int = 10_000) -> GameLog:
    """Returns the log of a game played at random, to its end or so many actions."""
    rng, state, log = (
        random.Random(seed),
        State.new(config, seed),
        GameLog(config, seed),
    )
    while len(log.actions) < most:
        outcome = state.outcome()
        if outcome is None:
            names = state.legal_action_names()
            cards = [name for name in names if name not in ("draw", "end")]
            log.actions.append(rng.choice(cards or names))
            state.apply_action(log.actions[-1])
        elif outcome["game_over"]:
            break
        else:
            state.start_next_round()
    return log


def some_logs() -> list[GameLog]:
    """Returns short logs of games won, truncated and under way at several points."""
    small = RuleConfig(num_players=3, num_ranks=5, hand_size=5, max_rounds=3)
    won = GameLog.from_text(TEXT)
    over = GameLog(won.config, won.seed, won.actions[:5])
    logs = [won, over, GameLog(RuleConfig(), 0), random_log(small, 12)]
    return logs + [random_log(small, 5, most) for most in (1, 9, 20, 50)]


def test_logs_go_round() -> None:
    for log in some_logs():
        text = log.to_text()
        again = GameLog.from_text(text)
        assert (again.config, again.seed) == (log.config, log.seed)
        assert again.to_text() == text
        assert again.state() == log.state()
    assert GameLog.from_text(TEXT).to_text() == TEXT
    assert any("truncated" in log.to_text() for log in some_logs())


def test_a_log_ends_wherever_the_game_stands() -> None:
    whole = random_log(RuleConfig(num_players=2, num_ranks=4, hand_size=4), 3, 60)
    for number in range(len(whole.actions) + 1):
        log = GameLog(whole.config, whole.seed, whole.actions[:number])
        assert GameLog.from_text(log.to_text()).state() == log.state()


def test_what_may_be_left_out_or_written_otherwise() -> None:
    lines = TEXT.splitlines()
    short = "\n".join([lines[0], lines[1], *lines[5:]])
    split = TEXT.replace("draw, draw, lay 2h", "draw\nplayer 1: draw,  lay  2h")
    order = TEXT.replace("Ac 3h 3s *", "* 3s  Ac 3h")
    fields = TEXT.replace("totals=0 129; winners=1", "winners = 1;totals=0  129")
    fields = fields.replace("winners = 1", "winners=1")
    spaced = "# a game\n\n" + TEXT.replace("\n", " \r\n\n# more\r\n")
    for text in (short, split, order, fields, spaced):
        assert GameLog.from_text(text) == GameLog.from_text(TEXT)


def test_the_games_of_the_environment_are_the_games_of_its_seeds() -> None:
    options = {"num_players": 3, "num_ranks": 5, "hand_size": 4, "target_score": 30}
    env = manipulation_rummy_v0.raw_env(**options)
    env.reset(seed=21)
    log = GameLog(RuleConfig(**options), 21)  # type: ignore[arg-type]
    while env.terminations and not any(env.terminations.values()):
        log.actions.append(next_action(env))
        env.step(log.actions[-1])
    assert "final: " in log.to_text()
    assert log.state() == env.game()


def test_the_examples_in_the_docs_are_games() -> None:
    for docs in (replay.__doc__, replay._EPILOG):
        assert docs is not None
        example = docs[docs.index(f"  {replay.HEADER}") :].split("\n\n")[0]
        assert [line.strip() for line in example.splitlines()] == TEXT.splitlines()


@pytest.mark.parametrize(
    ("before", "after", "line", "column", "message"),
    [
        ("lay As, joker", "lay 2h, joker", 6, 17, "action 2: 'lay 2h' is not legal"),
        ("lay As, joker", "lay 2h, joker", 6, 17, "legal: draw, lay Ac, lay 3h"),
        ("joker 2s, lay 3s, end", "joker 2s, end", 6, 35, "action 4: .* is melding"),
        ("lay 3s, end", "lay 3s", 7, 11, "5 is not player 1's: player 0 is melding"),
        ("lay 3s, end", "lay 3s, end, draw", 6, 48, "not player 0's: player 1 begins"),
        ("player 1: draw", "player 0: draw", 7, 11, "action 6 is not player 0's"),
        ("lay Ah", "lay Ah, end", 7, 71, "action 14: the round is over"),
        (", lay Ah", "", 8, 1, "'result' cannot .* player or unfinished .player 1 is"),
        ("dealer=1", "dealer=0", 2, 10, "dealer is '1', not '0'"),
        ("round 0", "round 1", 2, 1, "this is round 0, not 1"),
        ("Ac 3h 3s *", "Ac 3h 3s 2c", 3, 8, "the hand dealt is Ac 3h 3s \\*"),
        ("Ac 3h 3s *", "Ac 3h 3s", 3, 8, "the hand dealt"),
        ("Ac 3h 3s *", "", 3, 8, "the hand dealt"),
        ("2d 3d 2c", "2d 2c 3d", 5, 14, "card 3 of the stock is 3d"),
        ("2c 2s\n", "2c\n", 5, 17, "card 5 of the stock is 2s"),
        ("2c 2s\n", "2c 2s 2h\n", 5, 23, "card 6 of the stock does not exist"),
        ("stock: As 2d 3d 2c 2s", "stock:", 5, 7, "card 1 of the stock is As"),
        ("reason=out", "reason=knock", 8, 9, "reason is 'out', not 'knock'"),
        ("by=1", "by=0", 8, 21, "by is '1', not '0'"),
        ("points=4 0", "points=4 00", 8, 27, "points is '4 0', not '4 00'"),
        ("scores=0 29\n", "scores=0 30\n", 8, 69, "scores is '0 29', not '0 30'"),
        ("totals=0 129", "totals=129 0", 9, 8, "totals is '0 129'"),
        ("totals=0", "truncated=True; totals=0", 9, 8, "no truncated here"),
        (
            "final: totals=0 129; winners=1",
            "round 1: dealer=0",
            9,
            1,
            "next comes final",
        ),
        ("winners=1\n", "winners=1\nunfinished: actions=13\n", 10, 1, "has ended"),
        ("seed=513", "seed=514", 3, 8, "the hand dealt is 3c 3d 2h"),
        ("; num_ranks=3", "", 3, 8, "the hand dealt"),
    ],
)
def test_where_a_game_first_differs(
    before: str, after: str, line: int, column: int, message: str
) -> None:
    assert before in TEXT
    with pytest.raises(ReplayError, match=message) as caught:
        GameLog.from_text(TEXT.replace(before, after, 1))
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


@pytest.mark.parametrize(
    ("before", "after", "line", "column", "message"),
    [
        ("rummy-game1", "rummy-game2", 1, 1, "begins with 'rummy-game1'"),
        ("; num_players=2", "; num_player=2", 1, 14, "did you mean 'num_players'"),
        ("num_players=2", "num_players=x", 1, 14, "no whole number"),
        ("num_players=2", "num_players=7", 1, 14, "from 2 to 5"),
        ("hand_size=4", "hand_size=40", 1, 1, "no stock card"),
        ("; seed=513", "", 1, 70, "the seed is missing"),
        ("seed=513", "seed=5; seed=6", 1, 80, "twice"),
        ("seed=513", "seed=-1", 1, 72, "a seed is"),
        ("seed=513", "seed=\u0663", 1, 72, "no whole number"),
        ("seed=513", f"seed={2**63}", 1, 72, "too large"),
        ("seed=513", "seed=" + "9" * 4000, 1, 4001, "at most 4000 characters"),
        ("round 0", "round", 2, 1, "begins with 'round 0:'"),
        ("round 0", "round x", 2, 1, "no whole number"),
        ("round 0", "round -1", 2, 1, "-1 is no round"),
        ("dealer=1", "", 2, 9, "key=value"),
        ("hand 0", "hnad 0", 3, 1, "did you mean 'hand'"),
        ("hand 1", "hand 2", 4, 1, "no player 2"),
        ("3h 3s *", "3h 3x *", 3, 15, "3x"),
        ("As 2d", "Qs 2\0", 5, 11, "is no card"),
        ("player 1", "player 5", 7, 1, "no player 5"),
        ("player 0: draw, lay", "player 0: draw, , lay", 6, 17, "action is missing"),
        ("player 0: draw", "player 0 draw", 6, 1, "'kind: what'"),
        ("lay As, joker 2s", "lay Ax, joker 2s", 6, 17, "did you mean 'lay A"),
        ("by=1; ", "", 8, 8, "by is missing"),
        ("by=1; ", "by=1; by=1; ", 8, 27, "by is given twice"),
        ("by=1", "bye=1", 8, 21, "did you mean 'by'"),
        ("final: totals=0 129; winners=1\n", "", 9, 1, "breaks off; next comes final"),
        (TEXT[TEXT.index("round 0") :], "", 2, 1, "breaks off; next comes round"),
        (TEXT, "", 1, 1, "begins with"),
        (TEXT, "rummy1; draws=1", 1, 1, "begins with"),
        (TEXT, "\n" * 4_000_001, 1, None, "at most 4000000 characters"),
    ],
)
def test_malformed_logs(
    before: str, after: str, line: int, column: int | None, message: str
) -> None:
    assert before in TEXT
    with pytest.raises(NotationError, match=message) as caught:
        GameLog.from_text(TEXT.replace(before, after, 1))
    assert (caught.value.line, caught.value.column) == (line, column)
    assert not isinstance(caught.value, ReplayError)


def test_what_cannot_be_written_is_refused() -> None:
    log = GameLog.from_text(TEXT)
    with pytest.raises(IllegalActionError, match="action 4: 'end' is not legal"):
        GameLog(log.config, log.seed, [*log.actions[:3], "end"]).to_text()
    with pytest.raises(IllegalActionError, match="there is no action 'drw'"):
        GameLog(log.config, 0, ["drw"])
    for write in (GameLog.to_text, GameLog.state):
        with pytest.raises(RummyError, match="the game is over"):
            write(GameLog(log.config, log.seed, [*log.actions, "draw"]))
    with pytest.raises(RummyError, match="seed"):
        GameLog(log.config, -1).to_text()


def test_a_log_cut_anywhere_is_not_taken_for_one() -> None:
    assert GameLog.from_text(TEXT[:-1])
    for end in range(len(TEXT) - 1):
        assert accepted(GameLog.from_text, TEXT[:end], "line") is None, TEXT[:end]


def test_edited_logs_are_refused_in_words_or_played() -> None:
    rng = random.Random(3)
    texts = [text for log in some_logs() if len(text := log.to_text()) < 2_000]
    seen: Counter[bool] = Counter()
    for _ in range(6_000):
        text = edited(rng.choice(texts), rng)
        if text and rng.random() < 0.2:
            text = edited(text, rng)
        log = accepted(GameLog.from_text, text, "line", "column")
        if log is not None:
            assert GameLog.from_text(log.to_text()) == log
        seen[log is not None] += 1
    assert seen[False] > 4_500, seen
    assert seen[True] > 50, seen


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_refused_in_words(garbage: str) -> None:
    head = TEXT[: TEXT.index("player 1")]
    shapes = ["{}", "rummy-game1; {}", "rummy-game1; seed={}", TEXT + "{}"]
    shapes += [
        head + kind for kind in ("{}", "player {}:", "player 1: {}", "result: {}")
    ]
    for shape in shapes:
        text = shape.replace("{}", garbage)
        if garbage.strip() or not shape.startswith(TEXT):
            assert accepted(GameLog.from_text, text, "line") is None


# The command


def write(folder: Path, text: str | bytes) -> str:
    """Writes a file of a test and returns its path."""
    path = folder / "game.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize(
    ("text", "status", "printed"),
    [
        (TEXT, 0, "as written: 13 actions, rounds ended: 1, won by player 1 with 129"),
        ("\ufeff" + TEXT, 0, "as written"),
        (TEXT.replace("by=1", "by=0"), 1, "differs at line 8, column 21: by is '1'"),
        (TEXT[:-9], 2, "is no log: line 9, column 22: no field 'w"),
        ("", 2, "is no log: line 1, column 1: a game log begins"),
        (TEXT.encode() + b"\n# \xff", 2, "is no log: line 11, column 3: .* UTF-8"),
        (b"\0" * 5_000_000, 2, "is no log: line 1: a log has at most 4000000 bytes"),
        (TEXT.replace("lay As", "lay \u0663"), 2, "no action 'lay .u0663'"),
    ],
)
def test_the_command_says_what_it_found(
    text: str | bytes,
    status: int,
    printed: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write(tmp_path, text)
    assert replay.main([path]) == status
    out, err = capsys.readouterr()
    said, silent = (err, out) if status == 2 else (out, err)
    assert silent == ""
    assert said.startswith(f"{path}: ")
    assert said.isascii()
    assert len(said.splitlines()) == 1

    assert re.search(printed, said), said


def test_the_command_takes_several_files_and_those_that_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = write(tmp_path, TEXT)
    assert replay.main([good, good]) == 0
    for missing in (str(tmp_path), str(tmp_path / "none"), "a\0b"):
        assert replay.main([good, missing, good]) == 2
        assert "cannot be read" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        replay.main([])
    assert stop.value.code == 2


def test_the_command_reads_the_standard_input() -> None:
    command = [sys.executable, "-m", "rummy_env.replay", "-"]
    for text, status in ((TEXT, 0), (TEXT[:-30], 2)):
        run = subprocess.run(
            command, cwd=ROOT, input=text, capture_output=True, text=True, check=False
        )
        assert run.returncode == status
        assert "Traceback" not in run.stderr
        assert (run.stdout if status == 0 else run.stderr).startswith("-: ")


def test_the_help_says_what_a_log_and_a_status_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as stop:
        replay.main(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    for word in ("rummy-game1", "standard input", "status: 0", "GameLog"):
        assert word in text
