"""The settings of `train.py`: typed sections from a YAML file and flags.

A section is the configuration class of whoever reads it. Flags win over the file, the
file over the defaults: `train.py --config configs/quick.yaml --ppo.num_envs 64`.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import json
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NoReturn

import jsonargparse
import yaml

from agents.checkpoint import write_atomically
from agents.dmc import DMCConfig
from agents.dmc_agent import OptionNetworkConfig
from agents.evaluation import EvaluationConfig
from agents.networks import NetworkConfig
from agents.options import OptionConfig
from agents.ppo import PPOConfig
from agents.run import RunConfig
from rummy_env.config import RuleConfig

Algorithm = Literal["ppo", "dmc"]

_FILE_NAME: Final = "config.yaml"
_SECTIONS: Final = {
    "rules": RuleConfig,
    "network": NetworkConfig,
    "ppo": PPOConfig,
    "dmc": DMCConfig,
    "options": OptionConfig,
    "option_network": OptionNetworkConfig,
    "run": RunConfig,
    "evaluation": EvaluationConfig,
}
# How jsonargparse names a key that it does not know, flag or file.
_UNKNOWN: Final = (
    re.compile(r"unrecognized arguments: --(?P<key>[^\s=]+)", re.I),
    re.compile(r"Group '(?P<group>[^']+)' does not accept option '(?P<key>[^']+)'"),
    re.compile(r"Option '(?P<key>[^']+)' is not accepted"),
)
# How it names a value of the wrong type, and what we call the types.
_WRONG_TYPE: Final = re.compile(
    r'Parser key "(?P<section>\w+)\.(?P<name>\w+)":.*value: (?P<value>.*)', re.S
)
_TYPES: Final = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "None": "null",
    "tuple[int, ...]": "a list such as [256, 256]",
    "tuple[str, ...]": "a list such as [random, greedy]",
}


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """All settings of a training.

    Attributes:
        algorithm: What learns; its own section has its hyperparameters.
        rules: The game.
        network: The shape of PPO's network.
        ppo: Hyperparameters of PPO.
        dmc: Hyperparameters of Deep Monte Carlo.
        options: What Deep Monte Carlo chooses among.
        option_network: The shape of its network.
        run: Where, how long and with how many threads.
        evaluation: How the result is measured.
        resume: A checkpoint to go on from, or None.
    """

    algorithm: Algorithm
    rules: RuleConfig
    network: NetworkConfig
    ppo: PPOConfig
    dmc: DMCConfig
    options: OptionConfig
    option_network: OptionNetworkConfig
    run: RunConfig
    evaluation: EvaluationConfig
    resume: Path | None = None

    def save(self) -> Path:
        """Writes the settings into the run's folder, which a new run makes.

        Returns:
            The file, `config.yaml`; beside it goes all else of the run.
        """
        folder = self.resume.parent if self.resume else self.run.new_folder()
        path = folder / _FILE_NAME
        write_atomically(path, self.to_yaml().encode())
        return path

    def resume_command(self, checkpoint: Path, update: int) -> str:
        """Returns the command that goes on from a checkpoint of this training.

        Args:
            checkpoint: Where it is; the settings are beside it.
            update: The updates made; where they are all, twice as many are asked for.
        """
        file = checkpoint.with_name(_FILE_NAME)
        command = (
            f"{shlex.quote(_python())} train.py --config {shlex.quote(str(file))} "
            f"--resume {shlex.quote(str(checkpoint))}"
        )
        settings = self.dmc if self.algorithm == "dmc" else self.ppo
        return command + (self._longer() if update >= settings.num_updates else "")

    def _longer(self) -> str:
        """Returns the flag that asks for twice as many updates."""
        if self.algorithm == "dmc":
            choices = 2 * self.dmc.num_updates * self.dmc.num_choices
            return f" --dmc.total_choices {choices}"
        return (
            f" --ppo.total_timesteps {2 * self.ppo.num_updates * self.ppo.batch_size}"
        )

    def to_yaml(self) -> str:
        """Returns the settings as a file for `--config`, without `resume`."""
        plain = json.loads(json.dumps(dataclasses.asdict(self), default=str))
        del plain["resume"]
        return str(yaml.safe_dump(plain, sort_keys=False))


def _python() -> str:
    """Returns how to call the interpreter at work: a path unless `python` finds it."""
    here = Path(sys.executable)
    found = shutil.which("python")
    if found and Path(found).parent == here.parent:
        return "python"
    return str(
        here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here
    )


def _parser() -> jsonargparse.ArgumentParser:
    parser = jsonargparse.ArgumentParser(
        prog="train.py",
        description="Trains an agent by self-play, then measures it.",
        exit_on_error=False,
        allow_abbrev=False,
    )
    parser.add_argument("--config", action="config", help="A YAML file of settings.")
    parser.add_argument(
        "--resume",
        type=str | None,
        metavar="PATH",
        help="A checkpoint.pt to go on from, in the same folder.",
    )
    parser.add_argument(
        "--algorithm",
        type=Algorithm,
        default="ppo",
        help="What learns: proximal policy optimisation (sections network, ppo) or "
        "Deep Monte Carlo (dmc, options, option_network).",
    )
    for name, section in _SECTIONS.items():
        parser.add_class_arguments(section, name)
    return parser


def parse(arguments: Sequence[str] | None = None) -> TrainConfig:
    """Returns the settings of a command line, `sys.argv` by default.

    Anything wrong with them ends the process: status 2 and one line on stderr, which
    for an unknown key offers the nearest known one.
    """
    try:
        parsed = _parser().parse_args(arguments)
        sections = {
            name: section(**_settings(name, parsed[name]))
            for name, section in _SECTIONS.items()
        }
        resume = None if parsed.resume is None else Path(parsed.resume)
        return TrainConfig(algorithm=parsed.algorithm, resume=resume, **sections)
    except (argparse.ArgumentError, ValueError, TypeError) as error:
        fail(_explain(str(error)))


def _settings(name: str, parsed: Any) -> dict[str, Any]:
    """Returns the settings of a section, which a file may leave empty."""
    if not parsed:
        return {}
    if not isinstance(parsed, jsonargparse.Namespace):
        raise ValueError(f"{name} is a section of settings, not {parsed!r}")
    return dict(parsed.as_dict())


def fail(message: str) -> NoReturn:
    """Ends the process with status 2 and one line on stderr."""
    print(f"train.py: error: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(2)


def _explain(message: str) -> str:
    """Returns jsonargparse's message, or a better one for a wrong key or type."""
    for pattern in _UNKNOWN:
        if found := pattern.search(message):
            names: dict[str, Any] = found.groupdict()
            key = names["key"]
            if group := names.get("group"):
                key = f"{group}.{key}"
            return f"there is no setting {key!r}; {_suggestion(key)}"
    if found := _WRONG_TYPE.search(message):
        section, name, value = found.group("section", "name", "value")
        for field in dataclasses.fields(_SECTIONS[section]):
            if field.name == name:
                kind = _kind(str(field.type))
                return f"{section}.{name} is {kind}, not {value.strip()!r}"
    return message


