"""The options of a client are checked before a request."""

from __future__ import annotations

import pickle
from datetime import datetime, timezone
from typing import Any

import pytest

from fanfare_client import AsyncFanfare, Fanfare, FanfareError, WebhookVerificationError


@pytest.mark.parametrize("client", [Fanfare, AsyncFanfare])
@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"url": "127.0.0.1:4000"}, "url"),
        ({"url": "ftp://127.0.0.1"}, "url"),
        ({"url": "https://user:secret@example.com"}, "url"),
        ({"api_key": "two\nlines"}, "api_key"),
        ({"timeout": "soon"}, "timeout"),
        ({"timeout": -1}, "timeout"),
        ({"max_retries": -1}, "max_retries"),
    ],
)
def test_wrong_options_are_refused(client: Any, options: dict[str, Any], word: str) -> None:
    with pytest.raises(FanfareError) as refused:
        client(**options)
    assert refused.value.code == "configuration"
    assert word in refused.value.message
    assert "secret" not in refused.value.message


@pytest.mark.parametrize(("name", "word"), [("FANFARE_URL", "url"), ("FANFARE_API_KEY", "api_key")])
def test_a_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, word: str) -> None:
    monkeypatch.delenv(name)
    with pytest.raises(FanfareError) as refused:
        Fanfare()
    assert name in refused.value.message and word in refused.value.message


def test_an_id_that_leads_elsewhere_is_refused() -> None:
    with Fanfare(url="http://127.0.0.1:9", max_retries=0) as fanfare:
        for post_id in ("", ".", "..", "\ud800"):
            with pytest.raises(FanfareError, match="no ID") as refused:
                fanfare.posts.get(post_id)
            assert refused.value.code == "configuration"


def test_a_value_that_json_does_not_have_is_named() -> None:
    with Fanfare(url="http://127.0.0.1:9", max_retries=0) as fanfare:
        at: Any = datetime.now(timezone.utc)
        with pytest.raises(FanfareError, match="A datetime can't be sent as JSON") as refused:
            fanfare.posts.create(caption="Later", account_ids=["sa_1"], scheduled_at=at)
        assert refused.value.code == "configuration"


@pytest.mark.parametrize(
    "error",
    [FanfareError("No.", code="conflict", status=409), WebhookVerificationError("invalid_signature", "Forged.")],
)
def test_an_error_can_be_pickled(error: FanfareError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
