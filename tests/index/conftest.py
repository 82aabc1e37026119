"""Settings of the property tests of this folder."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile(
    "ricordo", deadline=None, max_examples=60, database=None, derandomize="CI" in os.environ
)
settings.load_profile("ricordo")
