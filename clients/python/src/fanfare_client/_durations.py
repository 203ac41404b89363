"""Durations as users write them: a number of seconds, or a number with a unit."""

from __future__ import annotations

import math
import re

from ._errors import configuration_error

Duration = float | str
"""Seconds, or such as `500ms`, `30s`, `2m` or `1h`."""

_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


def to_seconds(name: str, duration: Duration) -> float:
    if isinstance(duration, str):
        found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", duration)
        seconds = float(found[1]) * _UNITS[found[2]] if found else -1
    else:
        seconds = duration
    if math.isfinite(seconds) and seconds >= 0:
        return seconds
    raise configuration_error(f"{name} must be seconds, or such as 30s or 2m.")
