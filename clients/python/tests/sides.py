"""Both clients behind one interface, so that a test says once what both of them do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from itertools import islice
from typing import Any, Protocol

from anyio.from_thread import BlockingPortal

from fanfare_client import AsyncFanfare, Fanfare


class Side(Protocol):
    def call(self, call: Callable[[Any], Any]) -> Any:
        """Makes a call, and returns what it returns."""

    def take(self, call: Callable[[Any], Any], count: int | None = None, taken: list[Any] | None = None) -> list[Any]:
        """Iterates what a call returns, to its end or for some items. Appends each to `taken`, and returns them."""

    def close(self) -> None: ...


class SyncSide:
    def __init__(self, **options: Any) -> None:
        self.client = Fanfare(**options)

    def call(self, call: Callable[[Any], Any]) -> Any:
        return call(self.client)

    def take(self, call: Callable[[Any], Any], count: int | None = None, taken: list[Any] | None = None) -> list[Any]:
        into = [] if taken is None else taken
        for item in islice(call(self.client), count):
            into.append(item)
        return into

    def close(self) -> None:
        self.client.close()


class AsyncSide:
    def __init__(self, portal: BlockingPortal, **options: Any) -> None:
        self.portal = portal
        self.client = AsyncFanfare(**options)

    def call(self, call: Callable[[Any], Any]) -> Any:
        async def run() -> Any:
            return await call(self.client)

        return self.portal.call(run)

    def take(self, call: Callable[[Any], Any], count: int | None = None, taken: list[Any] | None = None) -> list[Any]:
        async def run() -> list[Any]:
            into = [] if taken is None else taken
            async with aclosing(aiter(call(self.client))) as stream:
                while len(into) != count:
                    try:
                        into.append(await anext(stream))
                    except StopAsyncIteration:
                        break
            return into

        return self.portal.call(run)

    def close(self) -> None:
        self.portal.call(self.client.close)
