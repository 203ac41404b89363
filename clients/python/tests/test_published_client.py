"""Each call of the published client of this family of APIs that has a counterpart runs in both clients.

`docs/sdks.md` of the repository lists the calls.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import connect
from scripted_server import ScriptedServer
from sides import Side
from test_media import png
from test_webhooks import BODY, SECRET, sign

from fanfare_client import FanfareError, webhooks

PAGE = (Path(__file__).parents[3] / "docs/sdks.md").read_text()
LISTED = dict(re.findall(r"^\| `([\w.]+)`\s*\| `[\w.]+`\s*\| `([\w.]+)`\s*\|$", PAGE, re.MULTILINE))

Json = dict[str, Any]


class Calls:
    """Makes each call by the name that the other client has for it, and the counterpart that the page names."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.made: set[str] = set()

    def counterpart(self, name: str) -> Callable[[Any], Any]:
        self.made.add(name)
        resource, method = LISTED[name].split(".")
        return lambda fanfare: getattr(getattr(fanfare, resource), method)

    def call(self, name: str, /, *ids: Any, **given: Any) -> Any:
        method = self.counterpart(name)
        return self.side.call(lambda fanfare: method(fanfare)(*ids, **given))

    def list(self, name: str, /, *ids: Any, **given: Any) -> list[Json]:
        method = self.counterpart(name)
        return self.side.take(lambda fanfare: method(fanfare)(*ids, **given))


def test_every_listed_call_runs(side: Side, receiver: ScriptedServer, tmp_path: Path) -> None:
    calls = Calls(side)
    account = accounts(calls)
    posts(calls, account)
    media(calls, account, tmp_path)
    others(calls, receiver)
    calls.call("accounts.disconnect", account["id"])
    assert account["id"] in [each["id"] for each in calls.list("accounts.list", status="disconnected")]
    assert calls.made == LISTED.keys()
    assert len(LISTED) == 42


def accounts(calls: Calls) -> Json:
    user = f"user/{uuid.uuid4().hex[:8]}"
    credentials = {"handle": f"p{uuid.uuid4().hex[:12]}"}
    account: Json = calls.call("accounts.connect", platform="sandbox", credentials=credentials, external_user_id=user)
    assert [each["id"] for each in calls.list("accounts.list", external_user_id=user)] == [account["id"]]
    assert calls.call("accounts.get", account["id"]) == account
    assert calls.call("accounts.health", account["id"])["status"] == "ok"
    assert calls.call("accounts.capabilities", account["id"])["text"]["max"] == 5000
    assert "sandbox" in [each["platform"] for each in calls.list("platforms.capabilities")]
    session = calls.call("connect.create_session", platform="sandbox", external_user_id=user)
    assert calls.call("connect.get_session", session["id"])["status"] == "pending"
    assert "?token=" in calls.call("connect.get_connect_url", platform="sandbox", external_user_id=user)["url"]
    assert user in [each["external_user_id"] for each in calls.list("users.list")]
    assert calls.call("users.get", user)["account_count"] == 1
    return account


def posts(calls: Calls, account: Json) -> None:
    to = [account["id"]]
    post = calls.call("posts.create", caption="Hello", account_ids=to, wait="20s")
    assert calls.call("posts.get", post["id"])["results"][0]["status"] == "published"
    assert calls.call("posts.validate", caption="Hello again", account_ids=to)["valid"] is True
    draft = calls.call("posts.create", caption="Draft", account_ids=to, status="draft")
    assert calls.call("posts.update", draft["id"], caption="Better")["caption"] == "Better"
    assert calls.call("posts.publish", draft["id"], wait="20s")["status"] == "published"
    other = calls.call("posts.create", caption="Draft", account_ids=to, status="draft")
    assert calls.call("posts.cancel", other["id"])["status"] == "canceled"
    calls.call("posts.delete", other["id"])
    [item] = calls.call("posts.bulk_create", posts=[{"caption": "One of many", "account_ids": to}])
    assert item["status"] == 202
    refused = calls.call("posts.create", caption="No [sandbox outcome=rejected]", account_ids=to, wait="20s")
    assert refused["status"] == "failed"
    result = refused["results"][0]
    assert calls.call("posts.retry_result", refused["id"], result["id"])["id"] == result["id"]
    ids = {post["id"], draft["id"], item["post"]["id"], refused["id"]}
    for name in ("posts.list", "posts.list_all"):
        assert {each["id"] for each in calls.list(name, account_id=account["id"], limit=2)} == ids


def media(calls: Calls, account: Json, folder: Path) -> None:
    picture = folder / "picture.png"
    picture.write_bytes(png())
    uploaded = calls.call("media.upload_file", str(picture))
    assert calls.call("media.get", uploaded["id"])["status"] == "uploaded"
    post = calls.call(
        "posts.create", caption="Picture", account_ids=[account["id"]], media_ids=[uploaded["id"]], wait="20s"
    )
    assert post["status"] == "published"
    unused = calls.call("media.upload", filename="a.png", content_type="image/png", size_bytes=10)
    calls.call("media.delete", unused["id"])


def others(calls: Calls, receiver: ScriptedServer) -> None:
    webhook = calls.call("webhooks.create", name="mine", url=receiver.url, events=["post.scheduled"])
    assert webhook["id"] in [each["id"] for each in calls.list("webhooks.list")]
    assert calls.call("webhooks.get", webhook["id"])["active"] is True
    assert calls.call("webhooks.update", webhook["id"], active=False)["active"] is False
    assert calls.call("webhooks.rotate", webhook["id"])["secret"] != webhook["secret"]
    calls.call("webhooks.delete", webhook["id"])
    key = calls.call("api_keys.create", name="second", environment="test")
    assert key["id"] in [each["id"] for each in calls.list("api_keys.list")]
    calls.call("api_keys.revoke", key["id"])
    calls.call("platform_credentials.create", "linkedin", client_id="a", client_secret="b")
    assert "linkedin" in [each["platform"] for each in calls.list("platform_credentials.list")]
    calls.call("platform_credentials.delete", "linkedin", force=True)
    name = calls.call("workspace.get")["name"]
    assert calls.call("workspace.update", name=name)["name"] == name
    calls.made.add("verify_webhook_signature")
    assert webhooks.verify(BODY, sign(SECRET), SECRET)["event"] == "post.scheduled"


def test_a_subject_that_is_missing_is_an_error(side: Side) -> None:
    connect(side)
    with pytest.raises(FanfareError) as missing:
        side.call(lambda f: f.users.get("nobody"))
    assert (missing.value.status, missing.value.code) == (404, "not_found")
