// The sandbox network on its own database, called without a port, and the connector that calls it.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import type { Fetch, Platform, Target } from '../../../activities/platforms/platform.ts';
import { createSandboxPlatform } from '../../../activities/platforms/sandbox/index.ts';
import { createSandbox } from '../../../api/sandbox/server.ts';
import type { Db } from '../../../schema/database/tables.ts';

export interface TestSandbox {
  /** Calls the network itself, as a browser or a client does. */
  request(path: string, init?: RequestInit): Promise<Response>;
  readonly fetch: Fetch;
  readonly platform: Platform;
  /** How many posts the network has for a target. */
  countPosts(reference: string): Promise<number>;
  /** Serves the network at a port. Returns a connector that calls it there. */
  listen(): Promise<{ platform: Platform; apiUrl: string; close: () => Promise<void> }>;
}

export function createTestSandbox(db: Db, publicUrl = 'http://fanfare.test'): TestSandbox {
  const app = createSandbox({ db, publicUrl, log: pino({ level: 'silent' }) });
  const request = async (path: string, init?: RequestInit) =>
    app.request(new URL(path, publicUrl).href, init);
  const url = `${publicUrl}/sandbox`;
  return {
    request,
    fetch: request,
    platform: createSandboxPlatform({ fetch: request, apiUrl: url, publicUrl: url }),
    async countPosts(reference) {
      const posts = await db
        .selectFrom('sandbox_posts')
        .select('id')
        .where('reference', '=', reference)
        .execute();
      return posts.length;
    },
    async listen() {
      const server = createServer((req, res) => {
        void (async () => {
          const response = await app.fetch(toRequest(req, publicUrl), { req });
          const body = Buffer.from(await response.arrayBuffer());
          res.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
        })();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sandbox`;
      return {
        platform: createSandboxPlatform({ fetch, apiUrl, publicUrl: url }),
        apiUrl,
        close: () =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      };
    },
  };
}

function toRequest(req: IncomingMessage, origin: string): Request {
  const { method = 'GET', url = '/' } = req;
  const headers = Object.entries(req.headers).map(([name, value]) => [name, String(value)]);
  return new Request(new URL(url, origin), {
    method,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: method === 'GET' ? null : Readable.toWeb(req),
    duplex: 'half',
  });
}

export function toTarget(
  credentials: Target['credentials'],
  target: Partial<Target> & Pick<Target, 'resultId'>,
): Target {
  return {
    externalAccountId: credentials['handle'] ?? '',
    caption: 'hello',
    media: [],
    replyTo: null,
    platformOptions: {},
    traits: {},
    dueAt: new Date(),
    state: {},
    credentials,
    ...target,
  };
}
