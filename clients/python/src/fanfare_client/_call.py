"""Sends one call: its URL, headers and idempotency key, its retries, and what it returns."""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Generic, Literal, NoReturn, TypeVar
from urllib.parse import quote, urlencode

from ._durations import Duration, to_seconds
from ._errors import FanfareError, configuration_error, graphql_error, invalid_answer, member, parse_object, to_error
from ._flow import Answer, Flow, Send, Sleep

T = TypeVar("T")

FIRST_DELAY = 0.5
LONGEST_DELAY = 8.0
LONGEST_RETRY_AFTER = 60.0
"""A longer `Retry-After` is left to the caller."""


@dataclass(frozen=True)
class Config:
    url: str
    api_key: str = field(repr=False)
    timeout: float
    max_retries: int
    user_agent: str

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}", "User-Agent": self.user_agent}


@dataclass(frozen=True)
class Call(Generic[T]):
    method: str
    path: str
    shape: Literal["data", "warned", "whole", "text", "removal", "nothing"]
    query: Sequence[str] = ()
    takes_key: bool = False


@dataclass(frozen=True)
class Options:
    timeout: Duration | None = None
    max_retries: int | None = None
    idempotency_key: str | None = None


def run_call(config: Config, call: Call[T], ids: Sequence[str], params: Mapping[str, Any], options: Options) -> Flow[T]:
    """Returns what the answer is about."""
    answer = yield from send_call(config, call, ids, params, options)
    value = read_answer(call, answer)
    if call.shape == "whole":
        _check_page(value, params.get("cursor"))
    return value


def send_call(
    config: Config, call: Call[Any], ids: Sequence[str], params: Mapping[str, Any], options: Options
) -> Flow[Answer]:
    # A keyword of Python has a `_` at its end.
    given = {name.rstrip("_"): value for name, value in params.items()}
    takes_body = call.method not in ("GET", "DELETE")
    query = {name: given.pop(name) for name in list(given) if name in call.query or not takes_body}
    headers = {**config.headers()}
    content: bytes | None = None
    if "csv" in given:
        headers["Content-Type"] = "text/csv"
        content = given["csv"].encode()
    elif given:
        headers["Content-Type"] = "application/json"
        content = json.dumps(given, default=_refuse).encode()
    if call.takes_key:
        # A key that begins with `auto_` is of one call, so Fanfare still warns of repeated content.
        given_key = given.get("idempotency_key") if options.idempotency_key is None else options.idempotency_key
        key = f"auto_{uuid.uuid4()}" if given_key is None else given_key
        if not re.fullmatch(r"[ -~]{1,255}", key):
            raise configuration_error("The idempotency key must have 1 to 255 characters of printable ASCII.")
        headers["Idempotency-Key"] = key
    send = Send(
        method=call.method,
        url=config.url + to_path(call.path, ids) + to_query(query),
        headers=headers,
        timeout=config.timeout if options.timeout is None else to_seconds("timeout", options.timeout),
        content=content,
    )
    max_retries = config.max_retries if options.max_retries is None else options.max_retries
    return (yield from with_retries(send, max_retries=max_retries))


def with_retries(send: Send, *, max_retries: int) -> Flow[Answer]:
    """Raises the last failure."""
    is_after_lost = False
    retries = 0
    while True:
        try:
            answer: Answer = yield send
            # A deletion whose answer was lost has succeeded if the subject is gone.
            is_gone = send.method == "DELETE" and is_after_lost and answer.status == 404
            if 200 <= answer.status < 300 or is_gone:
                return answer
            raise to_error(answer.status, answer.headers, answer.text)
        except FanfareError as error:
            if retries == max_retries or not may_retry(error):
                raise
            is_after_lost = is_after_lost or error.status is None or error.status >= 500
            delay = delay_before(retries, error)
        retries += 1
        yield Sleep(delay)


def may_retry(error: FanfareError) -> bool:
    return error.is_retriable and (error.retry_after or 0) <= LONGEST_RETRY_AFTER


def delay_before(retries: int, error: FanfareError) -> float:
    """Half of it is random, so that clients that failed together don't come back together."""
    delay = min(FIRST_DELAY * 2.0**retries, LONGEST_DELAY)
    return (error.retry_after or 0) + delay * random.uniform(0.5, 1)


def read_answer(call: Call[T], answer: Answer) -> T:
    if call.shape == "nothing":
        value: Any = None
    elif call.shape == "removal":
        count = answer.headers.get("fanfare-still-public", "0")
        if not re.fullmatch(r"\d{1,9}", count):
            raise invalid_answer("`Fanfare-Still-Public` is no number of targets.", status=answer.status)
        value = {"is_pending": answer.status == 202, "still_public": int(count)}
    elif call.shape == "text":
        value = answer.text
    elif call.shape == "whole":
        value = read_json(answer)
    elif call.shape == "warned":
        page = read_json(answer)
        value = {**member(page, "data", dict), "warnings": page.get("warnings", [])}
    else:
        value = read_json(answer)["data"]
    return value  # type: ignore[no-any-return] # Its type is that of the OpenAPI document.


def read_json(answer: Answer) -> dict[str, Any]:
    """Reads a successful answer. Each one of Fanfare is an object with `data`."""
    parsed = parse_object(answer.text)
    if isinstance(parsed.get("data"), (dict, list)):
        return parsed
    facts: dict[str, Any] = {"status": answer.status, "request_id": answer.headers.get("x-request-id")}
    raise graphql_error(parsed, **facts) or invalid_answer("The answer is not one of Fanfare.", **facts)


def _check_page(page: Any, cursor: Any) -> None:
    member(page, "data", list)
    following = member(page, "meta", dict).get("next_cursor")
    if following is not None and (not isinstance(following, str) or following == cursor):
        raise invalid_answer("The page leads to no other page.")


def to_path(template: str, ids: Sequence[str]) -> str:
    parts = iter(ids)
    return "/".join(_encode(next(parts)) if part.startswith("{") else part for part in template.split("/"))


def _encode(value: str) -> str:
    # Such an ID would lead to another path, or can't be in one.
    if value in ("", ".", "..") or re.search("[\ud800-\udfff]", value):
        raise configuration_error(f"{value!r} is no ID.")
    return quote(value, safe="")


def _refuse(value: object) -> NoReturn:
    hint = " Pass it as text: `.isoformat()`." if isinstance(value, date) else ""
    raise configuration_error(f"A {type(value).__name__} can't be sent as JSON.{hint}")


def to_query(query: Mapping[str, Any]) -> str:
    """`{"status": ["draft", "failed"], "metadata": {"a": "b"}}` → `?status=draft&status=failed&metadata[a]=b`"""
    pairs = [pair for name, value in query.items() for pair in _pairs(name, value)]
    return f"?{urlencode(pairs)}" if pairs else ""


def _pairs(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{name}[{key}]", str(item)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield name, str(item)
    elif isinstance(value, bool):
        yield name, str(value).lower()
    elif value is not None:
        yield name, str(value)
