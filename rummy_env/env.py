"""The PettingZoo AEC environment: who acts, what is seen, what is earned.

There is no rule in here: the kernel says what is legal and what happens; this module
turns it into agents, observations, rewards and terminations.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv

from rummy_env import solver
from rummy_env.actions import NUM_ACTIONS, parse_action
from rummy_env.cards import JOKER
from rummy_env.config import MAX_CARDS, RuleConfig
from rummy_env.errors import ConfigError, IllegalActionError, RummyError, nearest
from rummy_env.kernel import calls
from rummy_env.kernel.deal import episode_seed
from rummy_env.kernel.payoff import EPISODE_GAME
from rummy_env.kernel.scoring import RUNNING
from rummy_env.kernel.turn import GAME_RUNNING, GAME_TRUNCATED
from rummy_env.observation import SIZE
from rummy_env.record import STATE, copied, new_states, problems
from rummy_env.render import render
from rummy_env.rewards import of_round, parse_episode, parse_reward
from rummy_env.rules import check_action, new_mask, outcome
from rummy_env.state import State, check_seed
from rummy_env.wrapper import Wrapper

RENDER_MODES: Final = ("ansi", "human")
Observation = dict[str, NDArray[Any]]
_BY_AGENT: Final = ("terminations", "truncations", "rewards", "cumulative", "infos")
"""What `raw_env.save` keeps for every agent that is left."""
_SAVED: Final = {
    "config",
    "settings",
    "record",
    "stream",
    "agents",
    "agent_selection",
    "skip",
    "layout",
    *_BY_AGENT,
}
"""The keys of what `raw_env.save` returns."""
_SETTINGS: Final = {"episode", "reward", "skip_forced"}
_NO_GAME: Final = "no game was dealt yet: call reset() first"


def env(**options: Any) -> AECEnv:
    """Returns the environment with what PettingZoo's usual wrappers promise.

    An illegal action ends the game, with -1 for who chose it. What is no action at all
    is refused, and changes nothing, as by `raw_env`, which raises in the first case as
    well. It is one wrapper, not three (`wrapper.Wrapper`); the price is measured in the
    benchmarks.

    Args:
        **options: See `raw_env`.

    Raises:
        ConfigError: See `raw_env`.
    """
    return Wrapper(raw_env(**options))


class _MadeByReset:
    """An attribute that says, as long as `reset` has not made it, that it is missing.

    What `reset` makes hides it. A `__getattr__` would say the same, but where a class
    has one, Python takes a slower way to every attribute that there is.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, game: object, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__} has no {self._name!r} yet: {_NO_GAME}")


