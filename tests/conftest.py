"""Settings for every test."""

from __future__ import annotations

import os

from hypothesis import settings

# A shared continuous-integration machine may stall for a while; what counts is the outcome.
settings.register_profile("default", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
