"""Functions that wait or block, for the asynchronous client. `_sync_io.py` has the same for the synchronous one."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from ._media import MediaSource, new_spool

AsyncMediaSource = MediaSource | AsyncIterable[bytes]


async def sleep(seconds: float) -> None:
    await anyio.sleep(seconds)


async def work(run: Callable[[], Any]) -> Any:
    return await anyio.to_thread.run_sync(run)


@asynccontextmanager
async def opened(source: AsyncMediaSource) -> AsyncIterator[MediaSource]:
    """A stream that has to be awaited, as a file."""
    if not isinstance(source, AsyncIterable):
        yield source
        return
    with new_spool() as spool:
        async for chunk in source:
            await work(partial(spool.write, chunk))
        spool.seek(0)
        yield spool
