// The sandbox network on a database of its own, called without a port, and the connector that speaks to it.
import { pino } from 'pino';
import type { Fetch, Platform, Target } from '../../activities/platforms/platform.ts';
import { createSandboxPlatform } from '../../activities/platforms/sandbox.ts';
import { createSandbox } from '../../api/sandbox/server.ts';
import type { Db } from '../../schema/database/database.ts';

export interface TestSandbox {
  /** The network itself, as a browser or a client reaches it. */
  request(path: string, init?: RequestInit): Promise<Response>;
  readonly fetch: Fetch;
  readonly platform: Platform;
  /** How often a target was posted. */
  countPosts(reference: string): Promise<number>;
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
  };
}

export function toTarget(
  credentials: Target['credentials'],
  target: Partial<Target> & Pick<Target, 'resultId'>,
): Target {
  return {
    externalAccountId: credentials['handle'] ?? '',
    caption: 'hello',
    platformOptions: {},
    state: {},
    credentials,
    ...target,
  };
}
