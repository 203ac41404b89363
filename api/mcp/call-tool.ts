// Calls a tool: makes a REST request of its arguments, and a result of the answer.
import { createHash } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { errorMeanings } from '../reference/error-meanings.ts';
import type { ErrorObject } from '../../schema/wire/error-object.ts';
import { AppError, validationError, type Issue } from '../../schema/wire/errors.ts';
import { CallFailed, type Agent, type RestRequest } from './agent.ts';
import { findTextIssues } from '../http/text-issues.ts';
import { addMedia } from './add-media.ts';
import { argumentsOf } from './definitions.ts';
import { hasKey, tools, type Tool } from './tools.ts';
import { waitForPost } from './wait-for-post.ts';

type Arguments = Readonly<Record<string, unknown>>;

export async function callTool(
  agent: Agent,
  name: string,
  args: Arguments,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const tool = tools.get(name);
    if (!tool) throw unknownTool(name);
    checkArguments(tool, args);
    const given = tool.route.method === 'post' ? withoutNulls(args) : args;
    return toResult(await run(agent, tool, given, signal));
  } catch (thrown) {
    return toFailure(thrown instanceof CallFailed ? thrown.error : agent.toError(thrown));
  }
}

/** For a POST, null counts as left out. In a PATCH, it clears. */
const withoutNulls = (args: Arguments): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));

async function run(
  agent: Agent,
  tool: Tool,
  args: Arguments,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const request = toRequest(agent, tool, args);
  if (tool.behavior === 'wait') return waitForPost(agent, request, args, signal);
  if (tool.behavior === 'add media') return addMedia(agent, request, args);
  const { error, body, isReplayed } = await agent.ask(request);
  if (error) throw new CallFailed(error);
  return isReplayed ? { ...body, replayed: true, note: replayedNote } : { ...body };
}

const replayedNote =
  'An earlier call with the same arguments has made this answer, so nothing was done again. To do it again on purpose, call the tool with another `dedupe`.';

function unknownTool(name: string): AppError {
  const hint = `The tools are ${[...tools.keys()].join(', ')}.`;
  return new AppError('not_found', `There is no tool ${name.slice(0, 64)}.`, { hint });
}

/** Checks names, and what the API could not be asked with. The API checks the values. */
function checkArguments(tool: Tool, args: Arguments): void {
  const { known, required } = argumentsOf(tool);
  const unknown = Object.keys(args).filter((name) => !known.has(name));
  const missing = required.filter((name) => (args[name] ?? null) === null);
  const ids = Object.values(tool.inPath).filter((name) => !missing.includes(name));
  const issues: Issue[] = [
    ...unknown.map((name) => issue(name, 'unknown_field', `is no argument of ${tool.name}`)),
    ...missing.map((name) => issue(name, 'required', 'is required')),
    ...ids
      .filter((name) => !isText(args[name]) || /^\.{1,2}$/.test(String(args[name])))
      .map((name) => issue(name, 'invalid_type', isNoId)),
    ...(isText(args['dedupe'] ?? 'absent') ? [] : [issue('dedupe', 'invalid_type', isNoText)]),
    ...findTextIssues(args),
  ];
  if (issues.length > 0) throw validationError(issues);
}

const isNoId = 'must be an ID';
const isNoText = 'must be a text of 1 to 255 characters';
const isText = (value: unknown) =>
  typeof value === 'string' && value.length > 0 && value.length <= 255;
const issue = (name: string, code: string, message: string): Issue => ({
  path: [name],
  code,
  message,
});

function toRequest(agent: Agent, tool: Tool, args: Arguments): RestRequest {
  const { route, inPath, members, fixed } = tool;
  const given = Object.fromEntries(
    members.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]),
  );
  const path = route.path.replace(/:(\w+)/g, (_, parameter: string) =>
    encodeURIComponent(String(args[inPath[parameter]!])),
  );
  const method = route.method.toUpperCase();
  if (method === 'GET') return { method, path: `${path}${writeQuery(route.query, given)}` };
  const idempotencyKey = hasKey(tool) ? keyOf(agent, tool, args) : undefined;
  const hasBody = route.body !== undefined;
  return {
    method,
    path,
    idempotencyKey,
    ...(hasBody && { body: sortMembers({ ...given, ...fixed }) }),
  };
}

/** As `readQuery` reads it. */
function writeQuery(schema: z.ZodType | undefined, given: Arguments): string {
  const { shape = {} } = (schema ?? {}) as { shape?: Readonly<Record<string, z.ZodType>> };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    const { explode = false } = (shape[name]?.meta()?.['param'] ?? {}) as { explode?: boolean };
    if (Array.isArray(value)) {
      for (const item of explode ? value : [value.map(toText).join()]) {
        query.append(name, toText(item));
      }
    } else if (typeof value === 'object') {
      for (const [key, item] of Object.entries(value))
        query.append(`${name}[${key}]`, toText(item));
    } else query.append(name, toText(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** The same for the same arguments in any order, and another for each tool and API key. */
function keyOf({ keyId }: Agent, { name }: Tool, args: Arguments): string {
  const text = JSON.stringify([
    keyId,
    name,
    sortMembers({ ...args, dedupe: args['dedupe'] ?? undefined }),
  ]);
  return `mcp_${createHash('sha256').update(text).digest('base64url')}`;
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}

function toResult(body: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body };
}

export function toFailure(error: ErrorObject): CallToolResult {
  const body = { error: { ...error, next_action: nextActionOf(error) } };
  return { ...toResult(body), isError: true };
}

function nextActionOf({ code, is_retriable, retry_after_s }: ErrorObject): string {
  if (retry_after_s !== undefined) {
    return `Wait ${retry_after_s} s, then call the tool again with the same arguments.`;
  }
  if (is_retriable) return 'Call the tool again with the same arguments. A repeat is safe.';
  // On stdio, the Fanfare that answers may be newer, and have other codes.
  return errorMeanings[code] ?? 'Read `message` and `hint`.';
}
