import pytest
import torch


@pytest.fixture(autouse=True)
def _one_thread():
    """Two tests at once must not fight for the cores, and sums keep their order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