class raw_env(AECEnv):  # type: ignore[misc]
    """Manipulation Rummy as a PettingZoo AEC environment.

    An observation is `{"observation": float32 [SIZE], "action_mask": int8 [159]}`;
    `observation.SECTIONS` says what the numbers mean. The mask of an agent who is not
    to act is all zeros. Illegal actions raise `IllegalActionError` and change nothing.

    Args:
        num_players: Two to five agents, `player_0` and so on.
        episode: "game" plays to the target score, the next round being dealt within
            the same step; "round" ends after one round, without end-of-game bonuses.
        reward: "score", "zero_sum" or "win"; see `rewards`.
        skip_forced: Whether actions without an alternative are played by the
            environment: the same games in fewer steps, rewards summed into the step.
        render_mode: None, "ansi" (`render` returns text) or "human" (prints it).
        **rule_options: The fields of `RuleConfig`.

    Raises:
        ConfigError: An option is unknown (the nearest is offered) or has a wrong value.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo declares it so)
        "name": "manipulation_rummy_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }
    agent_selection: Any = _MadeByReset()

    def __init__(
        self,
        num_players: int = 3,
        episode: str = "game",
        reward: str = "score",
        skip_forced: bool = False,
        render_mode: str | None = None,
        **rule_options: Any,
    ) -> None:
        super().__init__()
        self.config = _parse_rules(num_players, rule_options)
        self.render_mode = _parse_render_mode(render_mode)
        if not isinstance(skip_forced, bool | np.bool_):
            raise ConfigError(f"skip_forced is True or False, not {skip_forced!r}")
        self.skip_forced = bool(skip_forced)
        self._episode = parse_episode(episode)
        self._reward = parse_reward(reward)
        self._settings = {
            "episode": episode,
            "reward": reward,
            "skip_forced": self.skip_forced,
        }
        self._options = self.config.to_array()
        self._packs = self.config.num_packs
        self.possible_agents = [f"player_{p}" for p in range(self.config.num_players)]
        self._seat_of = {agent: p for p, agent in enumerate(self.possible_agents)}
        self._make_spaces()
        self.record = new_states()
        self._mask = new_mask()
        self._seed = secrets.randbits(63)
        self._episode_index = -1
        self._layout: list[str] = []
        self._is_interrupted = True  # as long as there is no game
        self.agents: list[str] = []
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.infos: dict[str, dict[str, Any]] = {}

    def _make_spaces(self) -> None:
        """Makes one space of each kind for each agent."""
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(0.0, np.inf, (SIZE,), np.float32),
                    "action_mask": Box(0, 1, (NUM_ACTIONS,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: Discrete(NUM_ACTIONS) for agent in self.possible_agents
        }
        length = self.config.num_players * SIZE + MAX_CARDS
        self.state_space = Box(0.0, np.inf, (length,), np.float32)

    def observation_space(self, agent: str) -> Dict:
        """Returns the space of an agent's observations, always the same object.

        Raises:
            RummyError: There is no such agent.
        """
        self._seat(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Returns the space of an agent's actions, always the same object.

        Raises:
            RummyError: There is no such agent.
        """
        self._seat(agent)
        return self.action_spaces[agent]

    def _seat(self, agent: str) -> int:
        """Returns the seat of an agent, checked."""
        seat = self._seat_of.get(agent) if isinstance(agent, str) else None
        if seat is None:
            hint = nearest(str(agent), self._seat_of)
            raise RummyError(f"no agent {agent!r}; {hint}")
        return seat

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Deals a new game.

        Args:
            seed: From 0 to 2**63 - 1: the same seed deals the same game. None goes
                on with the stream of games that the last seed began.
            options: Ignored.

        Raises:
            ConfigError: The seed is out of range.
        """
        if seed is not None:
            self._seed, self._episode_index = check_seed(seed), 0
            game_seed = self._seed
        else:
            self._episode_index += 1
            game_seed = int(episode_seed(self._seed, 0, self._episode_index))
        self.agents = self.possible_agents[:]
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._layout = []
        self._is_interrupted = True
        calls.start_game(self.record, self._options, game_seed)
        self._settle(self._write_mask())
        self._is_interrupted = False

    def step(self, action: Any) -> None:
        """Plays an action of the agent whose turn it is.

        Args:
            action: An id from 0 to 158, be it an int or an integer array or tensor
                without axes, or a name as in `"lay 7h"`; None for an agent that has
                terminated.

        Raises:
            IllegalActionError: The action is not legal now; nothing has changed.
            RummyError: The environment was not reset, or a step was interrupted.
        """
        self._check_agents()
        if self._is_finished(self.agent_selection):
            self._was_dead_step(action)
            return
        number = parse_action(action)
        check_action(self.record, self._mask, number)
        self._play(number)

    def _play(self, number: int) -> None:
        """Plays a legal action of the agent whose turn it is."""
        self._is_interrupted = True
        self._cumulative_rewards[self.agent_selection] = 0.0
        for each in self.agents:
            self.rewards[each] = 0.0
        self._settle(self._write_mask(number))
        self._is_interrupted = False
        if self.render_mode == "human":
            self.render()

    def _check_whole(self) -> None:
        """Refuses to go on before a game, or from a step that was broken off."""
        if self._is_interrupted:
            if self._episode_index < 0:
                raise RummyError(_NO_GAME)
            raise RummyError(
                "a step was interrupted, so the game is no longer sound: call reset() "
                "or load() a saved one"
            )

    def _check_agents(self) -> None:
        """Refuses what needs an agent where none is left, or no game; see above."""
        if self._is_interrupted:
            self._check_whole()
        if not self.agents:
            raise RummyError("there is no agent left to act: call reset() first")

    def _is_finished(self, agent: str) -> bool:
        """Tells whether an agent has terminated, by a wrapper's doing or the game's."""
        return self.terminations.get(agent, True) or self.truncations[agent]

    def _was_dead_step(self, action: Any) -> None:
        """Takes an agent that has terminated out of the game.

        Raises:
            IllegalActionError: It is given an action other than None.
        """
        if action is not None:
            raise IllegalActionError(
                f"{self.agent_selection} has terminated: its only action is None"
            )
        super()._was_dead_step(action)

    def _write_mask(self, action: int = calls.NO_ACTION) -> int:
        """Plays an action, if any, and writes what is legal; returns how many are."""
        works = solver.local_workspaces(self._packs)
        count: int = calls.play(self.record, self._options, works, action, self._mask)
        return count

    def _settle(self, count: int) -> None:
        """Plays what needs no decision, deals rounds, and says who acts next."""
        record = self.record  # a column of it is read five times as fast as its row
        while True:
            if count == 0 and record["ended"][0] != RUNNING:
                self._give_rewards()
                is_over = record["game_over"][0] != GAME_RUNNING
                if self._episode != EPISODE_GAME or is_over:
                    self._end_episode()
                    return
                calls.start_next_round(record, self._options)
                self._layout = []
                count = self._write_mask()
            if count != 1 or not self.skip_forced:
                break
            count = self._write_mask(int(self._mask.argmax()))
        self.agent_selection = self.possible_agents[record["to_move"].item()]

    def _give_rewards(self) -> None:
        """Gives every agent its reward for the round that has ended."""
        gains = of_round(self.record, self.config, self._episode, self._reward)
        for agent, gain in zip(self.possible_agents, gains.tolist(), strict=True):
            self.rewards[agent] += gain
            self._cumulative_rewards[agent] += gain

    def _end_episode(self) -> None:
        """Terminates every agent, or truncates them (R30)."""
        state = self.record[0]
        is_game = self._episode == EPISODE_GAME
        is_truncated = is_game and bool(state["game_over"] == GAME_TRUNCATED)
        result = outcome(self.record, self.config)
        for agent in self.agents:
            self.terminations[agent] = not is_truncated
            self.truncations[agent] = is_truncated
            self.infos[agent] = {"outcome": result}
        self.agent_selection = self.possible_agents[state["to_move"]]
        self._deads_step_first()

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Returns what PettingZoo's `last` does, for the agent whose turn it is.

        Raises:
            RummyError: No game was dealt, no agent is left, or a step was interrupted.
        """
        self._check_agents()
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Returns the agents in the order in which they act, to be stepped each.

        Raises:
            RummyError: No game was dealt, or a step was interrupted.
        """
        self._check_whole()
        agents: Iterable[str] = super().agent_iter(max_iter)
        return agents

    def observe(self, agent: str) -> Observation:
        """Returns what an agent sees now; its mask is zeros unless it is to act.

        Raises:
            RummyError: There is no such agent, no game was dealt, or a step was
                interrupted.
        """
        self._check_whole()
        seat = self._seat_of.get(agent) if type(agent) is str else None
        if seat is None:
            seat = self._seat(agent)
        out = np.empty(SIZE, dtype=np.float32)
        calls.encode_player(self.record, self._options, seat, out)
        is_over = self.terminations.get(agent, True) or self.truncations[agent]
        is_acting = agent == self.agent_selection and not is_over
        mask = self._mask.copy() if is_acting else new_mask()
        return {"observation": out, "action_mask": mask}

    def state(self) -> NDArray[np.float32]:
        """Returns the full truth, for centralised critics, float32.

        What every seat sees, one after the other, `[players * SIZE]`, then the stock,
        its next card first, as `(card + 1) / 53`, padded with zeros, `[106]`.
        """
        self._check_whole()
        seats = self.config.num_players
        out = np.zeros(seats * SIZE + MAX_CARDS, dtype=np.float32)
        for seat in range(seats):
            part = out[seat * SIZE : (seat + 1) * SIZE]
            calls.encode_player(self.record, self._options, seat, part)
        left = int(self.record["stock_left"][0])
        stock = self.record["stock"][0, :left][::-1]
        out[seats * SIZE : seats * SIZE + left] = (stock + 1) / (JOKER + 1)
        return out

    def game(self) -> State:
        """Returns the game as a `State`, an independent copy."""
        self._check_whole()
        return State(self.config, copied(self.record))

    def save(self) -> dict[str, Any]:
        """Returns all that `load` needs to go on from here, as a picklable dict."""
        self._check_whole()
        return {
            "config": self.config,
            "settings": dict(self._settings),
            "record": self.record.copy(),
            "stream": (self._seed, self._episode_index),
            "agents": self.agents[:],
            "agent_selection": getattr(self, "agent_selection", None),
            "skip": getattr(self, "_skip_agent_selection", None),
            "layout": self._layout[:],
            "terminations": dict(self.terminations),
            "truncations": dict(self.truncations),
            "rewards": dict(self.rewards),
            "cumulative": dict(self._cumulative_rewards),
            "infos": {agent: dict(info) for agent, info in self.infos.items()},
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Goes on from what `save` returned.

        Raises:
            ConfigError: It was saved under other rule options or with another episode,
                reward or `skip_forced`, which are named, or not by `save`; nothing
                has changed.
        """
        self._check_saved(saved)
        self.record = saved["record"].copy()
        self._seed, self._episode_index = saved["stream"]
        self.agents = saved["agents"][:]
        self.agent_selection = saved["agent_selection"]
        self._skip_agent_selection = saved["skip"]
        self.terminations = dict(saved["terminations"])
        self.truncations = dict(saved["truncations"])
        self.rewards = dict(saved["rewards"])
        self._cumulative_rewards = dict(saved["cumulative"])
        self.infos = {agent: dict(info) for agent, info in saved["infos"].items()}
        self._layout = saved["layout"][:]
        self._is_interrupted = False
        self._write_mask()

    def _check_saved(self, saved: Any) -> None:
        """Refuses to go on from what is no saved game of these options."""
        if not _is_saved(saved):
            raise ConfigError("not what save returns")
        here = {**self.config.options(), **self._settings}
        there = {**saved["config"].options(), **saved["settings"]}
        differences = [
            f"{name} is {there[name]!r} there, {value!r} here"
            for name, value in here.items()
            if there[name] != value
        ]
        if differences:
            raise ConfigError(f"saved under other options: {'; '.join(differences)}")
        wrong = problems(saved["record"], self.config)
        if wrong:
            raise ConfigError("no such game: " + "; ".join(wrong[:3]))

    def render(self) -> str | None:
        """Shows the game: melds with jokers starred, the hand of who acts, scores.

        Returns:
            The text with `render_mode="ansi"`; None with "human", which prints it.

        Raises:
            RummyError: The environment was made without a render mode.
        """
        if self.render_mode is None:
            raise RummyError("nothing to render: make it with render_mode='ansi'")
        layout = self.game().layout(near=self._layout)
        if layout is not None:
            self._layout = layout  # kept through a meld, so that old melds stay put
        viewer = int(self.record["to_move"][0])
        text = render(self.record, self.config, layout, viewer)
        if self.render_mode == "ansi":
            return text
        print(text, flush=True)
        return None

    def close(self) -> None:
        """Does nothing: there is nothing to release."""


