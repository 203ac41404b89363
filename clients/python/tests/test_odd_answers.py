"""Every failure is a `FanfareError`, also if an answer is not as documented."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import MakeSide
from scripted_server import Scripted, ScriptedServer
from sides import Side

from fanfare_client import FanfareError

CURSOR = Scripted(200, {"data": {"liveCursor": "c0"}})
DELETED = {"cursor": "c1", "change": "deleted", "postId": "post_1", "resultId": None, "post": None}


def refused(side: Side, call: Any, code: str = "invalid_answer", take: bool = False) -> FanfareError:
    with pytest.raises(FanfareError) as raised:
        side.take(call, 5) if take else side.call(call)
    assert raised.value.code == code
    assert code in str(raised.value)
    return raised.value


@pytest.mark.parametrize("body", ["null", "{}", "[]", "7", '{"data":null}', "<html>", "", "[" * 100_000])
def test_a_success_without_data(make_side: MakeSide, body: str) -> None:
    with ScriptedServer([Scripted(200, body, {"X-Request-Id": "req_1"})]) as server:
        side = make_side(url=server.url, max_retries=1)
        error = refused(side, lambda f: f.posts.get("post_1"))
        assert (error.status, error.request_id, error.is_retriable) == (200, "req_1", False)
        refused(side, lambda f: f.posts.create(status="draft"))
        refused(side, lambda f: f.posts.create(status="draft", wait="1s"))
        refused(side, lambda f: f.posts.list().page())
        refused(side, lambda f: f.posts.list(), take=True)
        refused(side, lambda f: f.media.upload(b"x", filename="a.png"))
        refused(side, lambda f: f.live.posts(), take=True)


@pytest.mark.parametrize("data", [{}, [], {"id": 7, "status": 7, "upload_url": 7, "liveCursor": 7}])
def test_data_of_another_kind(make_side: MakeSide, data: Any) -> None:
    with ScriptedServer([Scripted(200, {"data": data, "meta": []})]) as server:
        side = make_side(url=server.url, max_retries=1)
        refused(side, lambda f: f.posts.wait("post_1", "1s"))
        refused(side, lambda f: f.posts.list(), take=True)
        refused(side, lambda f: f.media.upload(b"x", filename="a.png"))
        refused(side, lambda f: f.live.posts(), take=True)


@pytest.mark.parametrize("time", ["soon", 7])
def test_a_post_that_is_scheduled_for_no_time(make_side: MakeSide, time: Any) -> None:
    post = {"id": "post_1", "status": "scheduled", "scheduled_at": time}
    with ScriptedServer([Scripted(200, {"data": post})]) as server:
        refused(make_side(url=server.url), lambda f: f.posts.wait("post_1", "1s"))


@pytest.mark.parametrize("count", ["abc", "-1", "1.5"])
def test_a_deletion_with_an_odd_count(make_side: MakeSide, count: str) -> None:
    with ScriptedServer([Scripted(204, "", {"Fanfare-Still-Public": count})]) as server:
        refused(make_side(url=server.url), lambda f: f.posts.delete("post_1"))


@pytest.mark.parametrize("following", ["same", {"a": 1}, 7])
def test_a_page_that_leads_to_itself(make_side: MakeSide, following: Any) -> None:
    page = {"data": [{"id": "a"}], "meta": {"next_cursor": following}}
    with ScriptedServer([Scripted(200, page)]) as server:
        refused(make_side(url=server.url), lambda f: f.posts.list(), take=True)
        assert len(server.received) <= 2


def test_an_error_has_only_members_of_the_documented_types(make_side: MakeSide) -> None:
    def read(**members: Any) -> FanfareError:
        with ScriptedServer([Scripted(400, {"error": {"code": "odd", **members}})]) as server:
            return refused(make_side(url=server.url), lambda f: f.project.get(max_retries=0), "odd")

    error = read(message={"a": 1}, hint=7, issues="boo", is_retriable="no")
    assert (error.message, error.hint, error.issues, error.is_retriable) == ("odd", None, [], False)
    issue = {"path": "a", "message": "b"}
    assert read(issues=[None, 1, issue]).issues == [issue]
    assert read(issues=[{}, issue]).issues == [{}, issue]
    for seconds in (-100, "soon", None, True, float("nan")):
        assert read(retry_after_s=seconds).retry_after is None


@pytest.mark.parametrize(
    "body",
    ["null", '{"errors":[null]}', '{"errors":7}', '{"errors":[{"extensions":7}]}', '{"error":"no"}', "[" * 100_000],
)
def test_a_refusal_without_an_error(make_side: MakeSide, body: str) -> None:
    with ScriptedServer([Scripted(400, body)]) as server:
        assert refused(make_side(url=server.url), lambda f: f.project.get()).status == 400


def test_an_idempotency_key_that_no_header_can_have_is_not_sent(make_side: MakeSide) -> None:
    with ScriptedServer([Scripted(200, {"data": []})]) as server:
        side = make_side(url=server.url)
        for key in ("ü", "a\r\nX: y"):
            refused(side, lambda f, key=key: f.posts.bulk_create(posts=[], idempotency_key=key), "configuration")
        assert server.received == []


def uploaded(make_side: MakeSide, answer: Scripted) -> int:
    """Uploads to a URL that always gives this answer. Returns the number of requests."""
    with ScriptedServer([answer]) as target:
        created = {"data": {"id": "med_1", "upload_url": f"{target.url}/up"}}
        with ScriptedServer([Scripted(201, created)]) as server:
            side = make_side(url=server.url, max_retries=1)
            refused(side, lambda f: f.media.upload(b"content", filename="a.png"))
        return len(target.received)


def test_an_upload_without_progress_ends_after_its_retries(make_side: MakeSide) -> None:
    # The part, the question where to continue, and the part.
    assert uploaded(make_side, Scripted(308, {"data": {"received_bytes": 0}})) == 3


@pytest.mark.parametrize("received", [-5, 10**9, 1.5, None, "7", True])
def test_an_upload_to_an_odd_position_ends_at_once(make_side: MakeSide, received: Any) -> None:
    assert uploaded(make_side, Scripted(308, {"data": {"received_bytes": received}})) == 1


@pytest.mark.parametrize("status", [200, 308])
def test_an_upload_with_an_odd_answer_ends_at_once(make_side: MakeSide, status: int) -> None:
    assert uploaded(make_side, Scripted(status, "<html>")) == 1
    assert uploaded(make_side, Scripted(status, "null")) == 1


def test_an_upload_to_a_url_that_is_none_ends_at_once(make_side: MakeSide) -> None:
    for url in ("http://[", "http://a:b/", "nowhere"):
        with ScriptedServer([Scripted(201, {"data": {"id": "med_1", "upload_url": url}})]) as server:
            refused(make_side(url=server.url), lambda f: f.media.upload(b"content", filename="a.png"))


def stream(data: str) -> Scripted:
    return Scripted(200, f"event: next\ndata: {data}\n\n", {"Content-Type": "text/event-stream"})


def update(**members: Any) -> str:
    return json.dumps({"data": {"postUpdated": {**DELETED, **members}}})


@pytest.mark.parametrize(
    "message",
    [
        update(post={"id": "post_1"}),
        update(post={"results": [None]}),
        update(post={"results": [{"status": 7}]}),
        update(post="post_1"),
        update(cursor=None),
        '{"data":{"postUpdated":["none"]}}',
    ],
)
def test_a_live_stream_ends_at_an_odd_update(make_side: MakeSide, message: str) -> None:
    with ScriptedServer([CURSOR, stream(message)]) as server:
        refused(make_side(url=server.url), lambda f: f.live.posts(), take=True)


@pytest.mark.parametrize("message", ["{bad", "null", "[]", '{"data":7}', '{"errors":[null]}'])
def test_a_live_stream_resumes_after_what_is_no_message(make_side: MakeSide, message: str) -> None:
    lost: list[FanfareError] = []
    with ScriptedServer([CURSOR, stream(message), stream(update())]) as server:
        [deleted] = make_side(url=server.url).take(lambda f: f.live.posts(on_lost=lost.append), 1)
    assert (deleted["cursor"], deleted["change"]) == ("c1", "deleted")
    assert [error.code for error in lost] == ["connection_failed"]
