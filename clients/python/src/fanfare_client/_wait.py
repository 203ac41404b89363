"""Waits until a post has ended, by reading it again and again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from . import _calls
from ._call import Call, Config, Options, run_call
from ._durations import Duration, to_seconds
from ._errors import FanfareError, invalid_answer, member
from ._flow import Flow, Sleep

T = TypeVar("T")

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 2.0


def run_and_wait(
    config: Config, call: Call[T], ids: Sequence[str], params: Mapping[str, Any], options: Options, wait: Duration
) -> Flow[T]:
    """Runs a call that returns a post, and waits. If the wait fails, returns the post as it was written."""
    seconds = to_seconds("wait", wait)
    written: Any = yield from run_call(config, call, ids, params, options)
    try:
        post = yield from _until_end(config, written, seconds, options)
    except FanfareError:
        post = written
    return {**post, "warnings": written["warnings"]}  # type: ignore[return-value] # The members of T.


def wait_for_post(config: Config, post_id: str, wait: Duration, options: Options) -> Flow[Any]:
    seconds = to_seconds("wait", wait)
    post: Any = yield from run_call(config, _calls.POSTS_GET, (post_id,), {}, options)
    return (yield from _until_end(config, post, seconds, options))


def _until_end(config: Config, post: Any, seconds: float, options: Options) -> Flow[Any]:
    """Returns the post once it has ended, or as it is after this time."""
    deadline = time.monotonic() + seconds
    read = Options(timeout=options.timeout, max_retries=options.max_retries)
    pause = _FIRST_PAUSE
    while (left := deadline - time.monotonic()) > 0 and _can_end_within(post, left):
        yield Sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE)
        post = yield from run_call(config, _calls.POSTS_GET, (member(post, "id", str),), {}, read)
    return post


def _can_end_within(post: Any, seconds: float) -> bool:
    """A status that this client doesn't know is an end."""
    status = member(post, "status", str)
    if status == "scheduled" and post.get("scheduled_at"):
        try:
            due = datetime.fromisoformat(post["scheduled_at"].replace("Z", "+00:00")).timestamp()
        except (AttributeError, OverflowError, ValueError) as error:
            raise invalid_answer("`scheduled_at` is no time.") from error
        return due < time.time() + seconds
    return status == "pending"
