"""The core that both clients share: a flow yields the steps that it needs, and a client takes them.

A flow is a generator. It knows neither sockets nor event loops, so the synchronous and the asynchronous client run
the same flow: the first one blocks for each step, and the second one awaits it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Send:
    """Sends a request. The flow gets an `Answer`, or a `FanfareError` if none arrives."""

    method: str
    # The URL of an upload and the API key are secrets, which tracebacks must not show.
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    timeout: float
    content: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Work:
    """Runs a function that may block, such as one that reads a file. The flow gets what it returns."""

    run: Callable[[], Any]


Step = Send | Sleep | Work
Flow = Generator[Step, Any, T]
