// The command `mcp`: an MCP server on standard input and output, whose tools call a Fanfare over HTTP.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createKeyedLimit } from '../../activities/keyed-limits.ts';
import type { CurrentApiKey } from '../../schema/api-keys.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { toErrorAnswer } from '../http/errors.ts';
import type { Agent } from '../mcp/agent.ts';
import { createRestCalls } from '../mcp/rest-calls.ts';
import { createToolServer } from '../mcp/tool-server.ts';
import { createWaits } from '../mcp/waits.ts';
import type { ClientOptions } from './client-options.ts';

/** Runs until the client closes its side. Throws if the Fanfare or its key can't be used. */
export async function serveMcp(
  { url, key }: ClientOptions,
  note: (line: string) => void,
): Promise<void> {
  const ask = createRestCalls(
    (request) => fetch(request, { redirect: 'error' }),
    url,
    `Bearer ${key}`,
  );
  const { error, body } = await ask({ method: 'GET', path: '/v1/api-keys/current' }).catch(
    (cause: unknown) => {
      throw new Error(`No Fanfare answers at ${url}.`, { cause });
    },
  );
  if (error) throw new Error(`The Fanfare at ${url} refused the API key: ${error.message}`);
  const { id, scopes, project } = body['data'] as CurrentApiKey;
  const agent: Agent = {
    keyId: id,
    projectId: project.id,
    scopes,
    waits: createWaits(),
    mediaInTurn: createKeyedLimit(1),
    ask,
    toError(thrown) {
      if (thrown instanceof AppError) return toErrorAnswer({ publicUrl: url }, thrown).error;
      note(`A call failed: ${(thrown as Error).message}`);
      const gone = new AppError(
        'unavailable',
        `The Fanfare at ${url} does not answer as it should.`,
      );
      return toErrorAnswer({ publicUrl: url }, gone).error;
    },
  };
  serveStdio(() => createToolServer(agent), { onerror: ({ message }) => note(message) });
}
