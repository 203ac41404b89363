// A client of the MCP server, as agents use it: the official one.
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientOptions,
} from '@modelcontextprotocol/client';
import { expect } from 'vitest';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely
type Json = any;

export interface ToolAnswer {
  isError: boolean;
  /** The structured content, which the text repeats. */
  body: Json;
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** Names of the tools that are offered. */
  listNames(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** `data` of an answer that is no error. */
  get(name: string, args?: Record<string, unknown>): Promise<Json>;
  close(): Promise<void>;
}

/** The revisions of the protocol that clients speak: with a handshake, and without. */
export const modes: ClientOptions['versionNegotiation'][] = [
  { mode: 'legacy' },
  { mode: { pin: '2026-07-28' } },
];

export async function connectMcp(
  url: string,
  key: string,
  { headers = {}, versionNegotiation = modes[1]! }: { headers?: object } & ClientOptions = {},
): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation });
  const requestInit = { headers: { Authorization: `Bearer ${key}`, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  return toMcpClient(client);
}

export function toMcpClient(client: Client): McpClient {
  async function call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const answer: CallToolResult = await client.callTool({ name, arguments: args });
    const { content, structuredContent: body, isError = false } = answer;
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(body) }]);
    return { isError, body };
  }
  const close = () => client.close();
  return {
    client,
    call,
    listNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async get(name, args) {
      const { isError, body } = await call(name, args);
      expect(isError, JSON.stringify(body)).toBe(false);
      return body.data;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
