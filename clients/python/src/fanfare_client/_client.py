"""The synchronous client: one attribute for each resource of the REST API.

Written by `scripts/generate.py` from `_async_client.py`. Don't edit this file.
"""

from __future__ import annotations

from collections.abc import Iterator, Callable
from types import TracebackType

import httpx
from httpx_sse import EventSource
from typing_extensions import Self, Unpack

from . import _sync_resources as resources
from . import webhooks as _webhooks
from ._sync import Resource, Runner
from ._sync_io import MediaSource, opened, sleep
from ._call import Options, run_call
from ._config import read_config
from ._durations import Duration
from ._errors import FanfareError, to_error
from ._http import to_connection_error, to_request
from ._live import CURSOR_QUERY, GRAPHQL, PostStream, PostUpdate
from ._media import Upload, UploadOptions, upload
from ._wait import wait_for_post
from .types import Media, Post


class Fanfare:
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
        http_client: httpx.Client | None = None,
    ) -> None:
        config = read_config(url, api_key, timeout, max_retries)
        self._http = http_client or httpx.Client()
        runner = Runner(config, self._http)
        self.posts = Posts(runner)
        self.labels = resources.Labels(runner)
        self.queues = resources.Queues(runner)
        self.media = MediaFiles(runner)
        self.accounts = resources.Accounts(runner)
        self.users = resources.Users(runner)
        self.connect = resources.Connect(runner)
        self.platforms = resources.Platforms(runner)
        self.platform_credentials = resources.PlatformCredentials(runner)
        self.webhooks = Webhooks(runner)
        self.deliveries = resources.Deliveries(runner)
        self.events = resources.Events(runner)
        self.event_types = resources.EventTypes(runner)
        self.api_keys = resources.ApiKeys(runner)
        self.project = resources.Project(runner)
        self.limits = resources.Limits(runner)
        self.live = Live(runner)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Posts(resources.Posts):
    def wait(
        self, id: str, wait: Duration, /, *, timeout: Duration | None = None, max_retries: int | None = None
    ) -> Post:
        """Returns the post once it has ended, or as it is after this time."""
        options = Options(timeout=timeout, max_retries=max_retries)
        post: Post = self._runner.run(wait_for_post(self._runner.config, id, wait, options))
        return post


class MediaFiles(resources.Media):
    def upload(self, source: MediaSource, **options: Unpack[UploadOptions]) -> Media:
        """Uploads a file or a stream in parts, and continues after a break."""
        with opened(source) as content:
            return self._runner.run(upload(self._runner.config, Upload(content, options)))


class Webhooks(resources.Webhooks):
    verify = staticmethod(_webhooks.verify)


class Live(Resource):
    def posts(
        self, *, id: str | None = None, after: str | None = None, on_lost: Callable[[FanfareError], None] | None = None
    ) -> Iterator[PostUpdate]:
        """Yields each change of posts from now on, in order. After a lost connection, it resumes where it was.

        `id`: only this post; the first update is its current state. `after`: the cursor of an earlier update, to start
        with every change since then. `on_lost`: called when the stream breaks, before it is resumed.
        """
        config, http = self._runner.config, self._runner.http
        stream = PostStream(config, id, after)
        stream.start(self._runner.run(run_call(config, GRAPHQL, (), CURSOR_QUERY, Options())))
        while True:
            request = stream.request()
            try:
                with http.stream(**to_request(request)) as response:
                    if not stream.is_open(response.headers):
                        response.read()
                        raise to_error(response.status_code, response.headers, response.text)
                    for event in EventSource(response).iter_sse():
                        if update := stream.read(event.event, event.data):
                            yield update
                raise stream.ended()
            except (httpx.HTTPError, FanfareError) as failure:
                error = to_connection_error(failure, request) if isinstance(failure, httpx.HTTPError) else failure
                delay = stream.delay_after(error)
            if on_lost:
                on_lost(error)
            sleep(delay)
