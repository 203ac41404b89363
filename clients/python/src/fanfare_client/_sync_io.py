"""Functions that wait or block, for the synchronous client."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext as opened
from time import sleep
from typing import Any

from ._media import MediaSource

__all__ = ["MediaSource", "opened", "sleep", "work"]


def work(run: Callable[[], Any]) -> Any:
    return run()
