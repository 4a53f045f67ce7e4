import shlex
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from agents import config
from agents.dmc import DMCConfig
from agents.dmc_agent import OptionNetworkConfig
from agents.evaluation import EvaluationConfig
from agents.options import OptionConfig
from agents.ppo import PPOConfig
from agents.run import RunConfig

CONFIGS = Path(__file__).parents[2] / "configs"


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as caught:
        config.parse(arguments)
    out, err = capsys.readouterr()
    assert caught.value.code == 2
    assert out == ""
    assert err.startswith("train.py: error: ")
    assert err.count("\n") == 1
    return err


def test_defaults():
    chosen = config.parse([])
    assert chosen.ppo == PPOConfig()
    assert chosen.rules.num_players == 3
    assert chosen.algorithm == "ppo"
    assert chosen.resume is None


def test_flags_win_over_the_file_and_the_file_over_the_defaults(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(
        "rules:\n  num_players: 2\nppo:\n  num_envs: 64\n  num_steps: 16\n"
        "network:\n  hidden_sizes: [32, 16]\n"
    )
    chosen = config.parse(["--config", str(path), "--ppo.num_steps", "32"])
    assert chosen.ppo.num_envs == 64
    assert chosen.ppo.num_steps == 32
    assert chosen.network.hidden_sizes == (32, 16)
    # One pack for two players: the default follows the players, whatever came first.
    assert chosen.rules.packs == 1


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("ppo.learning_rat", "ppo.learning_rate"),
        ("rules.num_player", "rules.num_players"),
        ("ent_coef", "ppo.ent_coef"),
        ("rule.num_ranks", "rules.num_ranks"),
        ("resum", "resume"),
        ("ppo.lr", "ppo.learning_rate"),
        ("lr", "ppo.learning_rate"),
        ("run.lr", "ppo.learning_rate"),
        ("ppo.seed", "run.seed"),
        ("ppo.n_envs", "ppo.num_envs"),
        ("rules.players", "rules.num_players"),
        ("dmc.lr", "dmc.learning_rate"),
        ("dmc.opponent", "dmc.opponents"),
        ("windw", "options.window"),
        ("option_network.hidden", "option_network.hidden_sizes"),
    ],
)
@pytest.mark.parametrize("form", ["--{}=3", "--{} 3"])
def test_unknown_flag(capsys, key, nearest, form):
    message = refused(capsys, *form.format(key).split())
    assert f"there is no setting '{key}'; did you mean '{nearest}'?" in message


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("ppo:\n  lerning_rate: 3\n", "ppo.lerning_rate", "ppo.learning_rate"),
        ("poo:\n  gamma: 1\n", "poo.gamma", "ppo.gamma"),
        ("ppo:\n  lr: 3\n", "ppo.lr", "ppo.learning_rate"),
        ("lr: 3\n", "lr", "ppo.learning_rate"),
    ],
)
def test_unknown_key_in_a_file(capsys, tmp_path, text, key, nearest):
    path = tmp_path / "a.yaml"
    path.write_text(text)
    message = refused(capsys, "--config", str(path))
    assert f"there is no setting '{key}'; did you mean '{nearest}'?" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ppo.gamma", "high"], "ppo.gamma"),
        (["--algorithm", "dqn"], "algorithm"),
        (["--rules.num_players", "9"], "from 2 to 5"),
        (["--config", "/no/such/file.yaml"], "no/such/file.yaml"),
        (["--ppo.num_envs=3", "--ppo.num_steps=3"], "does not divide"),
        (["--ppo.ent_coef=-1"], "ppo.ent_coef"),
        (["--ppo.ent_coef_final=-1"], "ppo.ent_coef_final"),
        (["--ppo.clip_coef=0"], "ppo.clip_coef"),
        (["--ppo.gae_lambda=1.5"], "ppo.gae_lambda"),
        (["--ppo.target_kl=0"], "ppo.target_kl"),
        (["--ppo.update_epochs=0"], "ppo.update_epochs"),
        (["--ppo.past_selves=-1"], "ppo.past_selves"),
        (["--ppo.past_every=0"], "ppo.past_every"),
        (["--run.max_minutes=0"], "run.max_minutes"),
        (["--run.name=a/b"], "run.name"),
        (["--run.torch_threads=0"], "run.torch_threads"),
        (["--evaluation.deals=1"], "evaluation.deals"),
        (["--network.hidden_sizes=[]"], "network.hidden_sizes"),
        (["--network.suits=equal"], "network.suits"),
        (["--option_network.hidden_sizes=[]"], "option_network.hidden_sizes"),
        (["--options.num_small=-1"], "options.num_small"),
        (["--dmc.batch_size=0"], "dmc.batch_size"),
        (["--dmc.end_learning_rate=0"], "dmc.end_learning_rate"),
        (["--dmc.start_e=1.5"], "dmc.start_e"),
    ],
)
def test_wrong_values(capsys, arguments, message):
    assert message in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--ppo.num_envs=1.5", "ppo.num_envs is a whole number, not '1.5'"),
        ("--run.max_minutes=x", "run.max_minutes is a number or null, not 'x'"),
        ("--ppo.reward=wins", "ppo.reward is one of score, zero_sum, win, not 'wins'"),
        ("--ppo.anneal_lr=maybe", "ppo.anneal_lr is true or false, not 'maybe'"),
        (
            "--evaluation.opponents=greedy",
            "evaluation.opponents is a list such as [random, greedy], not 'greedy'",
        ),
    ],
)
def test_values_of_the_wrong_type(capsys, argument, message):
    assert message in refused(capsys, argument)


