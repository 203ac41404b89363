"""A call is repeated after a failure, and has its effect once."""

from __future__ import annotations

import socket
import time
import uuid
from typing import Any

import pytest
from conftest import MakeSide
from faulty_proxy import FaultyProxy
from scripted_server import Scripted, ScriptedServer
from sides import Side

from fanfare_client import FanfareError

REFUSAL = {"code": "rate_limited", "message": "Too many.", "is_retriable": True, "docs_url": "x"}


def refusal(status: int, **error: Any) -> Scripted:
    return Scripted(status, {"error": {**REFUSAL, **error}, "request_id": "req_1"})


def test_an_error_names_a_member_that_an_older_server_does_not_know(side: Side) -> None:
    newer: Any = {"caption": "x", "account_ids": [], "dimension": 5}
    with pytest.raises(FanfareError) as refused:
        side.call(lambda f: f.posts.create(**newer))
    assert (refused.value.code, refused.value.is_retriable) == ("validation_error", False)
    assert ("dimension", "unknown_field") in [(issue["path"], issue["code"]) for issue in refused.value.issues]


def test_a_post_whose_answer_is_lost_is_created_once(
    make_side: MakeSide, account: dict[str, Any], proxy: FaultyProxy
) -> None:
    side = make_side(url=proxy.url)
    label = f"l{uuid.uuid4().hex[:8]}"
    proxy.lost_answers = 2
    post = side.call(lambda f: f.posts.create(caption="Once", account_ids=[account["id"]], labels=[label]))
    assert proxy.lost_answers == 0
    found = side.take(lambda f: f.posts.list(label=[label]))
    assert [each["id"] for each in found] == [post["id"]]


def test_each_call_with_the_same_key_gets_the_first_answer(side: Side, account: dict[str, Any]) -> None:
    key = str(uuid.uuid4())
    given = {"caption": "Keyed", "account_ids": [account["id"]], "idempotency_key": key}
    posts = [side.call(lambda f: f.posts.create(**given)) for _ in range(3)]
    assert len({post["id"] for post in posts}) == 1
    assert posts[2]["warnings"] == []
    sessions = [
        side.call(
            lambda f: f.connect.create_session(platform="sandbox", external_user_id="u", idempotency_key=key + "s")
        )
        for _ in range(2)
    ]
    assert sessions[0]["url"] == sessions[1]["url"]


def test_repeated_content_is_warned_of_although_each_call_has_a_key(side: Side, account: dict[str, Any]) -> None:
    given = {"caption": "The same", "account_ids": [account["id"]]}
    assert side.call(lambda f: f.posts.create(**given))["warnings"] == []
    post = side.call(lambda f: f.posts.create(**given, wait="20s"))
    assert post["status"] == "published"
    assert [each["code"] for each in post["warnings"]] == ["repeated_content"]


def test_a_deletion_whose_answer_is_lost_has_succeeded(make_side: MakeSide, proxy: FaultyProxy) -> None:
    side = make_side(url=proxy.url)
    draft = side.call(lambda f: f.posts.create(status="draft", caption="Gone"))
    proxy.lost_answers = 1
    assert side.call(lambda f: f.posts.delete(draft["id"])) == {"is_pending": False, "still_public": 0}
    with pytest.raises(FanfareError) as missing:
        side.call(lambda f: f.posts.delete(draft["id"]))
    assert missing.value.code == "not_found"


def test_an_edit_whose_answer_is_lost_is_asked_for_once(
    make_side: MakeSide, proxy: FaultyProxy, account: dict[str, Any]
) -> None:
    side = make_side(url=proxy.url)
    post = side.call(lambda f: f.posts.create(caption="Old", account_ids=[account["id"]], wait="20s"))
    [result] = post["results"]
    proxy.lost_answers = 1
    edited = side.call(lambda f: f.posts.update_result(post["id"], result["id"], caption="New"))
    assert proxy.lost_answers == 0
    assert len(edited["changes"]) == 1