def _is_saved(saved: Any) -> bool:
    """Tells whether a value has the form of what `raw_env.save` returns."""
    if not isinstance(saved, dict) or saved.keys() != _SAVED:
        return False
    config, settings, record = saved["config"], saved["settings"], saved["record"]
    if not isinstance(config, RuleConfig) or not isinstance(settings, dict):
        return False
    if not isinstance(record, np.ndarray) or record.dtype != STATE:
        return False
    is_stream = (
        isinstance(saved["stream"], tuple)
        and len(saved["stream"]) == 2
        and all(isinstance(n, int) and 0 <= n < 2**63 for n in saved["stream"])
    )
    is_layout = isinstance(saved["layout"], list) and all(
        isinstance(meld, str) for meld in saved["layout"]
    )
    has_form = record.shape == (1,) and settings.keys() == _SETTINGS
    return has_form and is_stream and is_layout and _are_agents(saved)


def _are_agents(saved: dict[str, Any]) -> bool:
    """Tells whether the agents of a saved game are those of its options."""
    seats = [f"player_{seat}" for seat in range(saved["config"].num_players)]
    left = saved["agents"]
    if not isinstance(left, list) or left != [seat for seat in seats if seat in left]:
        return False
    by_agent = [saved[name] for name in _BY_AGENT]
    if not all(isinstance(kept, dict) and [*kept] == left for kept in by_agent):
        return False
    has_infos = all(isinstance(info, dict) for info in saved["infos"].values())
    is_next = saved["agent_selection"] in seats and saved["skip"] in (None, *seats)
    return has_infos and is_next


def _parse_rules(num_players: int, options: dict[str, Any]) -> RuleConfig:
    """Returns the rule options, an unknown one refused among all there are."""
    own = ("episode", "reward", "skip_forced", "render_mode")
    known = [*RuleConfig().options(), *own]
    for name in options:
        if name not in known:
            raise ConfigError(f"there is no option {name!r}; {nearest(name, known)}")
    return RuleConfig.from_options(num_players=num_players, **options)


def _parse_render_mode(mode: str | None) -> str | None:
    """Returns a render mode, checked."""
    if mode is not None and not (isinstance(mode, str) and mode in RENDER_MODES):
        hint = nearest(str(mode), RENDER_MODES)
        raise ConfigError(f"no render mode {mode!r}; {hint}")
    return mode
