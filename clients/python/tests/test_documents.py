"""The programs of the README and of the documentation run as printed."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

import pytest
from conftest import eventually
from test_media import png

from fanfare_client import Fanfare

ROOT = Path(__file__).parents[1]
PAGES = [(ROOT / "README.md").read_text(), (ROOT.parents[1] / "docs/sdks.md").read_text()]
PROGRAMS: list[str] = [
    block for page in PAGES for block in re.findall(r"^```py\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
]


def program(*words: str) -> str:
    [found] = [each for each in PROGRAMS if all(word in each for word in words)]
    return found


def run(text: str, folder: Path) -> str:
    ran = subprocess.run([sys.executable, "-B", "-c", text], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture
def account() -> Any:
    with Fanfare() as fanfare:
        return fanfare.accounts.connect(platform="sandbox", credentials={"handle": "documents"})


@pytest.mark.parametrize("words", [("from Python",), ("# publish.py",)])
def test_six_lines_publish_a_post(words: tuple[str], tmp_path: Path) -> None:
    text = program(*words)
    assert re.fullmatch(r"published http\S+/sandbox/\S+\n", run(text, tmp_path))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) <= 6


def test_the_asynchronous_program_lists_posts(tmp_path: Path) -> None:
    assert "post_" in run(program("AsyncFanfare"), tmp_path)


def test_the_upload_is_published(account: Any, tmp_path: Path) -> None:
    (tmp_path / "spring.jpg").write_bytes(png())
    text = program("spring.jpg").replace("sa_ADA", account["id"])
    run(text.replace('upload("spring.jpg")', 'upload("spring.jpg", content_type="image/png")'), tmp_path)
    with Fanfare() as fanfare:
        [post] = [each for each in fanfare.posts.list(account_id=account["id"], limit=1).page()["data"]]
        assert fanfare.posts.wait(post["id"], "20s")["status"] == "published"


def test_the_live_program_shows_changes(tmp_path: Path) -> None:
    command = [sys.executable, "-B", "-u", "-c", program("live.posts")]
    expected: set[str] = set()
    lines: list[str] = []

    def read(stream: IO[str]) -> None:
        lines.extend(stream)

    def is_shown() -> bool:
        # The stream begins once the program has connected.
        expected.add(f"created {fanfare.posts.create(caption='Seen', status='draft')['id']} draft\n")
        return not expected.isdisjoint(lines)

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as follower, Fanfare() as fanfare:
        assert follower.stdout is not None
        reader = threading.Thread(target=read, args=(follower.stdout,))
        reader.start()
        eventually(is_shown)
        follower.kill()
        reader.join()


def test_the_receiver_takes_genuine_requests(account: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Fanfare() as fanfare:
        webhook = fanfare.webhooks.create(url=f"http://127.0.0.1:{port}", events=["post.failed"])
        environment = {**os.environ, "PORT": str(port), "WEBHOOK_SECRET": f"whsec_b2xk,{webhook['secret']}"}
        command = [sys.executable, "-B", "-c", program("BaseHTTPRequestHandler")]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as receiver:
            eventually(lambda: _listens(port))
            test = fanfare.webhooks.test(webhook["id"], event="post.failed")
            eventually(lambda: fanfare.deliveries.get(test["id"])["status"] == "delivered")
            receiver.kill()
        fanfare.webhooks.delete(webhook["id"])


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
