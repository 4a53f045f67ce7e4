import io

import pytest
from rich.console import Console

from agents.run import Display, MetricsLog

SHOWN = {"a": "steps/s", "b": "score a round", "c": "explained variance"}
METRICS = {"a": 12345.0, "b": 19.7661, "c": 0.25}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_terminal_keeps_the_bar_and_what_matters_most(width):
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None)
    with Display(console, SHOWN) as display:
        display.show(0.5, 1.0, METRICS)
    text = file.getvalue()
    assert " 50%" in text
    assert "steps/s 12,345" in text
    assert ("explained variance 0.250" in text) == (width == 120)


def test_without_a_terminal_a_line_comes_at_once_and_then_every_ten_seconds():
    file = io.StringIO()
    with Display(Console(file=file, width=80), SHOWN) as display:
        for seconds in (0.5, 5, 10, 11, 20):
            display.show(seconds / 100, seconds, METRICS)
    shares = [line.split()[0] for line in file.getvalue().splitlines() if line.strip()]
    assert shares == ["0.5%", "11.0%"]
    assert "explained variance 0.250" in file.getvalue()


def test_a_log_has_its_rows_again_as_soon_as_it_is_opened(tmp_path):
    with MetricsLog(tmp_path, 0, tensorboard=False) as log:
        for update in (1, 2, 3):
            log.write(update, 10 * update, {"a": 0.5})
    with MetricsLog(tmp_path, 2, tensorboard=False):  # what a kill would leave here
        for name, header in (("metrics.jsonl", 0), ("metrics.csv", 1)):
            assert len((tmp_path / name).read_text().splitlines()) == 2 + header
        assert len(list(tmp_path.iterdir())) == 2
