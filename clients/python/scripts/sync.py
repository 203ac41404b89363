"""Turns a file of the asynchronous client into that of the synchronous one."""

from __future__ import annotations

import re

# Only words change, since `_async_io.py` and `_sync_io.py` hold all other differences.
WORDS = [
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait ", ""),
    (r"\bAwaitable\[(\w+)\]", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b_async(?=_|\b)", "_sync"),
    (r"\b__a(enter|exit|iter)__", r"__\1__"),
    (r"\ba(close|read|iter_sse)\(", r"\1("),
    (r"\basynchronous\b", "synchronous"),
]


def to_sync(text: str, source: str) -> str:
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text)
    if "Written by `scripts/generate.py`" in text:
        return text
    note = f"Written by `scripts/generate.py` from `{source}`. Don't edit this file."
    return text.replace('."""', f'.\n\n{note}\n"""', 1)
