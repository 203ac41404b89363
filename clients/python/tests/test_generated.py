"""The types and the calls are those of the OpenAPI document, and both clients have the same calls."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from fanfare_client import AsyncFanfare, Fanfare
from fanfare_client import _calls as calls

ROOT = Path(__file__).parents[1]


def test_the_generated_files_are_current(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "scripts/generate.py"), str(tmp_path)], check=True)
    for path in tmp_path.iterdir():
        committed = (ROOT / "src/fanfare_client" / path.name).read_text()
        assert path.read_text() == committed, f"Run `python scripts/generate.py`: {path.name} has changed."


def names_of(client: object) -> set[str]:
    return {
        f"{name}.{method}"
        for name, resource in vars(client).items()
        if not name.startswith("_")
        for method, _ in inspect.getmembers(resource, callable)
        if not method.startswith("_")
    }


def test_both_clients_have_every_call() -> None:
    names = names_of(Fanfare())
    assert names == names_of(AsyncFanfare())
    called = {name.lower().replace("_", "") for name in vars(calls) if name.isupper()}
    # `deliveries.list` takes the webhook.
    called.remove("deliveriesofwebhook")
    by_hand = {"posts.wait", "media.upload", "webhooks.verify", "live.posts"}
    assert {name.replace(".", "").replace("_", "") for name in names - by_hand} == called


@pytest.mark.parametrize("client", [Fanfare, AsyncFanfare])
def test_every_call_says_what_it_does(client: type[Fanfare | AsyncFanfare]) -> None:
    for resource in vars(client()).values():
        for name, method in inspect.getmembers(resource, inspect.ismethod):
            assert name.startswith("_") or method.__doc__, name
