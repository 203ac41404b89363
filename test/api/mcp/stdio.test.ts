// The command `mcp`: an MCP server that a client starts, on its standard input and output.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { tools } from '../../../api/mcp/tools.ts';
import { useApp } from '../../support/app/app.ts';
import { startProgram } from '../../support/app/program.ts';
import { connectMcp, modes, toMcpClient } from '../../support/mcp/client.ts';

const app = useApp();
const cli = fileURLToPath(new URL('../../../api/cli.ts', import.meta.url));

describe('node api/cli.ts mcp', () => {
  test.each(modes)(
    'serves the tools of the Fanfare at FANFARE_URL: %j',
    async (mode) => {
      const account = (await app.tenant.connectSandbox('ada')).id;
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: mode! });
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [cli, 'mcp'],
        env: {
          FANFARE_URL: app.url,
          FANFARE_API_KEY: app.tenant.key,
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE']!,
        },
      });
      await client.connect(transport);
      await using agent = toMcpClient(client);
      expect(await agent.listNames()).toEqual([...tools.keys()]);
      const args = { caption: 'over stdio', account_ids: [account], dedupe: JSON.stringify(mode) };
      const { id: post_id } = await agent.get('create_draft', args);
      await agent.get('publish_post', { post_id });
      expect((await agent.call('wait_for_post', { post_id })).body.data.status).toBe('published');
      expect((await agent.call('publish_post', {})).body.error.issues[0].path).toBe('post_id');
      await using remote = await connectMcp(app.url, app.tenant.key);
      expect((await remote.call('create_draft', args)).body).toMatchObject({ replayed: true });
    },
    60_000,
  );

  test.each([
    [
      'an unknown key',
      () => ({ FANFARE_URL: app.url, FANFARE_API_KEY: 'wrong-key-0123456789' }),
      /refused the API key/,
    ],
    [
      'nothing at its URL',
      () => ({ FANFARE_URL: 'http://127.0.0.1:1', FANFARE_API_KEY: app.tenant.key }),
      /No Fanfare answers/,
    ],
  ])(
    'ends at once with %s',
    async (_, env, message) => {
      await using program = startProgram({ command: ['mcp'], env: env() });
      expect((await program.exit).code).toBe(1);
      expect(program.output()).toMatch(message);
    },
    60_000,
  );
});
