"""What the README shows is so: its Python runs, its commands exist.

The Python blocks run from top to bottom in one namespace. Lines that begin with `# ->`
are what a block prints, in order.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from agents import config as agents_config
from agents.evaluation import __main__ as evaluation_command
from agents.exploitability import __main__ as exploitability_command
from benchmarks import readme
from rummy_env import replay
from rummy_env.observation import SECTIONS

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PRINTS = "# -> "
WITH_HELP = {
    "agents.evaluation": evaluation_command.main,
    "agents.exploitability": exploitability_command.main,
}


def blocks(language: str) -> list[str]:
    """Returns the code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """Returns the shell commands, in words."""
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [shlex.split(line) for line in lines if line.strip()]


def test_the_figures_are_those_of_the_run_that_is_kept() -> None:
    figures = readme.figures(readme.read_rows(readme.FIGURES))
    assert readme.replaced(TEXT, figures) == TEXT


def test_figures_go_between_the_marks_only() -> None:
    text = f"before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n"
    assert readme.replaced(text, "new") == text.replace("old", "\nnew\n")
    with pytest.raises(ValueError, match="marks"):
        readme.replaced("before", "new")


def test_every_python_block_runs_and_prints_what_it_says() -> None:
    namespace: dict[str, Any] = {}
    shown = blocks("python")
    assert len(shown) >= 5
    for block in shown:
        expected = [
            line.removeprefix(PRINTS)
            for line in block.splitlines()
            if line.startswith(PRINTS)
        ]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "README.md", "exec"), namespace)
        assert printed.getvalue().splitlines() == expected


def test_every_printing_line_shows_what_it_prints() -> None:
    for block in blocks("python"):
        lines = block.splitlines()
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if line.startswith("print("):
                assert following.startswith(PRINTS), line


def test_every_command_exists() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for words in commands():
        if words[0] == "make":
            assert set(words[1:]) <= set(targets), words
        elif words[:2] == ["python", "-m"]:
            assert importlib.util.find_spec(words[2]) is not None
        elif words[0] == "python":
            assert (ROOT / words[1]).is_file()
        else:
            assert words[:3] == ["pip", "install", "-e"], words


def test_the_commands_understand_their_arguments(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in commands():
        if words[:2] == ["python", "-m"] and words[2] in WITH_HELP:
            with pytest.raises(SystemExit) as stop:
                WITH_HELP[words[2]](["--help"])
            assert stop.value.code == 0
            text = capsys.readouterr().out
            assert all(word in text for word in words if word.startswith("--"))
        elif words[:3] == ["python", "-m", "rummy_env.replay"]:
            assert replay.main([str(ROOT / word) for word in words[3:]]) == 0
        elif words[:2] == ["python", "train.py"]:
            # the files of a run are not there yet; those of the checkout are
            given = [
                word.replace("runs/quick/config.yaml", "configs/quick.yaml")
                for word in words[2:]
            ]
            agents_config.parse(given)


def test_every_linked_file_exists() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    files = [link for link in links if not link.startswith("http")]
    assert "rummy_env/RULES.md" in files
    for file in files:
        assert (ROOT / file).is_file(), file


def test_every_section_that_is_named_exists() -> None:
    named = re.findall(r'view\([^)]*\), "(\w+)"', TEXT)
    assert named
    assert set(named) <= {section.name for section in SECTIONS}
