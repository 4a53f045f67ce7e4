"""What is measured: every runner, every row of the tables, and what rows differ in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.figures import BATCHES, PLAYERS, TABLE_SIZES
from benchmarks.questions import KINDS

ROOT: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Attributes:
        key: What the runner calls the figure.
        label: In words.
        game: What is played, where it is not our game.
        note: What else it differs in.
        is_own: Whether it is ours.
    """

    key: str
    label: str
    game: str = ""
    note: str = ""
    is_own: bool = False


@dataclass(frozen=True)
class Runner:
    """A program that measures some rows.

    Attributes:
        name: What `--only` calls it; a peer's environment and requirements too.
        words: What Python is given to run it.
        table: The table that its rows are in.
        rows: What it measures.
        has_environment: Whether it runs in an environment of its own.
        asks: Whether it is given questions to the solver.
        base_seconds: How long it may take for all but what is measured.
    """

    name: str
    words: tuple[str, ...]
    table: str
    rows: tuple[Row, ...]
    has_environment: bool = False
    asks: bool = False
    base_seconds: float = 120.0

    @property
    def requirements(self) -> Path:
        """The file with the versions of its environment."""
        return ROOT / "benchmarks" / "peers" / f"{self.name}.txt"


@dataclass(frozen=True)
class Table:
    """A table of the report.

    Attributes:
        title: Its heading.
        unit: Of its figures.
        digits: Digits after the point.
        text: What is compared in it, and what is not.
    """

    title: str
    unit: str
    digits: int
    text: str


TABLES: Final = {
    "steps": Table(
        "Applied actions",
        "actions/s",
        0,
        "Random legal play. An applied action is one that changes the game, forced "
        "ones included; dealing is not counted, its time is. Each peer plays another "
        "game than we do, with easier legality: what may be done in gin rummy follows "
        "from one hand, while a mask of ours is exact about every rearrangement of a "
        "table that all share. So the rows say what an action costs a learner in "
        "either game, not which code is better at the same work. Rows of one game at a "
        "time have the choice of the action on the clock; rows of many have the "
        "compiled step alone, with observations and masks written. `VectorEnv` steps "
        "256 games that no longer keep step, Pgx 1,024.",
    ),
    "decisions": Table(
        "Decisions",
        "decisions/s",
        0,
        "The same play as above. A decision is an action that the caller gave; the "
        "engine plays those without an alternative by itself.",
    ),
    "masks": Table(
        "Masks",
        "us",
        1,
        "Microseconds for one exact mask at the positions of random play, without the "
        "call: in all, then by the cards on the table, each class up to the next. No "
        "peer has a mask of this kind.",
    ),
    "large": Table(
        "Large tables",
        "us",
        0,
        "Microseconds in the kernel for a best meld by points and for a layout of the "
        "table, at the draws of random play of five at 60 cards or more on the table "
        "and a joker in the hand.",
    ),
    "startup": Table(
        "Start-up",
        "s",
        2,
        "From `import` to the first `reset`, in a process of its own.",
    ),
    "solver": Table(
        "Solver",
        "ms",
        2,
        "The same questions to both, from random play with two packs: the most cards "
        "(tiles) that can be laid, the table rearranged, and whether a table splits "
        "into melds. The peer answers an integer program for each, by GLPK and by its "
        "default, SciPy. No jokers lie on the table, since Rummikub's have no names, "
        "and questions that we answer with a high ace are left out, "
        "which Rummikub does not have. Points are not compared: the values differ. "
        "Reading the question is on the clock, building the model or compiling is not. "
        "Percentiles are of all repetitions together, each with its own questions.",
    ),
}


def _by_players(key: str, label: str, note: str = "") -> tuple[Row, ...]:
    """Returns a row of ours for each number of players."""
    return tuple(
        Row(f"{key}_{players}", label.format(players), note=note, is_own=True)
        for players in PLAYERS
    )


def _vector(key: str, note: str = "") -> tuple[Row, ...]:
    """Returns our rows of many games by players and threads."""
    return tuple(
        Row(
            f"{key}_{players}_{threads}",
            f"VectorEnv, {players} players, {threads} thread{'s' * (threads > 1)}",
            note=note,
            is_own=True,
        )
        for players in PLAYERS
        for threads in (1, 2)
    )


def _masks() -> tuple[Row, ...]:
    """Returns our rows of masks, for each number of players in all and by table."""
    rows = []
    for players in PLAYERS:
        for name in ("mean", "p50", "p95", "p99", "max"):
            label = f"{players} players, {name}"
            rows.append(Row(f"mask_{players}_{name}", label, is_own=True))
        for fewest in TABLE_SIZES[: 3 if players == 2 else 4]:
            for name in ("mean", "p99", "max"):
                label = f"{players} players, {fewest} cards lie or more, {name}"
                rows.append(Row(f"mask_{players}_{fewest}_{name}", label, is_own=True))
    return tuple(rows)


