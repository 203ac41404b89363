"""Turns the operations of the OpenAPI document into calls, and into methods of both clients."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from typing import Any

from names import BY_HAND, NAMES, NARROWED, WAITING
from schemas import HEADER, Member, Schema, Schemas, docstring

DELETED_POST = [
    Member("is_pending", "bool", True, "Whether public targets are still being removed, before the record is deleted."),
    Member("still_public", "int", True, "How many targets stay public at their networks, or may be."),
]
OPTIONS = "timeout: Duration | None = None, max_retries: int | None = None"


@dataclass
class Operation:
    id: str
    resource: str
    method: str
    http_method: str
    path: str
    summary: str
    ids: list[str]
    query: list[str]
    shape: str
    result: str
    takes_key: bool
    params: str | None
    """The type of the keyword arguments."""
    has_key_argument: bool

    @property
    def name(self) -> str:
        return f"{self.resource}_{self.method}".upper()


def read_operations(document: dict[str, Any], schemas: Schemas) -> list[Operation]:
    operations: list[Operation] = []
    for path, methods in document["paths"].items():
        for http_method, operation in methods.items():
            operation_id = operation["operationId"]
            if operation_id in BY_HAND:
                continue
            if operation_id not in NAMES:
                raise SystemExit(f"Give {operation_id} a name in scripts/names.py.")
            operations.append(_read(operation_id, path, http_method, operation, schemas))
    return sorted(operations, key=lambda each: list(NAMES).index(each.id))


def _read(operation_id: str, path: str, http_method: str, operation: Schema, schemas: Schemas) -> Operation:
    resource, method = NAMES[operation_id].split(".")
    given = operation.get("parameters", [])
    query = [each for each in given if each["in"] == "query"]
    body = operation.get("requestBody", {}).get("content", {})
    params = _params(operation_id, query, body, schemas)
    shape, result = _answer(operation["responses"], schemas)
    takes_key = any(each["name"] == "Idempotency-Key" for each in given)
    members = body.get("application/json", {}).get("schema", {})
    component = schemas.components.get(schemas.type(members), {}) if members else {}
    return Operation(
        id=operation_id,
        resource=resource,
        method=method,
        http_method=http_method.upper(),
        path=path,
        summary=f"{operation['summary']}.\n\n{operation.get('description', '')}".strip(),
        ids=re.findall(r"{(\w+)}", path),
        query=[each["name"] for each in query],
        shape=shape,
        result=result,
        takes_key=takes_key,
        params=params,
        has_key_argument=takes_key and "idempotency_key" not in component.get("properties", {}),
    )


def _params(operation_id: str, query: list[Schema], body: Schema, schemas: Schemas) -> str | None:
    """All keyword arguments of the call are members of one type. A keyword of Python gets a `_` at its end."""
    of_query = [_query_member(each, schemas) for each in query]
    name = f"{operation_id[0].upper()}{operation_id[1:]}Params"
    if not body:
        return schemas.add_members(name, of_query) if of_query else None
    schema = body["application/json"]["schema"]
    component = schemas.type(schema)
    members = schemas.members(schemas.components[component])
    has_csv = "text/csv" in body
    if not of_query and not has_csv and not any(keyword.iskeyword(each.name) for each in members):
        return component
    if has_csv:
        for member in members:
            member.is_required = False
        members.append(Member("csv", "str", False, "The posts as CSV, instead of `posts`."))
    renamed = [Member(_argument(m.name), m.type, m.is_required, m.description) for m in members]
    return schemas.add_members(name, renamed + of_query)


def _query_member(parameter: Schema, schemas: Schemas) -> Member:
    name = _argument(parameter["name"])
    return Member(
        name, schemas.type(parameter["schema"]), parameter.get("required", False), parameter.get("description", "")
    )


def _argument(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def _answer(responses: dict[str, Schema], schemas: Schemas) -> tuple[str, str]:
    successes = {status: each for status, each in responses.items() if status.startswith("2")}
    content = next(each.get("content", {}) for each in successes.values())
    if "202" in successes and "204" in successes:
        return "removal", schemas.add_members("DeletedPost", DELETED_POST, title="What a deletion left.")
    if not content:
        return "nothing", "None"
    if "text/csv" in content:
        return "text", "str"
    members = {m.name: m for m in schemas.members(content["application/json"]["schema"])}
    data = members["data"].type
    if "meta" in members:
        item = data.removeprefix("list[").removesuffix("]")
        schemas.add_members(f"{item}Page", list(members.values()), title="A page of a list.")
        return "list", item
    if "warnings" in members:
        name = f"Warned{data}"
        schemas.add_members(name, [members["warnings"]], base=data, title=f"`{data}` with the warnings of the request.")
        return "warned", name
    return "data", data


def write_calls(operations: list[Operation]) -> str:
    header = HEADER.format(
        title="Each call of the API: its method and path, and how its arguments and its answer look."
    )
    lines = [header, "\nfrom . import types\nfrom ._call import Call\n\n"]
    for each in operations:
        # A list reads the page with its position.
        shape = "whole" if each.shape == "list" else each.shape
        arguments = [f'"{each.http_method}"', f'"{each.path}"', f'shape="{shape}"']
        if each.query:
            arguments.append(f"query={each.query!r}".replace("'", '"'))
        if each.takes_key:
            arguments.append("takes_key=True")
        result = _qualified(each.result, "types.")
        lines.append(f"{each.name}: Call[{result}] = Call({', '.join(arguments)})\n")
    return "".join(lines)


def write_resources(operations: list[Operation]) -> str:
    """The resources of the asynchronous client."""
    lines = [
        HEADER.format(title="The calls of the asynchronous client."),
        "\nimport builtins\n\nfrom typing_extensions import Unpack\n\n",
        "from . import _calls, types\nfrom ._async import AsyncList, AsyncResource\n",
        "from ._durations import Duration\n",
    ]
    for resource in dict.fromkeys(each.resource for each in operations):
        name = "".join(part.capitalize() for part in resource.split("_"))
        lines.append(f"\n\nclass Async{name}(AsyncResource):\n")
        narrowing = [other for _, other in NARROWED.values()]
        methods = [_method(each) for each in operations if each.resource == resource and each.id not in narrowing]
        lines.append("\n".join(methods))
    return "".join(lines)


def _method(operation: Operation) -> str:
    arguments = ["self"]
    if operation.ids:
        arguments += [f"{each}: str" for each in operation.ids] + ["/"]
    arguments.append("*")
    sent = [f"_calls.{operation.name}", f"({''.join(f'{each}, ' for each in operation.ids).rstrip(' ')})"]
    if operation.has_key_argument:
        arguments.append("idempotency_key: str | None = None")
        sent.append("idempotency_key=idempotency_key")
    if operation.id in WAITING:
        arguments.append("wait: Duration | None = None")
        sent.append("wait=wait")
    arguments.append(OPTIONS)
    sent += ["timeout=timeout", "max_retries=max_retries"]
    if operation.params:
        arguments.append(f"**params: Unpack[types.{operation.params}]")
        sent.append("params=params")
    result = _qualified(operation.result, "types.")
    if operation.shape == "list":
        item = operation.result
        result = f"AsyncList[types.{item}, types.{item}Page]"
    if operation.id in NARROWED:
        argument, other = NARROWED[operation.id]
        arguments.insert(2, f"{argument}: str | None = None")
        narrowed = f"_calls.{NAMES[other].replace('.', '_').upper()}, ({argument},)"
        sent[:2] = [f"*(({sent[0]}, ()) if {argument} is None else ({narrowed}))"]
    if operation.shape == "list":
        start, sender = "def", "self._list"
    else:
        # A method with the name `list` hides the type of that name in the class.
        result = re.sub(r"\blist\[", "builtins.list[", result)
        start, sender = "async def", "await self._send"
    return (
        f"    {start} {operation.method}({', '.join(arguments)}) -> {result}:\n"
        f"        {docstring(operation.summary, '        ')}\n"
        f"        return {sender}({', '.join(sent)})\n"
    )


def _qualified(result: str, prefix: str) -> str:
    return re.sub(r"\b([A-Z]\w+)", rf"{prefix}\1", result) if result not in ("None", "str") else result
