import sys

import numpy as np
import pytest

from agents import ablation

TINY = [
    "--rules.num_players=2",
    "--rules.num_ranks=6",
    "--rules.hand_size=5",
    "--network.hidden_sizes=[8]",
    "--ppo.num_envs=4",
    "--ppo.num_steps=8",
    "--ppo.num_minibatches=1",
    "--run.torch_threads=1",
    "--run.env_threads=1",
    "--run.tensorboard=false",
    "--evaluation.opponents=[random,greedy]",
    "--evaluation.deals=4",
    "--evaluation.num_threads=1",
    "--steps=64",
    "--seeds",
    "1",
    "2",
]


def run(monkeypatch, tmp_path, *arguments):
    output = f"--output={tmp_path}"
    monkeypatch.setattr(sys, "argv", ["ablation", *TINY, output, *arguments])
    return ablation.main()


def test_intervals():
    # Mean 2, deviation 1, error 1 / sqrt 3, times Student's 4.303.
    assert ablation.cell([1, 2, 3]) == "+2.0 ± 2.5"
    assert ablation.cell([-1.25]) == "-1.2"
    assert ablation.cell(np.zeros(20)) == "+0.0 ± 0.0"


def test_table_compares_seed_by_seed():
    scores = {
        "base": {"greedy": [0.0, 10.0], "random": [10.0, 20.0]},
        "ppo.x=1": {"greedy": [2.0, 12.0], "random": [12.0, 22.0]},
    }
    # Deviation 10 / sqrt 2, error 5, times 12.706; every seed is 2 ahead of its base.
    assert ablation.table(scores).splitlines() == [
        "| change | ahead of greedy | ahead of random | against base |",
        "| --- | ---: | ---: | ---: |",
        "| base | +5.0 ± 63.5 | +15.0 ± 63.5 |  |",
        "| ppo.x=1 | +7.0 ± 63.5 | +17.0 ± 63.5 | +2.0 ± 0.0 |",
    ]


def test_a_tiny_ablation(monkeypatch, tmp_path, capsys):
    changes = ["network.suits=shared", "ppo.ent_coef=0.01 ppo.ent_coef_final=0"]
    flags = [f"--change={change}" for change in changes]
    assert run(monkeypatch, tmp_path, *flags) == 0
    out = capsys.readouterr().out
    first_cells = [line.split(" | ")[0] for line in out.splitlines()]
    assert first_cells[2:] == [f"| {name}" for name in ("base", *changes)]
    assert (tmp_path / "ablation.md").read_text() == out
    runs = sorted(path.name for path in tmp_path.iterdir() if path.is_dir())
    assert len(runs) == 3 * 2
    assert runs[:2] == ["base-seed1", "base-seed2"]
    assert "ent_coef_final: 0.0" in (tmp_path / runs[-1] / "config.yaml").read_text()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--change=ppo.ent_cof=1"], "did you mean 'ppo.ent_coef'"),
        (["--change=ppo.opponents=[nobody]"], "nobody"),
        (["--change=ppo.gamma=1", "--algorithm=dmc"], "algorithm ppo"),
        (["--change=ppo.gamma=1", "--evaluation.opponents=[]"], "name one"),
    ],
)
def test_wrong_settings_are_said_in_one_line(
    monkeypatch, tmp_path, capsys, flags, message
):
    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, tmp_path, *flags, "--seeds", "1")
    assert caught.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert message in error
    assert error.startswith("train.py: error: ")
    assert list(tmp_path.iterdir()) == []


def test_without_a_change_there_is_nothing_to_compare(monkeypatch, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, tmp_path)
    assert "name a change" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
