"""The signature of a webhook request is checked as Standard Webhooks says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any

import pytest
from conftest import eventually
from scripted_server import ScriptedServer
from sides import Side

from fanfare_client import Fanfare, FanfareError, WebhookVerificationError, webhooks

SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
OTHER = "whsec_" + base64.b64encode(b"o" * 32).decode()
BODY = json.dumps({"event": "post.scheduled", "timestamp": "2026-01-31T12:00:00.000Z", "data": {"id": "post_1"}})


def sign(secret: str, body: str = BODY, at: float | None = None) -> dict[str, str]:
    stamp = str(int(time.time() if at is None else at))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"evt_1.{stamp}.{body}".encode(), hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {"Webhook-Id": "evt_1", "Webhook-Timestamp": stamp, "webhook-signature": signature}


def code_of(*given: Any, **options: Any) -> str:
    with pytest.raises(WebhookVerificationError) as refused:
        webhooks.verify(*given, **options)
    return refused.value.code


def test_the_example_of_standard_webhooks_is_genuine() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    # Its signature is right, and its body is no message of Fanfare.
    assert code_of('{"test": 2432232314}', headers, secret, tolerance_s=10**10) == "malformed_message"


def test_a_genuine_request_returns_its_message() -> None:
    message = webhooks.verify(BODY, sign(SECRET), [SECRET])
    assert message["event"] == "post.scheduled"
    assert webhooks.verify(BODY.encode(), sign(SECRET), SECRET) == message
    with Fanfare(url="http://127.0.0.1:9", api_key="k") as fanfare:
        assert fanfare.webhooks.verify(BODY, sign(SECRET), SECRET) == message


def test_an_event_type_and_members_that_are_not_known_are_passed_on() -> None:
    body = json.dumps({**json.loads(BODY), "event": "post.teleported", "dimension": 5})
    assert webhooks.verify(body, sign(SECRET, body), [SECRET]) == json.loads(body)


def test_one_of_several_secrets_or_signatures_suffices() -> None:
    assert webhooks.verify(BODY, sign(SECRET), [OTHER, SECRET])
    two = {**sign(SECRET), "webhook-signature": f"v1a,x {sign(OTHER)['webhook-signature']} v1,ü"}
    assert webhooks.verify(BODY, two, OTHER)


def test_others_are_refused() -> None:
    assert code_of(BODY + " ", sign(SECRET), SECRET) == "invalid_signature"
    assert code_of(BODY, sign(OTHER), SECRET) == "invalid_signature"
    assert code_of(BODY, {**sign(SECRET), "Webhook-Id": "evt_2"}, SECRET) == "invalid_signature"
    assert code_of(BODY, {"webhook-id": "evt_1"}, SECRET) == "missing_header"
    assert code_of("[]", sign(SECRET, "[]"), SECRET) == "malformed_message"
    assert code_of(BODY, sign(SECRET), []) == "invalid_secret"
    assert code_of(BODY, sign(SECRET), "whsec_%") == "invalid_secret"
    assert code_of(BODY, sign(SECRET), "") == "invalid_secret"
    # Such as of a variable that isn't set.
    missing: Any = None
    assert code_of(BODY, sign(SECRET), missing) == "invalid_secret"


def test_clocks_may_differ_by_the_tolerance() -> None:
    now = time.time()
    for seconds in (-290, 290):
        assert webhooks.verify(BODY, sign(SECRET, at=now + seconds), SECRET)
    assert code_of(BODY, sign(SECRET, at=now - 310), SECRET) == "message_too_old"
    assert code_of(BODY, sign(SECRET, at=now + 310), SECRET) == "message_too_new"
    assert code_of(BODY, sign(SECRET, at=now - 20), SECRET, tolerance_s=10) == "message_too_old"
    assert code_of(BODY, {**sign(SECRET), "Webhook-Timestamp": "soon"}, SECRET) == "message_too_old"


@pytest.mark.parametrize("tolerance", [float("nan"), -1, "300", None])
def test_a_tolerance_is_a_number(tolerance: Any) -> None:
    with pytest.raises(FanfareError) as refused:
        webhooks.verify(BODY, sign(SECRET, at=1_000_000_000), SECRET, tolerance_s=tolerance)
    assert refused.value.code == "configuration"


def test_text_that_is_no_unicode_is_refused() -> None:
    for name in ("Webhook-Id", "webhook-signature"):
        assert code_of(BODY, {**sign(SECRET), name: "v1,\udcff"}, SECRET) == "invalid_signature"
    assert code_of("\udcff", sign(SECRET), SECRET) == "invalid_signature"


def test_a_request_of_the_server_is_genuine_also_during_a_rotation(
    side: Side, account: dict[str, Any], receiver: ScriptedServer
) -> None:
    webhook = side.call(lambda f: f.webhooks.create(url=receiver.url, events=["post.published"]))
    rotated = side.call(lambda f: f.webhooks.rotate(webhook["id"], overlap_seconds=60))
    post = side.call(lambda f: f.posts.create(caption="Signed", account_ids=[account["id"]]))
    eventually(lambda: len(receiver.received) > 0)
    [request] = receiver.received
    for secret in (webhook["secret"], rotated["secret"]):
        message = webhooks.verify(request.body, request.headers, [OTHER, secret])
        assert message["event"] == "post.published"
        assert message["data"]["id"] == post["id"]
        assert message["data"]["results"][0]["status"] == "published"
    side.call(lambda f: f.webhooks.delete(webhook["id"]))
