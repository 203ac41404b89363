"""Reads the options of a client."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from ._call import Config
from ._durations import Duration, to_seconds
from ._errors import configuration_error
from ._version import VERSION


def read_config(url: str | None, api_key: str | None, timeout: Duration, max_retries: int) -> Config:
    url = url or os.environ.get("FANFARE_URL")
    api_key = (api_key or os.environ.get("FANFARE_API_KEY") or "").strip()
    if not url:
        raise configuration_error("Set `url`, or the environment variable FANFARE_URL.")
    if not api_key:
        raise configuration_error("Set `api_key`, or the environment variable FANFARE_API_KEY.")
    if not (api_key.isascii() and api_key.isprintable()):
        raise configuration_error("`api_key` must be an API key of Fanfare.")
    if max_retries < 0:
        raise configuration_error("`max_retries` must not be negative.")
    return Config(
        url=_read_url(url),
        api_key=api_key,
        timeout=to_seconds("timeout", timeout),
        max_retries=max_retries,
        user_agent=f"fanfare-client-python/{VERSION}",
    )


def _read_url(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or "@" in url.netloc:
        raise configuration_error("`url` must be an http or https URL without a password.")
    return f"{url.scheme}://{url.netloc}{url.path}".rstrip("/")
