"""Files and streams are uploaded in parts, also over a connection that breaks."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeSide
from faulty_proxy import FaultyProxy
from scripted_server import Scripted, ScriptedServer
from sides import AsyncSide, Side

from fanfare_client import FanfareError, _call

KIB = 1024


def png(size: int = 0) -> bytes:
    """An image of one pixel, with so many bytes of a chunk that decoders skip."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", header),
            chunk(b"prVt", bytes(size)),
            chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00")),
            chunk(b"IEND", b""),
        ]
    )


@pytest.fixture(params=["path", "bytes", "file", "chunks", "pipe"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    content = png(300 * KIB)
    if request.param == "path":
        path = tmp_path / "red.png"
        path.write_bytes(content)
        return path
    if request.param == "bytes":
        return content
    if request.param == "file":
        file = io.BytesIO(b"head" + content)
        file.seek(4)
        return file
    if request.param == "chunks":
        return [content[at : at + 70_000] for at in range(0, len(content), 70_000)]
    return Pipe(content)


class Pipe(io.RawIOBase):
    """A file that can't go back."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._content.readinto(buffer)


def test_any_source_is_uploaded(side: Side, source: Any) -> None:
    given = {} if isinstance(source, Path) else {"filename": "red.png"}
    media = side.call(lambda f: f.media.upload(source, **given))
    assert (media["status"], media["content_type"], media["width"]) == ("uploaded", "image/png", 1)
    assert media["filename"] == "red.png"
    assert media["size_bytes"] == len(png(300 * KIB))


def test_an_upload_that_is_cut_continues(
    make_side: MakeSide, side: Side, proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Until the server notices the cut, it refuses the rest, and names a longer time.
    monkeypatch.setattr(_call, "FIRST_DELAY", 0.5)
    content = png(9 * 1024 * KIB)
    media = side.call(lambda f: f.media.create(filename="large.png", content_type="image/png", size_bytes=len(content)))
    token = media["upload_url"].partition("?")[2]
    media["upload_url"] = f"{proxy.url}/uploads/{media['id']}?{token}"
    proxy.cut_after_bytes = 3 * 1024 * KIB
    with ScriptedServer([Scripted(201, {"data": media})]) as server:
        uploaded = make_side(url=server.url).call(lambda f: f.media.upload(content, filename="large.png"))
    assert proxy.cut_after_bytes is None
    assert (uploaded["id"], uploaded["status"], uploaded["size_bytes"]) == (media["id"], "uploaded", len(content))


def test_an_upload_of_an_earlier_process_continues(side: Side) -> None:
    content = png(300 * KIB)
    media = side.call(lambda f: f.media.create(filename="a.png", content_type="image/png"))
    uploaded = side.call(lambda f: f.media.upload(content, media_id=media["id"]))
    assert (uploaded["id"], uploaded["status"]) == (media["id"], "uploaded")


def test_an_async_stream_is_uploaded(make_side: MakeSide) -> None:
    side = make_side()
    if not isinstance(side, AsyncSide):
        return

    async def chunks() -> AsyncIterator[bytes]:
        yield png()[:20]
        yield png()[20:]

    media = side.call(lambda f: f.media.upload(chunks(), content_type="image/png"))
    assert media["status"] == "uploaded"


def test_media_are_listed_and_deleted(side: Side) -> None:
    media = side.call(lambda f: f.media.create(filename="a.png", content_type="image/png"))
    assert media["upload_url"] != side.call(lambda f: f.media.renew_upload_url(media["id"]))["upload_url"]
    assert media["id"] in [each["id"] for each in side.take(lambda f: f.media.list(status="pending"))]
    side.call(lambda f: f.media.delete(media["id"]))
    assert side.call(lambda f: f.media.get(media["id"]))["status"] == "deleted"


def test_bytes_that_are_no_image_are_refused_at_once(side: Side) -> None:
    with pytest.raises(FanfareError) as refused:
        side.call(lambda f: f.media.upload(b"nothing", filename="a.png"))
    assert refused.value.code == "validation_error"
    assert refused.value.issues[0]["code"] == "media_invalid"


def test_a_source_without_a_type_is_refused_before_a_request(side: Side) -> None:
    with pytest.raises(FanfareError) as refused:
        side.call(lambda f: f.media.upload(b"bytes"))
    assert refused.value.code == "configuration"


def test_an_upload_sends_no_api_key(make_side: MakeSide) -> None:
    with ScriptedServer([Scripted(200, {"data": {"status": "uploaded", "received_bytes": 7}})]) as target:
        created = {"data": {"id": "med_1", "upload_url": f"{target.url}/uploads/med_1?token=t"}}
        with ScriptedServer([Scripted(201, created)]) as server:
            make_side(url=server.url).call(lambda f: f.media.upload(b"content", filename="a.png"))
        assert "authorization" in server.received[0].headers
        [upload] = target.received
        assert "authorization" not in upload.headers
        assert upload.headers["content-range"] == "bytes 0-6/7"


def test_the_last_part_is_the_rest(make_side: MakeSide) -> None:
    part = 8 * 1024 * KIB
    more = [Scripted(308, {"data": {"received_bytes": part}}), Scripted(200, {"data": {"status": "uploaded"}})]
    with ScriptedServer(more) as target:
        created = {"data": {"id": "med_1", "upload_url": f"{target.url}/uploads/med_1"}}
        with ScriptedServer([Scripted(201, created)]) as server:
            chunks: Iterator[bytes] = iter([bytes(part), b"rest"])
            make_side(url=server.url).call(lambda f: f.media.upload(chunks, content_type="video/mp4"))
        ranges = [each.headers["content-range"] for each in target.received]
        assert ranges == [f"bytes 0-{part - 1}/{part + 4}", f"bytes {part}-{part + 3}/{part + 4}"]
