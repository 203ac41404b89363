"""The live stream of posts: what it asks for, and what it makes of each message. It resumes from its cursor."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypedDict, cast

from ._call import Call, Config, delay_before
from ._errors import FanfareError, graphql_error, invalid_answer, member, parse_object, to_wire_names
from ._flow import Send

_SILENT = 40.0
"""The server sends a comment every 12 seconds."""

_RESULT = (
    "id socialAccountId platform accountName status externalId url errorCode errorMessage errorHint isRetriable "
    "nextAction waitingFor nextAttemptAt"
)
QUERY = f"""subscription ($id: ID, $after: String) {{
  postUpdated(id: $id, after: $after) {{
    cursor change postId resultId
    post {{
      id revision caption status createdAt updatedAt scheduledAt publishedAt labels
      results {{ {_RESULT} }}
    }}
  }}
}}"""
_ENUMS = {"status", "platform", "next_action", "waiting_for"}

GRAPHQL: Call[Any] = Call("POST", "/graphql", shape="data")
CURSOR_QUERY = {"query": "{ liveCursor }"}


class LiveResult(TypedDict):
    """The members of a result that the stream shows."""

    id: str
    social_account_id: str
    platform: str
    account_name: str
    status: str
    external_id: str | None
    url: str | None
    error_code: str | None
    error_message: str | None
    error_hint: str | None
    is_retriable: bool
    next_action: str
    waiting_for: str | None
    next_attempt_at: str | None


class LivePost(TypedDict):
    """The members of a post that the stream shows. `posts.get` reads the others."""

    id: str
    revision: int
    caption: str
    status: str
    created_at: str
    updated_at: str
    scheduled_at: str | None
    published_at: str | None
    labels: list[str]
    results: list[LiveResult]


class PostUpdate(TypedDict):
    cursor: str
    """Pass it as `after` to resume from here."""

    change: str
    """What changed, such as `result.published`. Later versions may add values."""

    post_id: str
    result_id: str | None
    """The result that a `result.…` change is about."""

    post: LivePost | None
    """The post as it was when the message was sent. None: it was deleted."""


class PostStream:
    """The state of one stream, for both clients."""

    def __init__(self, config: Config, post_id: str | None, after: str | None) -> None:
        self._config = config
        self._post_id = post_id
        self._after = after
        self._failures = 0

    def start(self, data: Any) -> None:
        """`data`: of the answer to `CURSOR_QUERY`. Without an `id` or an `after`, the stream begins there."""
        cursor = member(data, "liveCursor", str)
        if self._after is None and self._post_id is None:
            self._after = cursor

    def request(self) -> Send:
        headers = {**self._config.headers(), "Content-Type": "application/json", "Accept": "text/event-stream"}
        variables = {"id": self._post_id, "after": self._after}
        content = json.dumps({"query": QUERY, "variables": variables}).encode()
        return Send("POST", f"{self._config.url}/graphql", headers, _SILENT, content)

    def is_open(self, headers: Mapping[str, str]) -> bool:
        return headers.get("content-type", "").startswith("text/event-stream")

    def read(self, event: str, data: str) -> PostUpdate | None:
        """None: the event has no update."""
        if event != "next" or not data:
            return None
        message = parse_object(data)
        shown = message.get("data")
        update = shown.get("postUpdated") if isinstance(shown, dict) else None
        if update is None:
            raise graphql_error(message) or self.ended()
        self._after = member(update, "cursor", str)
        self._failures = 0
        # A bookmark has only a newer cursor.
        return _to_update(update) if update.get("postId") is not None else None

    def ended(self) -> FanfareError:
        return FanfareError("The server ended the stream.", code="connection_failed", is_retriable=True)

    def delay_after(self, error: FanfareError) -> float:
        """Raises an error after which the stream can't be resumed."""
        if not error.is_retriable:
            raise error
        delay = delay_before(min(self._failures, 10), error)
        self._failures += 1
        return delay


def _to_update(update: Any) -> PostUpdate:
    """Converts the names and the enum values of GraphQL to those of REST."""
    try:
        wire = to_wire_names(update)
        post = wire["post"]
        for shown in [post, *post["results"]] if post else []:
            for name in _ENUMS & shown.keys():
                shown[name] = shown[name] and shown[name].lower()
    except (AttributeError, KeyError, TypeError) as error:
        raise invalid_answer("An update of the stream is not as documented.") from error
    return cast(PostUpdate, wire)
