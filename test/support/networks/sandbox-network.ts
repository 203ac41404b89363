// The sandbox as a network among the simulated ones: its real application behind a port that can fail.
import { randomBytes } from 'node:crypto';
import { createSandboxPlatform } from '../../../activities/platforms/sandbox/index.ts';
import { logIn } from '../../../api/sandbox/tokens.ts';
import type { Db } from '../../../schema/database/database.ts';
import { createTestSandbox } from '../sandbox.ts';
import { createSwitchboard } from './faults.ts';
import { startFaultyServer, type Network } from './faulty-server.ts';
import type { NetworkKind, SimulatedNetwork } from './network.ts';

/** `db`: where the sandbox keeps its posts. */
export function createSandboxKind(db: () => Db): NetworkKind {
  return {
    name: 'the sandbox',
    start: () => start(db()),
    calls: { commit: 1, reconcile: 1 },
    canTell: true,
  };
}

async function start(db: Db): Promise<SimulatedNetwork> {
  const handle = `ada_${randomBytes(6).toString('hex')}`;
  const sandbox = createTestSandbox(db);
  const { access_token, refresh_token } = await logIn(db, handle);
  const switchboard = createSwitchboard();
  const server = await startFaultyServer(toNetwork(sandbox.request, db), switchboard);
  const publicUrl = 'http://sandbox.test';
  const apiUrl = `${server.url}/sandbox`;
  return {
    platform: switchboard.watch(
      createSandboxPlatform({ fetch: switchboard.fetch, apiUrl, publicUrl }),
    ),
    switchboard,
    credentials: { handle, access_token, refresh_token },
    async listPosts() {
      const posts = await db
        .selectFrom('sandbox_posts')
        .selectAll()
        .where('handle', '=', handle)
        .orderBy('created_at')
        .execute();
      return posts.map(({ id, caption, reply_to }) => ({ id, text: caption, replyTo: reply_to }));
    },
    async countRefreshes() {
      const grants = db.selectFrom('sandbox_grants').select('generation');
      const first = grants.where('handle', '=', handle);
      return (await first.executeTakeFirstOrThrow()).generation - 1;
    },
    // Tokens of one grant differ in their last digits only.
    listSecrets: () => [access_token.slice(0, -2), refresh_token.slice(0, -2)],
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function toNetwork(
  request: (path: string, init?: RequestInit) => Promise<Response>,
  db: Db,
): Network {
  const endGrant = async (token: string, ended: { is_expired: true } | { is_revoked: true }) => {
    const id = /^sbx_at_([0-9a-f]{32})_/.exec(token)?.[1] ?? '';
    await db.updateTable('sandbox_grants').set(ended).where('id', '=', id).execute();
  };
  return {
    async answer(incoming) {
      const { pathname, search } = new URL(incoming.url);
      const { method, headers } = incoming;
      const body = method === 'GET' ? null : await incoming.arrayBuffer();
      return request(`${pathname}${search}`, { method, headers, body });
    },
    expireToken: (token) => endGrant(token, { is_expired: true }),
    revokeToken: (token) => endGrant(token, { is_revoked: true }),
  };
}
