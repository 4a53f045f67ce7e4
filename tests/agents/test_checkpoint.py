import os

import pytest
import torch

from agents import checkpoint
from agents.checkpoint import CheckpointError

DESCRIPTION = checkpoint.describe(
    rules={"num_players": 3, "num_ranks": 13},
    network={"hidden_sizes": (8, 8)},
    observation_size=9,
)
STATE = {"network": {"weight": torch.arange(3.0)}, "update": 7}


def test_state_comes_back(tmp_path):
    path = tmp_path / "checkpoint.pt"
    checkpoint.save_checkpoint(path, DESCRIPTION, STATE)
    loaded = checkpoint.load_checkpoint(path)
    assert loaded["description"] == DESCRIPTION
    assert loaded["update"] == 7
    assert torch.equal(loaded["network"]["weight"], torch.arange(3.0))


def test_policy_comes_back_with_its_description(tmp_path):
    path = tmp_path / "policy.safetensors"
    weights = {"a": torch.eye(3).T, "b": torch.zeros(2)}
    checkpoint.save_policy(path, DESCRIPTION, weights)
    description, loaded = checkpoint.load_policy(path)
    assert description == DESCRIPTION
    assert description["network"]["hidden_sizes"] == [8, 8]
    assert "package_version" in description
    assert loaded.keys() == weights.keys()
    assert all(torch.equal(loaded[key], weights[key]) for key in weights)


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, where):
    path = tmp_path / "checkpoint.pt"
    checkpoint.write_atomically(path, b"old")

    def fail(*arguments):
        assert path.read_bytes() == b"old"
        raise OSError("the disk is full")

    monkeypatch.setattr(os, where, fail)
    with pytest.raises(OSError, match="full"):
        checkpoint.write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["checkpoint.pt"]


def test_refuses_another_configuration_naming_the_keys():
    other = checkpoint.describe(
        rules={"num_players": 2, "num_ranks": 13},
        network={"hidden_sizes": (8,)},
        observation_size=9,
    )
    with pytest.raises(CheckpointError) as caught:
        checkpoint.check_same("x.pt", DESCRIPTION, other)
    message = str(caught.value)
    assert "rules.num_players is 3 there, 2 here" in message
    assert "network.hidden_sizes is [8, 8] there, [8] here" in message
    assert "num_ranks" not in message
    assert "\n" not in message


def test_a_missing_key_is_a_difference():
    with pytest.raises(CheckpointError, match=r"rules\.packs is missing there, 2 here"):
        checkpoint.check_same("x.pt", {"rules": {}}, {"rules": {"packs": 2}})


def test_another_package_version_is_no_other_configuration():
    checkpoint.check_same("x.pt", DESCRIPTION, {**DESCRIPTION, "package_version": "9"})


@pytest.mark.parametrize(
    ("load", "message"),
    [(checkpoint.load_checkpoint, "checkpoint"), (checkpoint.load_policy, "policy")],
)
def test_missing_and_damaged_files(tmp_path, load, message):
    with pytest.raises(CheckpointError, match=f"there is no {message}"):
        load(tmp_path / "nothing")
    damaged = tmp_path / "damaged"
    for content in (b"", b"not a checkpoint at all", bytes(100)):
        damaged.write_bytes(content)
        with pytest.raises(CheckpointError, match=f"damaged or no {message}"):
            load(damaged)


def test_another_torch_file_is_no_checkpoint(tmp_path):
    torch.save({"weights": torch.zeros(1)}, tmp_path / "other.pt")
    with pytest.raises(CheckpointError, match="no checkpoint of format"):
        checkpoint.load_checkpoint(tmp_path / "other.pt")


class _Evil:
    def __reduce__(self):
        return (print, ("run while loading",))


def test_loading_runs_no_code(tmp_path, capsys):
    path = tmp_path / "evil.pt"
    torch.save({"format": 1, "evil": _Evil()}, path)
    with pytest.raises(CheckpointError, match="damaged"):
        checkpoint.load_checkpoint(path)
    assert capsys.readouterr().out == ""
