"""Settings for every test."""

from __future__ import annotations

import os

from hypothesis import settings

# A shared continuous-integration machine may stall for a while; what counts is the outcome.
settings.register_profile("default", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2000)
# Every run of a mutant sees the same examples, so that a survivor survives again.
settings.register_profile(
    "mutation", deadline=None, max_examples=40, derandomize=True, database=None
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
