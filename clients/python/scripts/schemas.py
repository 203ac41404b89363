"""Turns JSON Schemas of the OpenAPI document into types of Python."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field
from typing import Any

Schema = dict[str, Any]

HEADER = '''"""{title}

Written by `scripts/generate.py`. Don't edit this file.
"""

from __future__ import annotations
'''

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


@dataclass
class Member:
    name: str
    type: str
    is_required: bool
    description: str


@dataclass
class Schemas:
    """The types of the document, and those that calls add."""

    components: dict[str, Schema]
    blocks: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, schema in self.components.items():
            self.blocks[name] = self._block(name, schema)

    def write(self) -> str:
        header = HEADER.format(
            title="The types of requests and answers. An answer may have more members, and more values, than these."
        )
        imports = "from typing import Any, Literal, TypeAlias\n\nfrom typing_extensions import NotRequired, TypedDict\n"
        return header + "\n" + imports + "".join(f"\n\n{block}" for block in self.blocks.values())

    def add(self, name: str, block: str) -> str:
        if self.blocks.setdefault(name, block) != block:
            raise ValueError(f"Two types would have the name {name}.")
        return name

    def add_members(self, name: str, members: list[Member], *, base: str = "TypedDict", title: str = "") -> str:
        return self.add(name, write_class(name, members, base=base, title=title))

    def members(self, schema: Schema) -> list[Member]:
        required = schema.get("required", [])
        return [
            Member(name, self.type(value), name in required, value.get("description", ""))
            for name, value in schema.get("properties", {}).items()
        ]

    def type(self, schema: Schema) -> str:
        if "$ref" in schema:
            return str(schema["$ref"].rpartition("/")[2])
        if "anyOf" in schema or "oneOf" in schema:
            return union([self.type(each) for each in schema.get("anyOf") or schema["oneOf"]])
        if "enum" in schema:
            return f"Literal[{', '.join(json_literal(value) for value in schema['enum'])}]"
        named = schema.get("type", [])
        kinds = named if isinstance(named, list) else [named]
        return union([self._of_kind(kind, schema) for kind in kinds]) if kinds else "Any"

    def _of_kind(self, kind: str, schema: Schema) -> str:
        if kind == "array":
            return f"list[{self.type(schema.get('items', {}))}]"
        if kind == "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {self.type(values) if isinstance(values, dict) and values else 'Any'}]"
        return SCALARS[kind]

    def _block(self, name: str, schema: Schema) -> str:
        if schema.get("type") == "object":
            return write_class(name, self.members(schema), title=schema.get("description", ""))
        return f"{name}: TypeAlias = {self.type(quoted(schema))}\n"


def write_class(name: str, members: list[Member], *, base: str = "TypedDict", title: str = "") -> str:
    if any(keyword.iskeyword(member.name) for member in members):
        entries = "".join(f'        "{m.name}": "{annotation(m)}",\n' for m in members)
        return f'{name} = TypedDict(\n    "{name}",\n    {{\n{entries}    }},\n)\n'
    lines = [f"class {name}({base}):\n"]
    if title:
        lines.append(f"    {docstring(title, '    ')}\n\n")
    for member in members:
        lines.append(f"    {member.name}: {annotation(member)}\n")
        if member.description:
            lines.append(f"    {docstring(member.description, '    ')}\n\n")
    if not members and not title:
        lines.append("    pass\n")
    return "".join(lines).rstrip() + "\n"


def annotation(member: Member) -> str:
    return member.type if member.is_required else f"NotRequired[{member.type}]"


def union(types: list[str]) -> str:
    return " | ".join(sorted(dict.fromkeys(types), key=lambda each: each == "None"))


def quoted(schema: Schema) -> Schema:
    """Names of other types in an alias are read at once, so they are strings, and a union has one string."""
    names = [each["$ref"].rpartition("/")[2] for each in schema.get("oneOf", []) if "$ref" in each]
    return {"$ref": f"#/'{' | '.join(names)}'".replace("'", '"')} if names else schema


def json_literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def docstring(text: str, indent: str) -> str:
    safe = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').strip()
    body = f"\n{indent}".join(line.rstrip() for line in safe.split("\n")).replace(f"{indent}\n", "\n")
    if "\n" in body or body.endswith('"'):
        return f'"""{body}\n{indent}"""'
    return f'"""{body}"""'
