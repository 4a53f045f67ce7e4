"""What surrounds the code: documents, contracts and make targets keep up with it."""

from __future__ import annotations

import dataclasses
import itertools
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import rummy_env
from rummy_env.config import RuleConfig

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "rummy_env"
NUM_RULES = 30


def read_project() -> dict[str, Any]:
    """Returns pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def read_rules() -> str:
    """Returns RULES.md."""
    return (PACKAGE / "RULES.md").read_text(encoding="utf-8")


def modules_in(package: Path) -> set[str]:
    """Returns the names of a package's modules and subpackages."""
    return {
        path.stem
        for path in package.iterdir()
        if (path.suffix == ".py" and path.stem != "__init__")
        or (path / "__init__.py").is_file()
    }


def layers_of(container: str) -> tuple[set[str], set[str]]:
    """Returns the modules a layers contract requires and those it allows."""
    contracts = read_project()["tool"]["importlinter"]["contracts"]
    (contract,) = (c for c in contracts if c.get("containers") == [container])
    assert contract["exhaustive"]
    names = [
        name.strip() for line in contract["layers"] for name in re.split("[|:]", line)
    ]
    optional = {name.strip("()") for name in names if name.startswith("(")}
    return {name for name in names if not name.startswith("(")}, optional


def test_every_rule_is_restated_once_and_in_order() -> None:
    numbers = re.findall(r"^\*\*R(\d+) ", read_rules(), flags=re.MULTILINE)
    assert [int(number) for number in numbers] == list(range(1, NUM_RULES + 1))


def test_every_option_is_listed_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", read_rules(), flags=re.MULTILINE)
    fields = dataclasses.fields(RuleConfig)
    expected = {field.name: repr(field.default) for field in fields}
    assert {name: default.replace('"', "'") for name, default in rows} == expected


def test_every_option_stands_under_the_rule_it_changes() -> None:
    rules, options = read_rules().split("## Options")
    sections = {
        int(section.split()[0]): section for section in rules.split("\n**R")[1:]
    }
    rows = re.findall(r"^\| `(\w+)` .*\| ([R\d, ]+) \|$", options, re.MULTILINE)
    assert len(rows) == len(dataclasses.fields(RuleConfig))
    for option, numbers in rows:
        for number in re.findall(r"\d+", numbers):
            assert f"`{option}" in sections[int(number)], (option, number)


def test_the_rules_cite_only_rules_that_exist() -> None:
    cited = {int(number) for number in re.findall(r"\bR(\d+)\b", read_rules())}
    assert cited == set(range(1, NUM_RULES + 1))


@pytest.mark.parametrize("container", ["rummy_env", "agents"])
def test_every_module_has_its_floor(container: str) -> None:
    required, optional = layers_of(container)
    assert modules_in(ROOT / container) <= required | optional


def test_every_floor_is_in_the_picture() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    picture = text.split("## The floors")[1].split("```")[1]
    words = set(re.findall(r"\w+", picture))
    for container in ("rummy_env", "agents"):
        required, optional = layers_of(container)
        assert required | optional <= words


def test_the_rooms_of_the_kernel_are_those_of_the_contract() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.split("### The rooms of the kernel")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
    rooms = [set(re.findall(r"`(\w+)`", cell)) for cell in cells]
    (contract,) = (
        c
        for c in read_project()["tool"]["importlinter"]["contracts"]
        if c.get("containers") == ["rummy_env.kernel"]
    )
    assert rooms == [
        set(re.split(" [:|] ", line)) for line in reversed(contract["layers"])
    ]
    assert set().union(*rooms) == modules_in(PACKAGE / "kernel")


def test_importing_the_package_leaves_heavy_ones_alone() -> None:
    code = "import rummy_env, sys; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    loaded = set(run.stdout.split())
    assert "rummy_env" in loaded
    assert not loaded & {"torch", "pygame", "matplotlib", "tensorboard", "jsonargparse"}


def test_the_package_is_marked_as_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


def test_the_version_is_stated_once() -> None:
    version = read_project()["project"]["version"]
    assert rummy_env.__version__ == version
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_direct_dependency_is_pinned_within_its_range() -> None:
    project = read_project()["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *itertools.chain(*extras.values())]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.lower().split("==") for line in lines if "==" in line)
    for requirement in map(Requirement, needed):
        pinned = pins[requirement.name.lower()]
        assert requirement.specifier.contains(pinned), requirement


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)
    run = subprocess.run(
        ["make", "help"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert set(phony.split()) == set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    listed = re.findall(r"^  ([a-z]+) +\S", run.stdout, flags=re.MULTILINE)
    assert listed == phony.split()