def _kind(annotation: str) -> str:
    """Returns a type in words, as in "a number or null"."""
    if annotation.startswith("Literal["):
        return "one of " + re.sub(r"[\"']", "", annotation[len("Literal[") : -1])
    return " or ".join(_TYPES.get(part, part) for part in annotation.split(" | "))


def _setting_names() -> tuple[dict[str, str], dict[str, str]]:
    """Returns what a setting may be called, each with its dotted key.

    A name of several settings is that of the first section.

    Returns:
        By dotted key and by last name; by the initials of the last name, as in `lr` and
        `ppo.lr`.
    """
    names = {"config": "config", "resume": "resume", "algorithm": "algorithm"}
    initials: dict[str, str] = {}
    for section, settings in _SECTIONS.items():
        for field in dataclasses.fields(settings):
            key = names[f"{section}.{field.name}"] = f"{section}.{field.name}"
            names.setdefault(field.name, key)
            short = "".join(word[0] for word in field.name.split("_"))
            initials.setdefault(short, key)
            initials.setdefault(f"{section}.{short}", key)
    return names, initials


def _suggestion(key: str) -> str:
    """Returns a hint at the setting whose name or initials are meant or nearest."""
    names, initials = _setting_names()
    last = key.rpartition(".")[2]
    found = names.get(last)
    if found is None and len(last) > 1:  # one letter is nobody's abbreviation
        found = initials.get(key, initials.get(last))
    for name in (key, last):
        if found is None and (close := difflib.get_close_matches(name, names, n=1)):
            found = names[close[0]]
    return "see train.py --help" if found is None else f"did you mean {found!r}?"
