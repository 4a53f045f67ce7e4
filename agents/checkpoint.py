"""Checkpoints on disk: written whole or not at all, read without running code.

A run's folder holds two: `checkpoint.pt`, all that training needs to go on, and
`policy.safetensors`, the weights alone, for playing. Both carry a *description*, plain
data that says what they fit: rules, network sizes, observation size, package version.
"""

from __future__ import annotations

import io
import json
import os
import pickle
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import safetensors
import safetensors.torch
import torch
from torch import Tensor

CHECKPOINT_NAME: Final = "checkpoint.pt"
POLICY_NAME: Final = "policy.safetensors"
_FORMAT: Final = 1
_DESCRIPTION: Final = "description"
_NOT_COMPARED: Final = ("package_version",)


class CheckpointError(ValueError):
    """A checkpoint is missing, damaged, or of another configuration."""


def describe(**parts: Any) -> dict[str, Any]:
    """Returns a description: the parts as plain JSON data, and the package version."""
    try:
        version = metadata.version("rummy-env")
    except metadata.PackageNotFoundError:
        version = "unknown"
    plain: dict[str, Any] = json.loads(json.dumps(parts))
    return {**plain, "package_version": version}


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file so that at any moment the old one or the new one is there whole."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def save_checkpoint(
    path: Path, description: Mapping[str, Any], state: Mapping[str, Any]
) -> None:
    """Writes a training state of tensors, numbers, texts, lists and dicts."""
    buffer = io.BytesIO()
    torch.save(
        {"format": _FORMAT, _DESCRIPTION: dict(description), **state},
        buffer,
    )
    write_atomically(path, buffer.getvalue())


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Returns what `save_checkpoint` wrote, with the key "description".

    Raises:
        CheckpointError: There is no such file, or it is no checkpoint.
    """
    if not path.is_file():
        raise CheckpointError(f"there is no checkpoint {path}")
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
        raise CheckpointError(f"{path} is damaged or no checkpoint") from error
    if not isinstance(state, dict) or state.get("format") != _FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of format {_FORMAT}")
    return state


def save_policy(
    path: Path, description: Mapping[str, Any], weights: Mapping[str, Tensor]
) -> None:
    """Writes weights as safetensors with the description in the file's metadata."""
    content = safetensors.torch.save(
        {name: tensor.contiguous() for name, tensor in weights.items()},
        metadata={_DESCRIPTION: json.dumps(description)},
    )
    write_atomically(path, content)


def load_policy(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Returns the description and the weights that `save_policy` wrote.

    A checkpoint, `*.pt`, has both as well.

    Raises:
        CheckpointError: There is no such file, or it is no policy.
    """
    if path.suffix == ".pt":
        state = load_checkpoint(path)
        return state[_DESCRIPTION], state["network"]
    if not path.is_file():
        raise CheckpointError(f"there is no policy {path}")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            description = json.loads((file.metadata() or {})[_DESCRIPTION])
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, KeyError, ValueError) as error:
        raise CheckpointError(f"{path} is damaged or no policy") from error
    return description, weights


def name_of(path: Path) -> str:
    """Returns what the agent of a policy or checkpoint is called.

    The run's folder, or the file where it is none that a run wrote.
    """
    whole = path.resolve()
    is_of_run = whole.name in (POLICY_NAME, CHECKPOINT_NAME)
    return whole.parent.name if is_of_run else whole.stem


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yields nested data as dotted keys and values."""
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def differences(saved: Mapping[str, Any], current: Mapping[str, Any]) -> str:
    """Returns every key that differs, dotted, with both values; "" if none does.

    The package version is not compared.
    """
    there, here = dict(_flat(saved)), dict(_flat(current))
    return "; ".join(
        f"{key} is {there.get(key, 'missing')} there, {here.get(key, 'missing')} here"
        for key in dict.fromkeys((*here, *there))
        if key not in _NOT_COMPARED and there.get(key) != here.get(key)
    )


def check_same(
    path: Path, saved: Mapping[str, Any], current: Mapping[str, Any]
) -> None:
    """Refuses a description that differs from the current one.

    Args:
        path: The checkpoint, for the message.
        saved: Its description.
        current: The description of what is to be continued; the package version is
            not compared.

    Raises:
        CheckpointError: Names every differing key and both values, in one line.
    """
    if found := differences(saved, current):
        raise CheckpointError(f"{path} is of another configuration: {found}")
