"""The plugin's tests run pytest within pytest."""

from __future__ import annotations

import concurrent_choices

# What pytest imports within is forgotten after it, and would be a second class of the same name later.
for name in concurrent_choices.__all__:
    getattr(concurrent_choices, name)
