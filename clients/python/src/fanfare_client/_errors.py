"""The error that every call raises, and how an answer becomes one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .types import Issue


class FanfareError(Exception):
    """A call that failed.

    `code` is one of the error codes of the API, or one of this client: `configuration`, `connection_failed`,
    `timeout`, `invalid_answer`, `invalid_signature`. Later versions may add codes.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str | None = None,
        issues: Sequence[Issue] = (),
        request_id: str | None = None,
        is_retriable: bool = False,
        status: int | None = None,
        retry_after: float | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint
        """How to fix the error, if there is advice."""
        self.issues = list(issues)
        """One for each invalid field of the request, with its exact `path`."""
        self.request_id = request_id
        """Identifies the request in the server's log."""
        self.is_retriable = is_retriable
        """Whether the same call may succeed later."""
        self.status = status
        """HTTP status. None: no answer arrived."""
        self.retry_after = retry_after
        """Seconds to wait before the next try."""
        self.details = dict(details or {})
        """Other facts, such as `required_scope`."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers of task queues send errors to each other.
        return _restore, (type(self), self.message, self.__dict__)

    def __str__(self) -> str:
        # The message has the only one already.
        shown = self.issues if len(self.issues) > 1 else []
        issues = "".join(f"\n  {each['path']}: {each['message']}" for each in shown)
        return f"{self.code}: {self.message}{issues}"


def _restore(kind: type[FanfareError], message: str, state: dict[str, Any]) -> FanfareError:
    error = kind.__new__(kind, message)
    error.__dict__.update(state)
    return error


def configuration_error(message: str) -> FanfareError:
    return FanfareError(message, code="configuration")


def to_error(status: int, headers: Mapping[str, str], text: str) -> FanfareError:
    """For an answer that isn't a success."""
    error, request_id = _parse(text)
    retry_after = _seconds(headers.get("retry-after"))
    request_id = request_id or headers.get("x-request-id")
    if error is None:
        return FanfareError(
            f"The server answered {status} without an error of Fanfare.",
            code="invalid_answer",
            hint="Check the URL, and proxies in front of Fanfare.",
            is_retriable=status in (408, 429) or status >= 500,
            status=status,
            request_id=request_id,
            retry_after=retry_after,
        )
    return from_wire(error, status=status, request_id=request_id, retry_after=retry_after)


def from_wire(
    error: Mapping[str, Any],
    *,
    status: int | None = None,
    request_id: str | None = None,
    retry_after: float | None = None,
) -> FanfareError:
    """For the member `error` of an answer."""
    known = {"code", "message", "hint", "is_retriable", "issues", "retry_after_s"}
    return FanfareError(
        str(error.get("message", error["code"])),
        code=error["code"],
        hint=error.get("hint"),
        issues=error.get("issues") or (),
        is_retriable=bool(error.get("is_retriable")),
        status=status,
        request_id=request_id,
        retry_after=error.get("retry_after_s", retry_after),
        details={name: value for name, value in error.items() if name not in known},
    )


def graphql_error(answer: Any) -> FanfareError | None:
    """For the first of the `errors` of an answer of GraphQL."""
    error, request_id = _read(answer)
    return None if error is None else from_wire(error, request_id=request_id)


def _parse(text: str) -> tuple[dict[str, Any] | None, str | None]:
    try:
        return _read(json.loads(text))
    except ValueError:
        return None, None


def _read(answer: Any) -> tuple[dict[str, Any] | None, str | None]:
    """The error of an answer of REST or of GraphQL, and the ID of its request."""
    if not isinstance(answer, dict):
        return None, None
    error, request_id = answer.get("error"), answer.get("request_id")
    if answer.get("errors"):
        first = answer["errors"][0]
        error = {**to_wire_names(first.get("extensions") or {}), "message": first["message"]}
        request_id = error.pop("request_id", None)
    is_ours = isinstance(error, dict) and isinstance(error.get("code"), str)
    return (error, request_id) if is_ours else (None, None)


def to_wire_names(value: Any) -> Any:
    """`{"errorCode": …}` → `{"error_code": …}`. The REST API has the same members in these names."""
    if isinstance(value, list):
        return [to_wire_names(each) for each in value]
    if isinstance(value, dict):
        return {_snake_case(name): to_wire_names(each) for name, each in value.items()}
    return value


def _snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def _seconds(value: str | None) -> float | None:
    return float(value) if value is not None and value.isdecimal() else None
