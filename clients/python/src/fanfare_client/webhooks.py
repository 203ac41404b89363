"""Checks the signature of a webhook request, as https://www.standardwebhooks.com describes it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import cast

from ._errors import FanfareError, configuration_error
from .types import WebhookMessage

__all__ = ["WebhookVerificationError", "verify"]


class WebhookVerificationError(FanfareError):
    """Its `code` is `missing_header`, `invalid_secret`, `message_too_old`, `message_too_new`, `invalid_signature` or
    `malformed_message`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, code=code)


def verify(
    raw_body: bytes | str, headers: Mapping[str, str], secrets: Sequence[str] | str, *, tolerance_s: float = 300
) -> WebhookMessage:
    """Returns the message. Answer the request with 401 if it raises.

    `raw_body`: the body as it arrived. `secrets`: several while the secret is being rotated. `tolerance_s`: how far
    the clocks of the sender and the receiver may differ. Later versions may add values of `event`.
    """
    message_id, timestamp, signatures = _read_headers(headers)
    _check_age(timestamp, tolerance_s)
    body = _encode(raw_body) if isinstance(raw_body, str) else bytes(raw_body)
    signed = _encode(f"{message_id}.{timestamp}.") + body
    given = [_encode(part.removeprefix("v1,")) for part in signatures.split() if part.startswith("v1,")]
    keys = [_read_secret(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets or [])]
    if not keys:
        raise WebhookVerificationError("invalid_secret", "Name a secret.")
    expected = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    if not any(hmac.compare_digest(one, other) for one in expected for other in given):
        message = "No signature is by one of the secrets. Use the raw body, and the secret of this webhook."
        raise WebhookVerificationError("invalid_signature", message)
    return _parse(body)


def _read_headers(headers: Mapping[str, str]) -> list[str]:
    given = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    for name in names:
        if not given.get(name):
            raise WebhookVerificationError("missing_header", f"The header {name} is missing.")
    return [given[name] for name in names]


def _encode(text: str) -> bytes:
    # Headers that aren't UTF-8 have surrogates, which no signature fits.
    return text.encode(errors="surrogatepass")


def _check_age(timestamp: str, tolerance_s: float) -> None:
    if not isinstance(tolerance_s, (int, float)) or not tolerance_s >= 0:
        raise configuration_error("`tolerance_s` must be a number of seconds, 0 or more.")
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12
    age = time.time() - int(timestamp) if is_number else float("inf")
    if age > tolerance_s:
        message = "The request was signed too long ago. Check the clock of this machine."
        raise WebhookVerificationError("message_too_old", message)
    if age < -tolerance_s:
        message = "The request was signed in the future. Check the clock of this machine."
        raise WebhookVerificationError("message_too_new", message)


def _read_secret(secret: str) -> bytes:
    try:
        key = base64.b64decode(str(secret).removeprefix("whsec_"), validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if not key:
        raise WebhookVerificationError("invalid_secret", "A secret must be `whsec_` followed by base64.")
    return key


def _parse(body: bytes) -> WebhookMessage:
    try:
        message = json.loads(body)
    except ValueError:
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("event"), str):
        raise WebhookVerificationError("malformed_message", "The body is no message of Fanfare.")
    return cast(WebhookMessage, message)
