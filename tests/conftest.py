"""Settings of all tests."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "same",
    derandomize=True,  # the same examples every time; tests/fuzz.py looks further
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("same")
