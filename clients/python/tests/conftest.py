"""A client of each kind, of the server that FANFARE_URL and FANFARE_API_KEY name."""

from __future__ import annotations

import os
import ssl
import time
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from faulty_proxy import FaultyProxy
from scripted_server import Scripted, ScriptedServer
from sides import AsyncSide, Side, SyncSide

from fanfare_client import _call

MakeSide = Callable[..., Side]


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(autouse=True, scope="session")
def patched() -> Iterator[None]:
    """Retries wait for a moment only, unless the server names a time. Clients share the certificates that they trust."""
    assert _call.FIRST_DELAY == 0.5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_call, "FIRST_DELAY", 0.02)
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(params=["sync", "async"])
def make_side(request: pytest.FixtureRequest, portal: BlockingPortal) -> Iterator[MakeSide]:
    made: list[Side] = []

    def make(**options: Any) -> Side:
        made.append(SyncSide(**options) if request.param == "sync" else AsyncSide(portal, **options))
        return made[-1]

    yield make
    for side in made:
        side.close()


@pytest.fixture
def side(make_side: MakeSide) -> Side:
    return make_side()


@pytest.fixture
def account(side: Side) -> dict[str, Any]:
    """A sandbox account of this test."""
    return connect(side)


def connect(side: Side, **given: Any) -> dict[str, Any]:
    credentials = {"handle": f"u{uuid.uuid4().hex[:12]}"}
    connected: dict[str, Any] = side.call(
        lambda fanfare: fanfare.accounts.connect(platform="sandbox", credentials=credentials, **given)
    )
    return connected


@pytest.fixture
def proxy() -> Iterator[FaultyProxy]:
    with FaultyProxy(os.environ["FANFARE_URL"]) as proxy:
        yield proxy


@pytest.fixture
def receiver() -> Iterator[ScriptedServer]:
    """Receives webhook requests."""
    with ScriptedServer([Scripted(204)]) as receiver:
        yield receiver


def eventually(holds: Callable[[], bool], seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "It didn't happen in time."
        time.sleep(0.05)
