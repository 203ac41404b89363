"""The live stream of posts, also over a connection that breaks."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeSide, eventually
from faulty_proxy import FaultyProxy
from sides import Side

from fanfare_client import FanfareError, LivePost, LiveResult, _live


class Follower(threading.Thread):
    """Reads a stream in the background, until it has so many updates."""

    def __init__(self, side: Side, count: int, stream: Callable[[Any], Any]) -> None:
        super().__init__(daemon=True)
        self.updates: list[Any] = []
        self._side = side
        self._count = count
        self._stream = stream
        self.start()

    def run(self) -> None:
        self._side.take(self._stream, self._count, self.updates)

    def result(self) -> list[Any]:
        self.join(20)
        assert not self.is_alive(), "The stream has not sent all updates."
        return self.updates


def create(side: Side, **given: Any) -> Any:
    return side.call(lambda f: f.posts.create(**{"caption": f"Live {uuid.uuid4()}", "status": "draft", **given}))


def test_a_stream_shows_a_post_from_its_present_state_to_its_end(side: Side, account: dict[str, Any]) -> None:
    post = side.call(lambda f: f.posts.create(caption="Line\u2028end", account_ids=[account["id"]]))

    def until_end(fanfare: Any) -> Any:
        return fanfare.live.posts(id=post["id"])

    updates = side.take(until_end, 1)
    side.call(lambda f: f.posts.wait(post["id"], "20s"))
    [update] = side.take(until_end, 1)
    assert updates[0]["change"] == "present"
    assert update["post_id"] == post["id"]
    shown = update["post"]
    assert (shown["status"], shown["caption"]) == ("published", "Line\u2028end")
    assert shown.keys() == LivePost.__annotations__.keys()
    [result] = shown["results"]
    assert (result["status"], result["platform"], result["next_action"]) == ("published", "sandbox", "none")
    assert result.keys() == LiveResult.__annotations__.keys()


def test_a_stream_that_is_cut_misses_and_repeats_nothing(make_side: MakeSide, side: Side, proxy: FaultyProxy) -> None:
    follower_side = make_side(url=proxy.url)
    lost: list[FanfareError] = []
    before = create(side)
    [present] = side.take(lambda f: f.live.posts(id=before["id"]), 1)
    first = create(side)
    follower = Follower(follower_side, 4, lambda f: f.live.posts(after=present["cursor"], on_lost=lost.append))
    second = create(side)
    eventually(lambda: len(follower.updates) == 2)
    proxy.cut_all()
    third, fourth = create(side), create(side)
    updates = follower.result()
    created = [each["post_id"] for each in updates if each["change"] == "created"]
    assert created == [first["id"], second["id"], third["id"], fourth["id"]]
    assert [error.code for error in lost] == ["connection_failed"]
    [again] = side.take(lambda f: f.live.posts(after=updates[2]["cursor"]), 1)
    assert again["cursor"] == updates[3]["cursor"]


def test_a_stream_that_is_silent_for_40_seconds_is_resumed(
    make_side: MakeSide, side: Side, proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _live._SILENT == 40
    monkeypatch.setattr(_live, "_SILENT", 1)
    lost: list[FanfareError] = []
    post = create(side)
    follower = Follower(make_side(url=proxy.url), 2, lambda f: f.live.posts(id=post["id"], on_lost=lost.append))
    eventually(lambda: len(follower.updates) == 1)
    proxy.is_silent = True
    side.call(lambda f: f.posts.update(post["id"], caption="Changed"))
    eventually(lambda: len(lost) > 0)
    proxy.is_silent = False
    [present, update] = follower.result()
    assert (present["change"], update["change"]) == ("present", "updated")
    assert update["post"]["caption"] == "Changed"
    assert lost[0].is_retriable


def test_a_deleted_post_is_null(side: Side) -> None:
    post = create(side)
    [update] = side.take(lambda f: f.live.posts(id=post["id"]), 1)
    side.call(lambda f: f.posts.delete(post["id"]))
    [deleted] = side.take(lambda f: f.live.posts(id=post["id"], after=update["cursor"]), 1)
    assert (deleted["change"], deleted["post"]) == ("deleted", None)


def test_a_cursor_that_came_from_no_stream_ends_it(side: Side) -> None:
    with pytest.raises(FanfareError) as refused:
        side.take(lambda f: f.live.posts(after="nonsense"), 1)
    assert (refused.value.code, refused.value.is_retriable) == ("validation_error", False)
    assert refused.value.issues[0]["path"] == "after"


def test_a_refused_key_ends_it(make_side: MakeSide) -> None:
    with pytest.raises(FanfareError) as refused:
        make_side(api_key="fk_unknown").take(lambda f: f.live.posts(), 1)
    assert (refused.value.code, refused.value.status) == ("unauthorized", 401)


def test_the_documents_are_those_that_a_strict_server_allows() -> None:
    """A server that allows only stored documents knows those of the TypeScript client."""
    path = Path(__file__).parents[2] / "typescript/src"
    source = "".join(file.read_text() for file in path.glob("live*.ts"))
    [result] = re.findall(r"const result = `(.*?)`", source, re.DOTALL)
    [document] = re.findall(r"postUpdated = `(.*?)`", source, re.DOTALL)
    assert _live.QUERY == document.replace("${result}", result)
