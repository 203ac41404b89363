"""What both clients give to httpx, and make of its errors."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import httpx

from ._errors import FanfareError
from ._flow import Send


def to_request(step: Send) -> dict[str, Any]:
    return {
        "method": step.method,
        "url": step.url,
        "headers": step.headers,
        "content": step.content,
        "timeout": step.timeout,
        # Another server must not get the API key.
        "follow_redirects": False,
    }


def to_connection_error(error: httpx.HTTPError, step: Send) -> FanfareError:
    """The URL of an upload is a secret, so the message names only the server."""
    server = urlsplit(step.url)
    place = f"{server.scheme}://{server.netloc}"
    if isinstance(error, httpx.TimeoutException):
        message, code = f"No answer arrived from {place} within {step.timeout:g} s.", "timeout"
    else:
        message, code = f"No answer arrived from {place}: {error or type(error).__name__}.", "connection_failed"
    return FanfareError(message, code=code, is_retriable=True)
