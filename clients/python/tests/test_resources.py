"""Every resource answers its calls, in both clients."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from conftest import connect, eventually
from scripted_server import ScriptedServer
from sides import Side

from fanfare_client import FanfareError

LATER = (datetime.now(timezone.utc) + timedelta(days=1)).isoformat()


def test_posts_are_written_read_and_removed(side: Side, account: dict[str, Any]) -> None:
    to = [account["id"]]
    draft = side.call(lambda f: f.posts.create(caption="Draft", account_ids=to, status="draft", labels=["py"]))
    assert draft["status"] == "draft"
    changed = side.call(lambda f: f.posts.update(draft["id"], caption="Better", scheduled_at=LATER))
    assert (changed["caption"], changed["status"], changed["warnings"]) == ("Better", "scheduled", [])
    assert side.call(lambda f: f.posts.update(draft["id"], scheduled_at=None))["status"] == "draft"
    copy = side.call(lambda f: f.posts.duplicate(draft["id"]))
    assert side.call(lambda f: f.posts.cancel(copy["id"]))["status"] == "canceled"
    published = side.call(lambda f: f.posts.publish(draft["id"], wait="20s"))
    assert published["status"] == "published"
    [result] = published["results"]
    attempts = side.take(lambda f: f.posts.list_attempts(draft["id"], result["id"]))
    assert "commit" in {attempt["phase"] for attempt in attempts}
    edited = side.call(lambda f: f.posts.update_result(draft["id"], result["id"], caption="Best"))
    assert edited["changes"][-1]["type"] == "edit"
    assert side.call(lambda f: f.posts.delete(copy["id"])) == {"is_pending": False, "still_public": 0}
    with pytest.raises(FanfareError) as missing:
        side.call(lambda f: f.posts.get(copy["id"]))
    assert (missing.value.code, missing.value.status) == ("not_found", 404)


def test_a_deletion_says_what_stays_public(side: Side, account: dict[str, Any]) -> None:
    def create() -> Any:
        return side.call(lambda f: f.posts.create(caption=str(uuid.uuid4()), account_ids=[account["id"]], wait="20s"))

    first, second = create(), create()
    assert side.call(lambda f: f.posts.delete(first["id"])) == {"is_pending": False, "still_public": 1}
    assert side.call(lambda f: f.posts.delete(second["id"], unpublish=True))["is_pending"] is True


def test_results_are_retried_and_unpublished(side: Side, account: dict[str, Any]) -> None:
    target = {"account_id": account["id"], "platform_options": {"outcome": "rejected", "times": 1}}
    post = side.call(lambda f: f.posts.create(caption="Refused once", platform_posts=[target], wait="20s"))
    [result] = post["results"]
    assert (post["status"], result["error_code"]) == ("failed", "rejected")
    side.call(lambda f: f.posts.retry_result(post["id"], result["id"]))
    ended = side.call(lambda f: f.posts.wait(post["id"], "20s"))
    assert ended["status"] == "published"
    removal = side.call(lambda f: f.posts.unpublish_result(post["id"], result["id"]))
    assert removal["changes"][-1]["type"] == "unpublish"
    with pytest.raises(FanfareError) as conflict:
        side.call(lambda f: f.posts.mark_result_unpublished(post["id"], result["id"]))
    assert conflict.value.status == 409
    with pytest.raises(FanfareError) as refused:
        side.call(lambda f: f.posts.create_review_link(post["id"], can="publish"))
    assert refused.value.status in (409, 422)


def test_posts_in_bulk(side: Side, account: dict[str, Any]) -> None:
    to = [account["id"]]
    item = {"caption": "Bulk", "account_ids": to, "scheduled_at": LATER}
    good, bad = side.call(lambda f: f.posts.bulk_create(posts=[item, {"account_ids": ["sa_unknown"]}]))
    assert (good["status"], bad["status"]) == (201, 422)
    checked = side.call(lambda f: f.posts.bulk_create(posts=[item], dry_run=True))
    assert [each["status"] for each in checked] == [201]
    csv = f"caption,account_ids,status\nFrom a file,{account['id']},draft\n"
    [row] = side.call(lambda f: f.posts.bulk_create(csv=csv))
    ids = [good["post"]["id"], row["post"]["id"]]
    [update] = side.call(lambda f: f.posts.bulk_update(posts=[{"id": ids[0], "caption": "Changed"}]))
    assert update["post"]["caption"] == "Changed"
    assert [each["status"] for each in side.call(lambda f: f.posts.bulk_cancel(ids=ids))] == [200, 200]
    assert len(side.call(lambda f: f.posts.bulk_delete(ids=ids))) == 2


def test_lists_filter_and_go_through_all_pages(side: Side, account: dict[str, Any]) -> None:
    label = f"l{uuid.uuid4().hex[:8]}"
    posts = [{"caption": f"{n}", "status": "draft", "labels": [label], "metadata": {"n": str(n)}} for n in range(5)]
    side.call(lambda f: f.posts.bulk_create(posts=posts))
    found = side.take(lambda f: f.posts.list(label=[label], limit=2, status=["draft", "scheduled"]))
    assert sorted(post["caption"] for post in found) == ["0", "1", "2", "3", "4"]
    sizes = [len(page["data"]) for page in side.take(lambda f: f.posts.list(label=[label], limit=2).pages())]
    assert sizes == [2, 2, 1]
    page = side.call(lambda f: f.posts.list(label=[label], limit=2, include=["total_count"]).page())
    assert page["meta"]["total_count"]["value"] == 5
    rest = side.take(lambda f: f.posts.list(label=[label], cursor=page["meta"]["next_cursor"]))
    assert len(rest) == 3
    assert len(side.take(lambda f: f.posts.list(metadata={"n": "3"}, label=[label]))) == 1
    assert label in [each["name"] for each in side.take(lambda f: f.labels.list())]
    assert label in side.call(lambda f: f.posts.export_csv(label=[label]))
    now = datetime.now(timezone.utc)
    counted = {"from_": (now - timedelta(days=1)).isoformat(), "to": (now + timedelta(days=2)).isoformat()}
    assert side.take(lambda f: f.posts.counts(**counted))


def test_accounts_users_and_connect_sessions(side: Side) -> None:
    # An emoji of several characters, some of which are not printable.
    user = f"user/👩\u200d👧 {uuid.uuid4().hex[:8]}"
    account = connect(side, external_user_id=user)
    the_id = account["id"]
    assert side.call(lambda f: f.accounts.get(the_id))["account_name"] == account["account_name"]
    assert [each["id"] for each in side.take(lambda f: f.accounts.list(external_user_id=user))] == [the_id]
    defaults = {"platform_options": {"delay_ms": 1}}
    assert side.call(lambda f: f.accounts.update(the_id, defaults=defaults))["id"] == the_id
    assert side.call(lambda f: f.accounts.health(the_id))["status"] == "ok"
    assert side.call(lambda f: f.accounts.usage(the_id, month="2027-01"))["published"] == 0
    assert side.call(lambda f: f.accounts.capabilities(the_id))["platform"] == "sandbox"
    check = side.call(lambda f: f.accounts.create_check(the_id))
    assert side.call(lambda f: f.accounts.get_check(the_id, check["id"]))["id"] == check["id"]
    with pytest.raises(FanfareError) as no_choices:
        side.take(lambda f: f.accounts.choices(the_id, "boards"))
    assert no_choices.value.status in (404, 409, 422)
    with pytest.raises(FanfareError) as not_imported:
        side.call(lambda f: f.accounts.import_(platform="sandbox", access_token="x"))
    assert not_imported.value.status in (409, 422)
    session = side.call(lambda f: f.connect.create_session(platform="sandbox", external_user_id=user))
    assert "/connect/" in session["url"]
    assert side.call(lambda f: f.connect.get_session(session["id"]))["status"] == "pending"
    assert user in [each["external_user_id"] for each in side.take(lambda f: f.users.list())]
    assert side.call(lambda f: f.users.get(user))["account_count"] == 1
    side.call(lambda f: f.accounts.disconnect(the_id))
    assert side.call(lambda f: f.accounts.get(the_id))["status"] == "disconnected"
    assert side.call(lambda f: f.users.erase(user)) is None


def test_webhooks_deliveries_events_and_replays(side: Side, account: dict[str, Any], receiver: ScriptedServer) -> None:
    webhook = side.call(lambda f: f.webhooks.create(url=receiver.url, events=["post.failed"]))
    the_id = webhook["id"]
    assert the_id in [each["id"] for each in side.take(lambda f: f.webhooks.list())]
    assert side.call(lambda f: f.webhooks.update(the_id, name="mine"))["name"] == "mine"
    assert side.call(lambda f: f.webhooks.rotate(the_id))["secret"] != webhook["secret"]
    test = side.call(lambda f: f.webhooks.test(the_id, event="post.failed"))
    assert test["id"] in [each["id"] for each in side.take(lambda f: f.deliveries.list(webhook_id=the_id))]
    assert side.take(lambda f: f.deliveries.list(limit=1), 1)
    assert side.call(lambda f: f.deliveries.get(test["id"]))["event"] == "post.failed"
    eventually(lambda: side.call(lambda f: f.deliveries.get(test["id"]))["status"] == "delivered")
    assert side.call(lambda f: f.deliveries.retry(test["id"]))["id"] == test["id"]
    events = side.take(lambda f: f.events.list(event="account.connected", limit=1), 1)
    assert side.call(lambda f: f.events.get(events[0]["id"]))["event"] == "account.connected"
    since = (datetime.now(timezone.utc) - timedelta(minutes=1)).isoformat()
    replay = side.call(lambda f: f.webhooks.replay(the_id, from_=since))
    assert side.call(lambda f: f.webhooks.get_replay(the_id, replay["replay_id"]))["id"] == replay["replay_id"]
    assert [each["id"] for each in side.take(lambda f: f.webhooks.list_replays(the_id))] == [replay["replay_id"]]
    assert "post.failed" in [each["event"] for each in side.take(lambda f: f.event_types.list())]
    assert side.call(lambda f: f.webhooks.delete(the_id)) is None


def test_queues(side: Side, account: dict[str, Any]) -> None:
    slots = [{"weekday": "mon", "time": "09:00"}]
    queue = side.call(
        lambda f: f.queues.create(name="Mondays", timezone="Europe/Berlin", account_ids=[account["id"]], slots=slots)
    )
    assert queue["warnings"] == []
    the_id = queue["id"]
    assert side.call(lambda f: f.queues.update(the_id, name="Monday"))["name"] == "Monday"
    assert the_id in [each["id"] for each in side.take(lambda f: f.queues.list())]
    assert side.take(lambda f: f.queues.slots(the_id), 1)
    post = side.call(lambda f: f.posts.create(caption="Queued", account_ids=[account["id"]], queue_id=the_id))
    assert post["status"] == "scheduled"
    assert side.call(lambda f: f.queues.reschedule(the_id))
    side.call(lambda f: f.posts.cancel(post["id"]))
    side.call(lambda f: f.queues.delete(the_id))
    with pytest.raises(FanfareError):
        side.call(lambda f: f.queues.get(the_id))


def test_the_project_its_keys_and_networks(side: Side) -> None:
    key = side.call(lambda f: f.api_keys.create(name="second", environment="test"))
    assert side.call(lambda f: f.api_keys.get(key["id"]))["name"] == "second"
    assert key["id"] in [each["id"] for each in side.take(lambda f: f.api_keys.list())]
    assert side.call(lambda f: f.api_keys.current())["environment"] == "production"
    side.call(lambda f: f.api_keys.revoke(key["id"]))
    name = side.call(lambda f: f.project.get())["name"]
    assert side.call(lambda f: f.project.update(name=name))["name"] == name
    assert side.call(lambda f: f.limits.get())["targets_per_post"] > 0
    assert "sandbox" in [each["platform"] for each in side.take(lambda f: f.platforms.capabilities())]
    app = side.call(lambda f: f.platform_credentials.set("linkedin", client_id="a", client_secret="b"))
    assert app["platform"] == "linkedin"
