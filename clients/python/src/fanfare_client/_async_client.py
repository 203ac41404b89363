"""The asynchronous client: one attribute for each resource of the REST API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from types import TracebackType

import httpx
from httpx_sse import EventSource
from typing_extensions import Self, Unpack

from . import _async_resources as resources
from . import webhooks as _webhooks
from ._async import AsyncResource, AsyncRunner
from ._async_io import AsyncMediaSource, opened, sleep
from ._call import Options, run_call
from ._config import read_config
from ._durations import Duration
from ._errors import FanfareError, to_error
from ._http import to_connection_error, to_request
from ._live import CURSOR_QUERY, GRAPHQL, PostStream, PostUpdate
from ._media import Upload, UploadOptions, upload
from ._wait import wait_for_post
from .types import Media, Post


class AsyncFanfare:
    """Calls a server of Fanfare.

    `url` and `api_key` default to the environment variables `FANFARE_URL` and `FANFARE_API_KEY`. `timeout`: how long
    one try of a call may wait for the server. `max_retries`: how often a failed call is tried again.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        api_key: str | None = None,
        timeout: Duration = 30,
        max_retries: int = 5,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        config = read_config(url, api_key, timeout, max_retries)
        self._http = http_client or httpx.AsyncClient()
        runner = AsyncRunner(config, self._http)
        self.posts = AsyncPosts(runner)
        self.labels = resources.AsyncLabels(runner)
        self.queues = resources.AsyncQueues(runner)
        self.media = AsyncMediaFiles(runner)
        self.accounts = resources.AsyncAccounts(runner)
        self.users = resources.AsyncUsers(runner)
        self.connect = resources.AsyncConnect(runner)
        self.platforms = resources.AsyncPlatforms(runner)
        self.platform_credentials = resources.AsyncPlatformCredentials(runner)
        self.webhooks = AsyncWebhooks(runner)
        self.deliveries = resources.AsyncDeliveries(runner)
        self.events = resources.AsyncEvents(runner)
        self.event_types = resources.AsyncEventTypes(runner)
        self.api_keys = resources.AsyncApiKeys(runner)
        self.project = resources.AsyncProject(runner)
        self.limits = resources.AsyncLimits(runner)
        self.live = AsyncLive(runner)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncPosts(resources.AsyncPosts):
    async def wait(
        self, id: str, wait: Duration, /, *, timeout: Duration | None = None, max_retries: int | None = None
    ) -> Post:
        """Returns the post once it has ended, or as it is after this time."""
        options = Options(timeout=timeout, max_retries=max_retries)
        post: Post = await self._runner.run(wait_for_post(self._runner.config, id, wait, options))
        return post


class AsyncMediaFiles(resources.AsyncMedia):
    async def upload(self, source: AsyncMediaSource, **options: Unpack[UploadOptions]) -> Media:
        """Uploads a file or a stream in parts, and continues after a break."""
        async with opened(source) as content:
            return await self._runner.run(upload(self._runner.config, Upload(content, options)))


class AsyncWebhooks(resources.AsyncWebhooks):
    verify = staticmethod(_webhooks.verify)


class AsyncLive(AsyncResource):
    async def posts(
        self, *, id: str | None = None, after: str | None = None, on_lost: Callable[[FanfareError], None] | None = None
    ) -> AsyncIterator[PostUpdate]:
        """Yields each change of posts from now on, in order. After a lost connection, it resumes where it was.

        `id`: only this post; the first update is its current state. `after`: the cursor of an earlier update, to start
        with every change since then. `on_lost`: called when the stream breaks, before it is resumed.
        """
        config, http = self._runner.config, self._runner.http
        stream = PostStream(config, id, after)
        stream.start(await self._runner.run(run_call(config, GRAPHQL, (), CURSOR_QUERY, Options())))
        while True:
            request = stream.request()
            try:
                async with http.stream(**to_request(request)) as response:
                    if not stream.is_open(response.headers):
                        await response.aread()
                        raise to_error(response.status_code, response.headers, response.text)
                    async for event in EventSource(response).aiter_sse():
                        if update := stream.read(event.event, event.data):
                            yield update
                raise stream.ended()
            except (httpx.HTTPError, FanfareError) as failure:
                error = to_connection_error(failure, request) if isinstance(failure, httpx.HTTPError) else failure
                delay = stream.delay_after(error)
            if on_lost:
                on_lost(error)
            await sleep(delay)
