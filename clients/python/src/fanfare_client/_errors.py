"""The error that every call raises, and how an answer becomes one."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .types import Issue

T = TypeVar("T")


class FanfareError(Exception):
    """A call that failed.

    `code` is one of the error codes of the API, or one of this client: `configuration`, `connection_failed`,
    `timeout`, `invalid_answer`, and those of `WebhookVerificationError`. Later versions may add codes.
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
        issues = "".join(f"\n  {each.get('path')}: {each.get('message')}" for each in shown)
        return f"{self.code}: {self.message}{issues}"


def _restore(kind: type[FanfareError], message: str, state: dict[str, Any]) -> FanfareError:
    error = kind.__new__(kind, message)
    error.__dict__.update(state)
    return error


def configuration_error(message: str) -> FanfareError:
    return FanfareError(message, code="configuration")


def invalid_answer(
    message: str,
    *,
    status: int | None = None,
    request_id: str | None = None,
    is_retriable: bool = False,
    retry_after: float | None = None,
) -> FanfareError:
    return FanfareError(
        message,
        code="invalid_answer",
        hint="Check the URL, and proxies in front of Fanfare.",
        is_retriable=is_retriable,
        status=status,
        request_id=request_id,
        retry_after=retry_after,
    )


def parse_object(text: str) -> dict[str, Any]:
    """Empty: the text is no object of JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}


def member(answer: Any, name: str, kind: type[T]) -> T:
    """Returns a member that the client itself needs. A bool is no int."""
    value = answer.get(name) if isinstance(answer, dict) else None
    if isinstance(value, kind) and not isinstance(value, bool):
        return value
    raise invalid_answer(f"The answer has no `{name}`.")


def to_error(status: int, headers: Mapping[str, str], text: str) -> FanfareError:
    """For an answer that isn't a success, of REST or of GraphQL."""
    answer = parse_object(text)
    request_id = _text(answer.get("request_id")) or headers.get("x-request-id")
    retry_after = headers.get("retry-after", "")
    seconds = float(retry_after) if retry_after.isdecimal() else None
    return (
        _from_wire(answer.get("error"), status=status, request_id=request_id, retry_after=seconds)
        or graphql_error(answer, status=status, request_id=request_id, retry_after=seconds)
        or invalid_answer(
            f"The server answered {status} without an error of Fanfare.",
            status=status,
            request_id=request_id,
            is_retriable=status in (408, 429) or status >= 500,
            retry_after=seconds,
        )
    )


def graphql_error(answer: Mapping[str, Any], **facts: Any) -> FanfareError | None:
    """For the first of the `errors` of an answer of GraphQL. None: it has no error of Fanfare."""
    errors = answer.get("errors")
    first: Any = errors[0] if isinstance(errors, list) and errors else None
    extensions = first.get("extensions") if isinstance(first, dict) else None
    if not isinstance(extensions, dict):
        return None
    return _from_wire({**to_wire_names(extensions), "message": first.get("message")}, **facts)


def _from_wire(
    error: Any, *, status: int | None = None, request_id: str | None = None, retry_after: float | None = None
) -> FanfareError | None:
    """`error`: with the names of REST. Members of other types than the documented ones are left out."""
    code = error.get("code") if isinstance(error, dict) else None
    if not isinstance(code, str):
        return None
    known = {"code", "message", "hint", "is_retriable", "issues", "request_id", "retry_after_s"}
    issues, seconds = error.get("issues"), error.get("retry_after_s")
    is_time = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 <= seconds < math.inf
    return FanfareError(
        _text(error.get("message")) or code,
        code=code,
        hint=_text(error.get("hint")),
        issues=[each for each in issues if isinstance(each, dict)] if isinstance(issues, list) else (),  # type: ignore[misc] # The members of Issue.
        is_retriable=error.get("is_retriable") is True,
        status=status,
        request_id=_text(error.get("request_id")) or request_id,
        retry_after=seconds if is_time else retry_after,
        details={name: value for name, value in error.items() if name not in known},
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def to_wire_names(value: Any) -> Any:
    """`{"errorCode": …}` → `{"error_code": …}`. The REST API has the same members in these names."""
    if isinstance(value, list):
        return [to_wire_names(each) for each in value]
    if isinstance(value, dict):
        return {_snake_case(name): to_wire_names(each) for name, each in value.items()}
    return value


def _snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