def test_a_section_that_is_a_value(capsys, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("ppo: 3\n")
    assert "ppo is a section of settings, not 3" in refused(
        capsys, "--config", str(path)
    )


def test_a_section_left_empty_is_all_defaults(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("ppo:\nrun:\n  name: here\n")
    chosen = config.parse(["--config", str(path)])
    assert chosen.ppo == PPOConfig()
    assert chosen.run.name == "here"


def test_every_setting_is_documented(capsys):
    for section in (
        PPOConfig,
        DMCConfig,
        OptionConfig,
        OptionNetworkConfig,
        RunConfig,
        EvaluationConfig,
    ):
        for name in section.__dataclass_fields__:
            assert f" {name}: " in section.__doc__, f"{section.__name__}.{name}"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda p: p.name)
def test_shipped_files_parse(path):
    assert config.parse(["--config", str(path)]).run.name == path.stem


def test_saved_settings_read_back_the_same(tmp_path):
    given = config.parse(
        [
            f"--run.output_dir={tmp_path}",
            "--run.name=here",
            "--network.hidden_sizes=[7]",
            "--evaluation.opponents=[random]",
            "--rules.num_ranks=6",
        ]
    )
    path = given.save()
    assert path == tmp_path / "here" / "config.yaml"
    assert "resume" not in yaml.safe_load(path.read_text())
    assert config.parse(["--config", str(path)]) == given


def test_a_second_run_does_not_overwrite_the_first(tmp_path):
    given = config.parse([f"--run.output_dir={tmp_path}", "--run.name=here"])
    folders = [given.save().parent.name for _ in range(3)]
    assert folders == ["here", "here-2", "here-3"]


def test_resume_command_reads_back(tmp_path):
    given = config.parse([f"--run.output_dir={tmp_path}/a b", "--ppo.num_envs=64"])
    given.save()
    checkpoint = tmp_path / "a b" / "ppo" / "checkpoint.pt"
    python, script, *arguments = shlex.split(given.resume_command(checkpoint, 5))
    assert Path(shutil.which(python)).absolute().parent == Path(sys.executable).parent
    assert script == "train.py"
    again = config.parse(arguments)
    assert again.resume == checkpoint
    assert again.ppo == given.ppo
    command = given.resume_command(checkpoint, given.ppo.num_updates)
    updates = config.parse(shlex.split(command)[2:]).ppo.num_updates
    assert updates == 2 * given.ppo.num_updates


def test_resume_command_asks_for_more_than_one_update():
    given = config.parse(["--ppo.total_timesteps=1"])
    command = given.resume_command(Path("runs/ppo/checkpoint.pt"), 1)
    steps = int(command.split()[-1])
    assert config.parse([f"--ppo.total_timesteps={steps}"]).ppo.num_updates == 2


def test_resume_command_of_deep_monte_carlo_asks_for_more_choices():
    given = config.parse(["--algorithm=dmc", "--dmc.total_choices=5000"])
    assert given.dmc.num_updates == 2
    checkpoint = Path("runs/dmc/checkpoint.pt")
    assert "total" not in given.resume_command(checkpoint, 1)
    flags = given.resume_command(checkpoint, 2).split()[-2:]
    again = config.parse(["--algorithm=dmc", *flags])
    assert again.dmc.num_updates == 4


def test_resume_command_finds_the_interpreter_outside_its_environment(
    monkeypatch, tmp_path
):
    given = config.parse([])
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    checkpoint = Path("runs/ppo/checkpoint.pt")
    assert given.resume_command(checkpoint, 5).startswith(f"{tmp_path}/.venv/bin/")
    monkeypatch.chdir(tmp_path)
    assert given.resume_command(checkpoint, 5).startswith(".venv/bin/python train.py")


def test_a_resumed_run_stays_in_its_folder(tmp_path):
    given = config.parse([f"--resume={tmp_path}/checkpoint.pt"])
    assert given.save() == tmp_path / "config.yaml"
