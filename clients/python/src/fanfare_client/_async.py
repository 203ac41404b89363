"""The asynchronous client's side of flows, calls and lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

import httpx

from ._async_io import sleep, work
from ._call import Call, Config, Options, run_call
from ._durations import Duration
from ._errors import FanfareError
from ._flow import Answer, Flow, Send, Sleep, Step
from ._http import to_connection_error, to_request
from ._wait import run_and_wait

T = TypeVar("T")
P = TypeVar("P", bound=Mapping[str, Any])


class AsyncRunner:
    """Takes the steps of flows, one after the other."""

    def __init__(self, config: Config, http: httpx.AsyncClient) -> None:
        self.config = config
        self.http = http

    async def run(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                try:
                    taken = await self._take(step)
                except FanfareError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(taken)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return] # `StopIteration` has no type.
        finally:
            flow.close()

    async def _take(self, step: Step) -> Any:
        if isinstance(step, Send):
            try:
                response = await self.http.request(**to_request(step))
            except httpx.HTTPError as error:
                raise to_connection_error(error, step) from error
            return Answer(response.status_code, response.headers, response.text)
        if isinstance(step, Sleep):
            return await sleep(step.seconds)
        return await work(step.run)


class AsyncList(Generic[T, P]):
    """A list that is read page by page. Iterate it for each entry of all pages. Nothing is requested before."""

    def __init__(self, read: Callable[[str | None], Awaitable[P]], cursor: str | None) -> None:
        self._read = read
        self._cursor = cursor

    async def page(self) -> P:
        """Reads the first page."""
        return await self._read(self._cursor)

    async def pages(self) -> AsyncIterator[P]:
        page = await self.page()
        yield page
        while cursor := page["meta"].get("next_cursor"):
            page = await self._read(cursor)
            yield page

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page["data"]:
                yield item


class AsyncResource:
    def __init__(self, runner: AsyncRunner) -> None:
        self._runner = runner

    async def _send(
        self,
        call: Call[T],
        ids: tuple[str, ...],
        *,
        params: Mapping[str, Any] | None = None,
        wait: Duration | None = None,
        **options: Any,
    ) -> T:
        given = (self._runner.config, call, ids, params or {}, Options(**options))
        return await self._runner.run(run_call(*given) if wait is None else run_and_wait(*given, wait))

    def _list(
        self, call: Call[T], ids: tuple[str, ...], *, params: Mapping[str, Any] | None = None, **options: Any
    ) -> AsyncList[T, Any]:
        asked = dict(params or {})
        first = asked.pop("cursor", None)

        async def read(cursor: str | None) -> Any:
            query = asked if cursor is None else {**asked, "cursor": cursor}
            return await self._runner.run(run_call(self._runner.config, call, ids, query, Options(**options)))

        return AsyncList(read, first)
