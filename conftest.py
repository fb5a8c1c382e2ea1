"""How hypothesis runs, for the tests of the library and of the studies alike."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    # The first example compiles kernels, which no deadline should count.
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=1500)
# The same examples in every run: what must hold before a change is taken is no matter of luck.
settings.register_profile("gate", settings.get_profile("default"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
