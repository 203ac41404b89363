"""A client works with a server of a newer or an older version."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import MakeSide
from scripted_server import Scripted, ScriptedServer

from fanfare_client import FanfareError

POST: dict[str, Any] = {"id": "post_1", "status": "pending", "caption": "x", "results": []}


def post(**members: Any) -> Scripted:
    return Scripted(200, {"data": {**POST, **members}, "request_id": "req_1"})


def test_members_and_values_that_are_not_known_are_passed_on(make_side: MakeSide) -> None:
    answers = [post(status="on_the_moon", reach={"moon": 1}, results=[{"platform": "moonbook", "phase": "landing"}])]
    with ScriptedServer(answers) as server:
        read = make_side(url=server.url).call(lambda f: f.posts.get("post_1"))
    assert read == {
        **POST,
        "status": "on_the_moon",
        "reach": {"moon": 1},
        "results": answers[0].body["data"]["results"],
    }


def test_a_wait_ends_at_a_status_that_is_not_known(make_side: MakeSide) -> None:
    with ScriptedServer(
        [Scripted(202, {**post().body, "warnings": [{"code": "new"}]}), post(status="on_the_moon")]
    ) as server:
        ended = make_side(url=server.url).call(lambda f: f.posts.create(caption="x", wait="20s"))
    assert (ended["status"], ended["warnings"]) == ("on_the_moon", [{"code": "new"}])


def test_a_wait_that_is_over_returns_the_post_as_it_is(make_side: MakeSide) -> None:
    with ScriptedServer([Scripted(202, {**post().body, "warnings": []}), post()]) as server:
        ended = make_side(url=server.url).call(lambda f: f.posts.create(caption="x", wait="600ms"))
        assert len(server.received) > 1
    assert ended["status"] == "pending"


@pytest.mark.parametrize(
    "members", [{"status": "draft"}, {"status": "scheduled", "scheduled_at": "2999-01-01T00:00:00Z"}]
)
def test_a_post_that_can_not_end_in_time_is_returned_at_once(make_side: MakeSide, members: dict[str, Any]) -> None:
    with ScriptedServer([Scripted(201, {**post(**members).body, "warnings": []})]) as server:
        ended = make_side(url=server.url).call(lambda f: f.posts.create(caption="x", wait="2m"))
        assert len(server.received) == 1
    assert ended["status"] == members["status"]


def test_an_older_answer_without_warnings_or_pages_is_read(make_side: MakeSide) -> None:
    with ScriptedServer([Scripted(201, post().body)]) as server:
        assert make_side(url=server.url).call(lambda f: f.posts.create(caption="x"))["warnings"] == []
    with ScriptedServer([Scripted(200, {"data": [POST], "meta": {}})]) as server:
        assert make_side(url=server.url).take(lambda f: f.posts.list()) == [POST]


def test_an_error_code_that_is_not_known_is_passed_on(make_side: MakeSide) -> None:
    error = {"code": "eclipse", "message": "It is dark.", "is_retriable": False, "phase": "total", "hint": "Wait."}
    answer = Scripted(418, {"error": error, "request_id": "req_2"})
    with ScriptedServer([answer]) as server, pytest.raises(FanfareError) as refused:
        make_side(url=server.url).call(lambda f: f.project.get())
    told = refused.value
    assert (told.code, told.status, told.hint, told.details) == ("eclipse", 418, "Wait.", {"phase": "total"})


def test_a_route_that_an_older_server_lacks_is_an_error(make_side: MakeSide) -> None:
    missing = Scripted(404, {"error": {"code": "not_found", "message": "No such path.", "is_retriable": False}})
    with ScriptedServer([missing]) as server, pytest.raises(FanfareError) as refused:
        make_side(url=server.url).take(lambda f: f.labels.list())
    assert refused.value.code == "not_found"


def test_an_answer_of_something_else_is_an_error(make_side: MakeSide) -> None:
    with ScriptedServer([Scripted(200, "<html>Welcome</html>")]) as server, pytest.raises(FanfareError) as refused:
        make_side(url=server.url).call(lambda f: f.project.get())
    assert (refused.value.code, refused.value.is_retriable) == ("invalid_answer", False)


def test_a_redirect_gets_no_key(make_side: MakeSide) -> None:
    with ScriptedServer([Scripted(200, {"data": {}})]) as other:
        redirect = Scripted(307, "", {"Location": other.url})
        with ScriptedServer([redirect]) as server, pytest.raises(FanfareError):
            make_side(url=server.url).call(lambda f: f.project.get())
        assert other.received == []