def test_refusals_are_retried_with_one_key(make_side: MakeSide) -> None:
    answers = [
        refusal(429, retry_after_s=0),
        Scripted(502, "<html>"),
        refusal(409, code="upload_in_progress"),
        Scripted(201, {"data": {"id": "post_1", "status": "draft"}, "warnings": []}),
    ]
    with ScriptedServer(answers) as server:
        post = make_side(url=server.url).call(lambda f: f.posts.create(status="draft"))
        assert post == {"id": "post_1", "status": "draft", "warnings": []}
        [key] = {each.headers["idempotency-key"] for each in server.received}
        assert key.startswith("auto_")
        assert len(server.received) == 4


def test_a_post_whose_wait_fails_is_returned_as_it_was_written(make_side: MakeSide) -> None:
    written = {"id": "post_1", "status": "pending", "scheduled_at": None}
    answers = [Scripted(202, {"data": written, "warnings": []}), Scripted(500, "")]
    with ScriptedServer(answers) as server:
        post = make_side(url=server.url).call(lambda f: f.posts.create(caption="x", wait="5s", max_retries=0))
        assert post == {**written, "warnings": []}
        assert len(server.received) == 2


def test_the_wait_that_a_refusal_names_is_kept(make_side: MakeSide) -> None:
    answers = [Scripted(429, "", {"Retry-After": "1"}), Scripted(200, {"data": {}})]
    with ScriptedServer(answers) as server:
        began = time.monotonic()
        make_side(url=server.url).call(lambda f: f.project.get())
        assert 1 <= time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (refusal(409, code="conflict", is_retriable=False), "conflict"),
        (refusal(503, code="media_not_configured", is_retriable=False), "media_not_configured"),
        (refusal(429, retry_after_s=3600), "rate_limited"),
    ],
)
def test_other_refusals_are_not_retried(make_side: MakeSide, answer: Scripted, code: str) -> None:
    with ScriptedServer([answer]) as server:
        with pytest.raises(FanfareError) as refused:
            make_side(url=server.url).call(lambda f: f.posts.create(status="draft"))
        assert (refused.value.code, refused.value.request_id) == (code, "req_1")
        assert len(server.received) == 1


def test_retries_are_bounded(make_side: MakeSide) -> None:
    with ScriptedServer([Scripted(500, "")]) as server:
        with pytest.raises(FanfareError) as failed:
            make_side(url=server.url).call(lambda f: f.project.get(max_retries=2))
        assert failed.value.status == 500
        assert len(server.received) == 3


def test_a_server_that_is_not_there_is_an_error_with_a_cause(make_side: MakeSide) -> None:
    with pytest.raises(FanfareError) as failed:
        make_side(url="http://127.0.0.1:9", max_retries=0).call(lambda f: f.project.get())
    error = failed.value
    assert (error.code, error.status, error.is_retriable) == ("connection_failed", None, True)
    assert error.__cause__ is not None
    assert "http://127.0.0.1:9" in error.message


def test_a_call_has_a_timeout(make_side: MakeSide) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        side = make_side(url=f"http://127.0.0.1:{silent.getsockname()[1]}", max_retries=0)
        with pytest.raises(FanfareError) as late:
            side.call(lambda f: f.project.get(timeout="200ms"))
    assert (late.value.code, late.value.is_retriable) == ("timeout", True)
    assert "within 0.2 s" in late.value.message


def test_a_refused_field_is_named_with_its_path(side: Side) -> None:
    with pytest.raises(FanfareError) as refused:
        side.call(lambda f: f.posts.create(caption="x", account_ids=["sa_unknown"]))
    error = refused.value
    assert (error.code, error.status, error.is_retriable) == ("validation_error", 422, False)
    assert [issue["path"] for issue in error.issues] == ["account_ids[0]"]
    assert error.request_id is not None and error.request_id.startswith("req_")
    assert str(error).startswith("validation_error: account_ids[0]")
