"""Uploads a file or a stream in parts, and continues after a break."""

from __future__ import annotations

import io
import mimetypes
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, TypedDict, cast
from urllib.parse import urlsplit

import httpx

from . import _calls
from ._call import Config, Options, delay_before, may_retry, read_json, run_call
from ._durations import Duration, to_seconds
from ._errors import FanfareError, configuration_error, invalid_answer, member, to_error
from ._flow import Answer, Flow, Send, Sleep, Work
from .types import Media

MediaSource = str | os.PathLike[str] | bytes | IO[bytes] | Iterable[bytes]
"""A path, bytes, a binary file, or chunks of bytes."""

_PART_BYTES = 8 * 1_048_576
_PART_TIMEOUT = 5 * 60.0
_SPOOLED_BYTES = 8 * 1_048_576
"""A longer stream is kept in a temporary file."""

# Not every system knows these.
_TYPES = {".avif": "image/avif", ".m4v": "video/mp4", ".webp": "image/webp", ".webm": "video/webm"}


class UploadOptions(TypedDict, total=False):
    filename: str
    """Default: the name of the path or of the file."""

    content_type: str
    """Such as `image/png`. Default: by the ending of the name."""

    content_hash: str
    """Refuses other bytes: their SHA-256 in hex."""

    media_id: str
    """Continues the upload to these media, which broke off earlier."""

    timeout: Duration
    """How long one part of 8 MiB may wait for the server. Default: 5 minutes."""

    max_retries: int
    """How often it is tried again without a byte of progress. Default: that of the client."""


@dataclass(frozen=True)
class Upload:
    source: MediaSource
    options: UploadOptions


@dataclass(frozen=True)
class _File:
    content: IO[bytes]
    start: int
    size: int
    is_ours: bool

    def read(self, offset: int) -> bytes:
        self.content.seek(self.start + offset)
        return self.content.read(min(_PART_BYTES, self.size - offset))


def upload(config: Config, asked: Upload) -> Flow[Media]:
    options = asked.options
    media_id = options.get("media_id")
    name = options.get("filename") or _name_of(asked.source)
    kind = options.get("content_type") or _type_of(name)
    if kind is None and media_id is None:
        raise configuration_error("Set `content_type`, such as image/png, or `filename`.")
    file: _File = yield Work(partial(_open, asked.source))
    try:
        calling = Options(max_retries=options.get("max_retries"))
        if media_id is None:
            described = {"filename": name or "upload", "content_type": kind, "size_bytes": file.size}
            if "content_hash" in options:
                described["content_hash"] = options["content_hash"]
            media = yield from run_call(config, _calls.MEDIA_CREATE, (), described, calling)
        else:
            media = yield from run_call(config, _calls.MEDIA_RENEW_UPLOAD_URL, (media_id,), {}, calling)
        return (yield from _send_parts(config, _url_of(media), file, options))
    finally:
        if file.is_ours:
            file.content.close()


def _send_parts(config: Config, url: str, file: _File, options: UploadOptions) -> Flow[Media]:
    timeout = to_seconds("timeout", options.get("timeout", _PART_TIMEOUT))
    max_retries = options.get("max_retries", config.max_retries)
    # None: the server knows where to continue.
    offset: int | None = None if "media_id" in options else 0
    furthest = 0
    failures = 0
    while True:
        try:
            if offset is None:
                content_range, content = "*", b""
            else:
                content = yield Work(partial(file.read, offset))
                content_range = f"{offset}-{offset + len(content) - 1}"
            headers = {"Content-Range": f"bytes {content_range}/{file.size}", "User-Agent": config.user_agent}
            answer: Answer = yield Send("PUT", url, headers, timeout, content)
            # 308 says where to continue.
            if answer.status not in (200, 308):
                raise to_error(answer.status, answer.headers, answer.text)
            media: Media = read_json(answer)["data"]
            if answer.status == 200:
                return media
            received = member(media, "received_bytes", int)
            if not 0 <= received <= file.size:
                raise invalid_answer("`received_bytes` is no position in the upload.", status=308)
            if offset is not None and received <= offset:
                raise invalid_answer("The server took no bytes of the part.", status=308, is_retriable=True)
            offset = received
            failures = 0 if offset > furthest else failures
            furthest = max(furthest, offset)
        except FanfareError as error:
            # 409: a part that was cut off is still being received, or the server has other bytes.
            if failures == max_retries or not (may_retry(error) or error.status == 409):
                raise
            delay = delay_before(failures, error)
            failures += 1
            offset = None
            yield Sleep(delay)


def _url_of(media: Any) -> str:
    text = member(media, "upload_url", str)
    try:
        is_url = httpx.URL(text).scheme in ("http", "https") and urlsplit(text).port != 0
    except (httpx.InvalidURL, ValueError):
        is_url = False
    if not is_url:
        raise invalid_answer("`upload_url` is no http or https URL.")
    return text


def _open(source: MediaSource) -> _File:
    if isinstance(source, (str, os.PathLike)):
        opened = open(source, "rb")  # noqa: SIM115 -- the upload closes it
        return _File(opened, 0, os.fstat(opened.fileno()).st_size, is_ours=True)
    if isinstance(source, bytes):
        return _File(io.BytesIO(source), 0, len(source), is_ours=True)
    if hasattr(source, "seekable") and source.seekable():
        file = cast(IO[bytes], source)
        start = file.tell()
        return _File(file, start, file.seek(0, os.SEEK_END) - start, is_ours=False)
    spool = new_spool()
    size = sum(spool.write(chunk) for chunk in _chunks(source))
    return _File(spool, 0, size, is_ours=True)


def new_spool() -> IO[bytes]:
    return cast(IO[bytes], tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES))


def _chunks(source: IO[bytes] | Iterable[bytes]) -> Iterable[bytes]:
    read = getattr(source, "read", None)
    return iter(lambda: read(_PART_BYTES), b"") if read else source


def _name_of(source: Any) -> str | None:
    path = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return Path(path).name if isinstance(path, (str, os.PathLike)) else None


def _type_of(name: str | None) -> str | None:
    ending = Path(name or "").suffix.lower()
    return _TYPES.get(ending) or mimetypes.types_map.get(ending)
