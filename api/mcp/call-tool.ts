// Calls a tool: makes a REST request of its arguments, and a result of the answer.
import { createHash } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { errorMeanings } from '../reference/error-meanings.ts';
import type { ErrorObject } from '../../schema/wire/error-object.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { CallFailed, type Agent, type RestRequest } from './agent.ts';
import { addMedia, AddMediaArguments } from './add-media.ts';
import { checkArguments, type Arguments } from './arguments.ts';
import { hasKey, tools, type Tool } from './tools.ts';
import { WaitArguments, waitForPost } from './wait-for-post.ts';

export async function callTool(
  agent: Agent,
  name: string,
  args: Arguments,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const tool = tools.get(name);
    if (!tool) throw unknownTool(name);
    return toResult(await run(agent, tool, checkArguments(tool, args), signal));
  } catch (thrown) {
    return toFailure(thrown instanceof CallFailed ? thrown.error : agent.toError(thrown));
  }
}

async function run(
  agent: Agent,
  tool: Tool,
  args: Arguments,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const request = toRequest(agent, tool, args);
  if (tool.behavior === 'wait')
    return waitForPost(agent, request, WaitArguments.parse(args), signal);
  if (tool.behavior === 'add media') return addMedia(agent, request, AddMediaArguments.parse(args));
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
  // A repeat must have the same bytes, since the API compares them too.
  const body = route.body && sortMembers({ ...given, ...fixed });
  return { method, path, body, idempotencyKey };
}

/** As `readQuery` reads it. */
function writeQuery(schema: z.ZodType | undefined, given: Arguments): string {
  const { shape = {} } = (schema ?? {}) as { shape?: Readonly<Record<string, z.ZodType>> };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    const { explode = false } = (shape[name]?.meta()?.['param'] ?? {}) as { explode?: boolean };
    if (Array.isArray(value)) {
      for (const item of explode ? value : [value.map(toText).join()]) {
        query.append(name, toText(item));
      }
    } else if (typeof value === 'object' && value !== null) {
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
  const text = JSON.stringify([keyId, name, sortMembers(args)]);
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