def _large() -> tuple[Row, ...]:
    """Returns our rows of large tables."""
    return tuple(
        Row(f"large_{name}_{figure}", f"{label}, {figure}", is_own=True)
        for name, label in (("best", "best meld"), ("arrange", "layout"))
        for figure in ("mean", "p50", "p99", "max")
    )


def _questions(name: str, label: str, is_own: bool = False) -> tuple[Row, ...]:
    """Returns a row for each kind of question."""
    return tuple(
        Row(f"{name}_{kind}", f"{asked.label}: {label}", is_own=is_own)
        for kind, asked in KINDS.items()
    )


_FORCED = "forced actions are played by the engine"
_GIN = "gin rummy"
_NOTHING = "nothing"

RUNNERS: Final = (
    Runner(
        "steps",
        ("-m", "benchmarks.own", "steps"),
        "steps",
        (
            *_by_players("raw_env", "raw_env, {} players"),
            *_by_players(
                "env",
                "env, {} players",
                "in a wrapper that does for PettingZoo's three",
            ),
            *_vector("vector", _FORCED),
            *_vector("decisions"),
        ),
    ),
    Runner(
        "batches",
        ("-m", "benchmarks.own", "batches"),
        "decisions",
        tuple(
            Row(f"batch_{games}", f"VectorEnv of {games}, 2 players", is_own=True)
            for games in BATCHES
        ),
    ),
    Runner(
        "greedy",
        ("-m", "benchmarks.own", "greedy"),
        "steps",
        (
            *_by_players("greedy", "VectorEnv, {} players, greedy play", _FORCED),
            *_by_players("greedy_decisions", "VectorEnv, {} players, greedy play"),
        ),
        base_seconds=300.0,
    ),
    Runner("masks", ("-m", "benchmarks.own", "masks"), "masks", _masks()),
    Runner("large", ("-m", "benchmarks.own", "large"), "large", _large()),
    Runner(
        "startup",
        ("-m", "benchmarks.own", "startup"),
        "startup",
        (
            Row("start_cold_2", "cold, 2 players: compiled for one pack", is_own=True),
            Row("start_cold", "cold, 3 players: compiled for two packs", is_own=True),
            Row("start_warm", "warm: it is in the cache", is_own=True),
        ),
        base_seconds=300.0,
    ),
    Runner(
        "noop",
        ("-m", "benchmarks.peers.noop"),
        "steps",
        (
            Row("noop_raw_env", "PettingZoo alone, bare", _NOTHING, "what AEC costs"),
            Row(
                "noop_env",
                "PettingZoo alone, in wrappers",
                _NOTHING,
                "what AEC and its three usual wrappers cost",
            ),
        ),
    ),
    Runner(
        "openspiel",
        ("-m", "benchmarks.peers.openspiel"),
        "steps",
        (
            Row(
                "openspiel_python",
                "OpenSpiel, Python API",
                _GIN,
                "observation tensor and legal actions for each action",
            ),
            Row(
                "openspiel_bots",
                "OpenSpiel, its random bots in C++",
                _GIN,
                "legal actions, no observations",
            ),
        ),
        has_environment=True,
    ),
    Runner(
        "rlcard",
        ("-m", "benchmarks.peers.rlcard"),
        "steps",
        (Row("rlcard", "RLCard", _GIN, "observation and legal actions"),),
        has_environment=True,
    ),
    Runner(
        "pettingzoo",
        ("-m", "benchmarks.peers.pettingzoo"),
        "steps",
        (
            Row("pettingzoo_raw_env", "PettingZoo raw_env", _GIN, "on top of RLCard"),
            Row("pettingzoo_env", "PettingZoo env", _GIN, "on top of RLCard"),
        ),
        has_environment=True,
    ),
    Runner(
        "pgx",
        ("-m", "benchmarks.peers.pgx"),
        "steps",
        (
            Row(
                "pgx_sparrow_mahjong",
                "Pgx, one core",
                "sparrow mahjong",
                "44 tiles, 3 players, 11 actions, no table to rearrange",
            ),
            Row("pgx_connect_four", "Pgx, one core", "connect four", "7 actions"),
        ),
        has_environment=True,
        base_seconds=300.0,
    ),
    Runner(
        "solver",
        ("-m", "benchmarks.own", "solver"),
        "solver",
        _questions("solver", "rummy_env", is_own=True),
        asks=True,
    ),
    Runner(
        "rummikub",
        ("-m", "benchmarks.peers.rummikub"),
        "solver",
        (
            *_questions("glpk", "rummikub-solver, GLPK"),
            *_questions("scipy", "rummikub-solver, SciPy"),
        ),
        has_environment=True,
        asks=True,
        base_seconds=600.0,
    ),
)


def table_of(runner: Runner, row: Row) -> str:
    """Returns the table of a row."""
    return "decisions" if "decisions" in row.key else runner.table
