"""Deep Monte Carlo: what is learnt from, and that a run goes on where it was."""

import dataclasses
import json
import sys

import numpy as np
import pytest
import torch

import train
from agents.checkpoint import CheckpointError, load_checkpoint
from agents.dmc import (
    PER_VALUE,
    Collector,
    DMCConfig,
    Learner,
    Memory,
    Samples,
    exchange_suits,
    fit,
    round_metrics,
)
from agents.dmc_agent import OptionNetwork, OptionNetworkConfig
from agents.greedy_agent import GreedyAgent
from agents.options import CARD_PLANES, NUM_FEATURES, SHARES, OptionConfig
from agents.run import RunConfig
from agents.training import train as train_with_loop
from rummy_env import RuleConfig, VectorEnv
from rummy_env.cards import NUM_CARD_TYPES

RULES = RuleConfig(num_players=3, num_ranks=5, hand_size=5)
SHAPE = OptionNetworkConfig(hidden_sizes=(16,))
OPTIONS = OptionConfig(window=20)
RUN = RunConfig(torch_threads=1, env_threads=1, tensorboard=False)
TINY = DMCConfig(
    total_choices=6 * 40,
    num_envs=8,
    num_choices=40,
    num_steps=2,
    batch_size=16,
    buffer_size=100,
    opponents=("greedy", "random"),
)


def new_learner(dmc=TINY, rules=RULES, shape=SHAPE, options=OPTIONS):
    return Learner.new(rules, shape, options, dmc, RUN)


def collector(seed=0, opponents=(), self_share=1.0, num_envs=6):
    torch.manual_seed(0)
    envs = VectorEnv(num_envs, RULES, seed=seed)
    rng = np.random.default_rng(0)
    network = OptionNetwork(SHAPE)
    return Collector(envs, network, opponents, OPTIONS, rng, self_share)


def updated(learner, count):
    """Makes some updates; returns their metrics as text, since NaN is not NaN."""
    made = []
    for _ in range(count):
        learner.anneal(learner.progress)
        made.append(json.dumps(learner.learn()))
    return made


def weights(learner):
    return torch.cat([part.flatten() for part in learner.network.parameters()])


def samples(count, first=0):
    """Returns samples of whole numbers, each with its own number as payoff."""
    numbers = np.arange(first, first + count)
    features = [np.full(NUM_FEATURES, n % 4, dtype=np.float32) for n in numbers]
    return Samples(features, [float(number) for number in numbers])


