"""Writes the types and the calls of the client from the OpenAPI document: python scripts/generate.py [FOLDER]"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from calls import Operation, read_operations, write_calls, write_resources
from schemas import Schemas
from sync import to_sync

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parents[2] / "schema" / "openapi.json"
PACKAGE = HERE.parent / "src" / "fanfare_client"
SYNC = {"_async.py": "_sync.py", "_async_client.py": "_client.py", "_async_resources.py": "_sync_resources.py"}
"""The files of the asynchronous client that become those of the synchronous one."""


def generate(folder: Path) -> None:
    document = json.loads(DOCUMENT.read_text())
    schemas = Schemas(document["components"]["schemas"])
    operations: list[Operation] = read_operations(document, schemas)
    files = {
        "types.py": schemas.write(),
        "_calls.py": write_calls(operations),
        "_async_resources.py": write_resources(operations),
    }
    for source, target in SYNC.items():
        files[target] = to_sync(files.get(source) or (PACKAGE / source).read_text(), source)
    for name, text in files.items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE)
