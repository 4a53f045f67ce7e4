"""The command `train.py`: what it says when it cannot start, or is told to stop."""

import sys

import pytest

import train

TINY = ["--ppo.num_envs=2", "--ppo.num_steps=4", "--ppo.num_minibatches=1"]


def run(monkeypatch, tmp_path, *arguments):
    folder = f"--run.output_dir={tmp_path}"
    monkeypatch.setattr(sys, "argv", ["train.py", *TINY, folder, *arguments])
    return train.main()


def test_a_folder_that_cannot_be_made_is_said_in_one_line(
    monkeypatch, tmp_path, capsys
):
    (tmp_path / "a").write_text("")
    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, tmp_path, f"--run.output_dir={tmp_path / 'a'}")
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("train.py: error: the folder of the run cannot be written")
    assert err.count("\n") == 1


def test_an_opponent_that_cannot_be_imported_is_said_in_one_line(
    monkeypatch, tmp_path, capsys
):
    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, tmp_path, "--evaluation.opponents=[no_such_module:policy]")
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert "no_such_module" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_of_the_evaluation_prints_no_traceback(
    monkeypatch, tmp_path, capsys
):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(train.evaluation, "measure", interrupted)
    assert run(monkeypatch, tmp_path, "--ppo.total_timesteps=8") == 130
    err = capsys.readouterr().err
    assert err.endswith("interrupted; what was saved is kept\n")
    assert (tmp_path / "ppo" / "policy.safetensors").exists()
