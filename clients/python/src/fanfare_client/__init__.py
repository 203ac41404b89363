"""The client of Fanfare, an open social publishing service."""

from . import types, webhooks
from ._async import AsyncList
from ._async_client import AsyncFanfare
from ._client import Fanfare
from ._durations import Duration
from ._errors import FanfareError
from ._live import LivePost, LiveResult, PostUpdate
from ._media import MediaSource, UploadOptions
from ._sync import List
from .webhooks import WebhookVerificationError

__all__ = [
    "AsyncFanfare",
    "AsyncList",
    "Duration",
    "Fanfare",
    "FanfareError",
    "List",
    "LivePost",
    "LiveResult",
    "MediaSource",
    "PostUpdate",
    "UploadOptions",
    "WebhookVerificationError",
    "types",
    "webhooks",
]