class Recorded(VectorEnv):
    """Games that note how their rounds end.

    Attributes:
        ended: The row and the final scores of each round that has ended.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ended = []

    def step(self, actions):
        result = super().step(actions)
        for row in np.flatnonzero(self.terminated):
            self.ended.append((int(row), self.final_scores[row].tolist()))
        return result


class Noting(Collector):
    """Notes the row, the round of it, the seat and the features of each choice."""

    def __init__(self, *args):
        super().__init__(*args)
        self.made = []

    def _choose(self, rows, positions, epsilon):
        before = [len(some) for some in self._choices]
        super()._choose(rows, positions, epsilon)
        episodes = [row for row, _ in self._envs.ended]
        for row in rows:
            if len(self._choices[row]) > before[row]:
                choice = self._choices[row][-1]
                seat = int(self._envs.current_player[row])
                self.made.append((row, episodes.count(row), seat, choice.features))


def test_choices_are_labelled_with_the_payoff_of_their_seat_and_round():
    torch.manual_seed(0)
    envs = Recorded(5, RULES, seed=2)
    rng = np.random.default_rng(0)
    playing = Noting(envs, OptionNetwork(SHAPE), [GreedyAgent(5)], OPTIONS, rng, 0.4)
    found = playing.collect(60, 0.3)
    expected = []
    counts = dict.fromkeys(range(5), 0)
    for row, scores in envs.ended:
        for made_in, episode, seat, features in playing.made:
            if (made_in, episode) == (row, counts[row]):
                others = [s for at, s in enumerate(scores) if at != seat]
                expected.append((scores[seat] - np.mean(others), features))
        counts[row] += 1
    assert len(found.payoffs) == len(expected) >= 60
    assert found.num_rounds == len(envs.ended)
    np.testing.assert_allclose(
        np.array(found.payoffs) * PER_VALUE, [payoff for payoff, _ in expected]
    )
    assert len({round(payoff) for payoff in found.payoffs}) > 1
    for features, (_, noted) in zip(found.features, expected, strict=True):
        np.testing.assert_array_equal(features, noted)


def test_the_learner_is_compared_with_its_opponents_and_not_with_itself():
    alone = collector().collect(30, 0.1)
    assert alone.num_rounds > 0
    assert alone.advantages == []
    assert np.isnan(round_metrics(alone)["charts/advantage"])
    both = collector(opponents=[GreedyAgent(5)], self_share=0.5).collect(30, 0.1)
    assert 0 < len(both.advantages) < both.num_rounds


def test_exploration_changes_what_is_chosen():
    greedy, random = (collector().collect(60, epsilon) for epsilon in (0.0, 1.0))
    assert not np.array_equal(greedy.features[:50], random.features[:50])


def test_exchanging_suits_moves_planes_as_wholes_and_nothing_else():
    rng = np.random.default_rng(0)
    known = rng.random((200, NUM_FEATURES), dtype=np.float32)
    changed = exchange_suits(known, rng)
    size = CARD_PLANES * NUM_CARD_TYPES
    np.testing.assert_array_equal(changed[:, size:], known[:, size:])
    orders = set()
    for before, after in zip(known[:, :size], changed[:, :size], strict=True):
        before, after = before.reshape(3, 4, 13), after.reshape(3, 4, 13)
        order = [int(np.flatnonzero(before[0, :, 0] == a)[0]) for a in after[0, :, 0]]
        orders.add(tuple(order))
        np.testing.assert_array_equal(after, before[:, order])
    assert len(orders) == 24


def test_memory_keeps_the_latest_exactly():
    memory = Memory(10)
    memory.add(samples(7))
    assert len(memory) == 7
    memory.add(samples(7, first=7))
    known, payoffs = memory.draw(300, np.random.default_rng(0))
    assert set(payoffs) == set(range(4, 14))
    np.testing.assert_array_equal(
        known, np.repeat(payoffs[:, None] % 4, NUM_FEATURES, axis=1)
    )
    memory.add(samples(25, first=14))
    assert set(memory.draw(300, np.random.default_rng(0))[1]) == set(range(29, 39))


def test_memory_holds_what_was_collected_exactly():
    found = collector().collect(50, 0.5)
    memory = Memory(len(found.payoffs))
    memory.add(found)
    known, payoffs = memory.draw(200, np.random.default_rng(0))
    rows = {features.tobytes() for features in found.features}
    assert {features.tobytes() for features in known} <= rows
    assert (known[:, SHARES] % 0.5 != 0).any()
    assert set(payoffs) <= set(np.array(found.payoffs, dtype=np.float32))


def test_a_smaller_memory_takes_over_the_latest():
    memory = Memory(10)
    memory.add(samples(14))
    for size, kept in ((6, range(8, 14)), (12, range(4, 14))):
        other = Memory(size)
        other.load(memory.state())
        other.add(samples(1, first=14))
        drawn = set(other.draw(300, np.random.default_rng(0))[1])
        assert drawn == {*kept, 14} - ({8} if size == 6 else set())


def test_fitting_lowers_the_loss():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    network = OptionNetwork(SHAPE)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    features = np.zeros((200, NUM_FEATURES), dtype=np.float32)
    features[:, -5:] = rng.integers(2, size=(200, 5))
    memory = Memory(200)
    memory.add(Samples(list(features), features[:, -1].tolist()))
    losses = [fit(network, optimizer, memory, rng, 20, 64) for _ in range(5)]
    assert losses[-1] < losses[0] / 4
    assert losses[-1] < memory.variance / 4


def test_the_schedule_falls_evenly_and_stays():
    dmc = DMCConfig()
    shares = [0, 0.225, 0.45, 0.8, 1]
    epsilons = [dmc.epsilon_at(share) for share in shares]
    np.testing.assert_allclose(epsilons, [0.3, 0.165, 0.03, 0.03, 0.03])
    rates = [dmc.learning_rate_at(share) for share in (0, 0.5, 1)]
    np.testing.assert_allclose(rates, [1e-3, 5.5e-4, 1e-4])
    assert DMCConfig(exploration_fraction=0).epsilon_at(0) == 0.03


def test_a_resumed_run_goes_on_bit_for_bit(tmp_path):
    whole, first = new_learner(), new_learner()
    expected = updated(whole, 5)
    begun = updated(first, 3)
    first.save(tmp_path)
    resumed = new_learner()
    resumed.restore(tmp_path / "checkpoint.pt")
    assert (resumed.update, resumed.global_step) == (3, first.global_step)
    assert begun + updated(resumed, 2) == expected
    torch.testing.assert_close(weights(resumed), weights(whole), rtol=0, atol=0)
    assert resumed.global_step == whole.global_step


def test_rounds_under_way_are_kept(tmp_path):
    learner = new_learner()
    learner.learn()
    learner.save(tmp_path)
    state = load_checkpoint(tmp_path / "checkpoint.pt")["collector"]
    assert len(state["rows"]) == len(state["seats"]) == len(state["features"]) > 0
    other = new_learner()
    other.restore(tmp_path / "checkpoint.pt")
    again = other.collector.state()
    assert again["rows"] == state["rows"]
    assert again["plans"] == state["plans"]
    assert torch.equal(again["features"], state["features"])


def test_other_tables_are_dealt_anew_and_the_memory_stays(tmp_path):
    learner = new_learner()
    learner.learn()
    learner.save(tmp_path)
    more = dataclasses.replace(TINY, num_envs=10, buffer_size=20, opponents=())
    other = new_learner(more)
    other.restore(tmp_path / "checkpoint.pt")
    assert len(other.memory) == 20
    assert other.learn().keys() == learner.learn().keys()


def test_restore_refuses_other_rules_options_networks_and_algorithms(tmp_path):
    learner = new_learner()
    learner.save(tmp_path)
    path = tmp_path / "checkpoint.pt"
    for changed, message in (
        ({"rules": RuleConfig(num_players=3, num_ranks=6, hand_size=5)}, "num_ranks"),
        ({"options": OptionConfig(window=3)}, "options.window is 20 there, 3 here"),
        ({"shape": OptionNetworkConfig(hidden_sizes=(4,))}, "network.hidden_sizes"),
    ):
        with pytest.raises(CheckpointError, match=message):
            new_learner(**changed).restore(path)


def test_the_loop_trains_logs_and_ends(tmp_path):
    result = train_with_loop(new_learner(), RUN, tmp_path)
    assert result.is_complete
    rows = [
        json.loads(row) for row in (tmp_path / "metrics.jsonl").read_text().splitlines()
    ]
    assert [row["update"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[-1]["global_step"] == result.global_step >= TINY.total_choices
    assert rows[0]["charts/epsilon"] > rows[-1]["charts/epsilon"] == TINY.end_e
    names = "SPS learning_rate epsilon rounds advantage"
    expected = {f"charts/{name}" for name in names.split()}
    expected |= {"losses/value_loss", "losses/explained_variance"}
    assert rows[0].keys() == expected | {"update", "global_step"}


def test_the_command_trains_measures_and_resumes(monkeypatch, tmp_path, capsys):
    flags = [
        "--algorithm=dmc",
        "--rules.num_players=2",
        "--rules.num_ranks=5",
        "--rules.hand_size=5",
        "--dmc.num_envs=4",
        "--dmc.num_choices=20",
        "--dmc.total_choices=40",
        "--dmc.num_steps=2",
        "--dmc.opponents=[greedy]",
        f"--run.output_dir={tmp_path}",
        "--run.name=here",
        "--run.torch_threads=1",
        "--run.tensorboard=false",
        "--evaluation.opponents=[random]",
        "--evaluation.deals=4",
    ]
    monkeypatch.setattr(sys, "argv", ["train.py", *flags])
    assert train.main() == 0
    folder = tmp_path / "here"
    assert {path.name for path in folder.iterdir()} == {
        "checkpoint.pt",
        "config.yaml",
        "evaluation.json",
        "metrics.csv",
        "metrics.jsonl",
        "policy.safetensors",
    }
    out = capsys.readouterr().out
    assert "choices trained on" in out
    command = next(line for line in out.splitlines() if "--resume" in line)
    assert command.endswith("--dmc.total_choices 80")
    monkeypatch.setattr(sys, "argv", command.split()[1:])
    assert train.main() == 0
    rows = (folder / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(row)["update"] for row in rows] == [1, 2, 3, 4]


def test_a_checkpoint_of_the_other_algorithm_is_refused(monkeypatch, tmp_path, capsys):
    new_learner().save(tmp_path)
    flags = ["--rules.num_ranks=5", "--rules.hand_size=5"]
    resume = f"--resume={tmp_path / 'checkpoint.pt'}"
    monkeypatch.setattr(sys, "argv", ["train.py", *flags, resume])
    with pytest.raises(SystemExit):
        train.main()
    assert "algorithm is dmc there, missing here" in capsys.readouterr().err
