// The sandbox for the contract test: its real application behind a port that can fail.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../../../schema/database/tables.ts';
import { sandbox as definition } from '../../../../schema/platforms/sandbox.ts';
import { giveConsent } from '../../app/consent.ts';
import { createTestSandbox } from '../../app/sandbox.ts';
import { createImage } from '../../media/target-media.ts';
import type { Switchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { refuse } from '../strict-requests.ts';
import type { NetworkServer, NetworkSubject, RunningNetwork } from './subject.ts';

export const sandbox: NetworkSubject = {
  name: 'sandbox',
  resolution: 'search',
  calls: { commit: 1, reconcile: 1 },
  hasRefresh: true,
  isUnavailableSafe: true,
  textLimit: definition.rules.text.max,
  options: [
    {
      given: { outcome: 'published', times: 1, without_retry_after: true },
      arrives: { outcome: 'published', times: 1, without_retry_after: true },
    },
    { given: { delay_ms: 1, throttle_s: 1 }, arrives: { delay_ms: 1, throttle_s: 1 } },
    {
      given: { change_outcome: 'rejected', change_times: 1 },
      arrives: { change_outcome: 'rejected', change_times: 1 },
    },
  ],
  refusal: { platformCode: 'not_welcome', message: 'This is not welcome here.' },
  start,
};

export const sandboxWithMedia: NetworkSubject = {
  ...sandbox,
  title: 'sandbox, with media',
  // Creates the image, and sends its two parts.
  calls: { ...sandbox.calls, prepare: 3 },
  media: [await createImage()],
};

/** Hashes of the bytes that the sandbox stores. */
const hashesOfMedia = sql<string[]>`array(
  select (
    select encode(sha256(string_agg(bytes, '' order by start_byte)), 'hex')
    from sandbox_media_parts where media_id = used.id
  )
  from unnest(media) with ordinality as used (id, position) order by position
)`.as('hashes');

const Made = z.object({ id: z.string(), url: z.string() });

async function start(switchboard: Switchboard, db: Db): Promise<RunningNetwork> {
  const handle = `ada_${randomBytes(6).toString('hex')}`;
  const grants = db.selectFrom('sandbox_grants').selectAll().where('handle', '=', handle);
  const endGrants = async (ended: { is_expired: true } | { is_revoked: true }) => {
    await db.updateTable('sandbox_grants').set(ended).where('handle', '=', handle).execute();
  };
  const { request } = createTestSandbox(db);
  const secrets = new Set<string>();
  const options = new Map<string, Record<string, unknown>>();
  const keep = async (body: Buffer, response: Response) => {
    const made = Made.safeParse(await response.json().catch(() => undefined));
    if (made.success)
      options.set(made.data.id, JSON.parse(body.toString()) as Record<string, unknown>);
  };
  const network: NetworkServer = {
    refuse,
    async answer(incoming) {
      const { pathname, search } = new URL(incoming.url);
      const { method, headers } = incoming;
      // Two tokens of the same grant differ only in their generation.
      const grantId = /^Bearer (sbx_at_[0-9a-f]{32})_/.exec(headers.get('authorization') ?? '');
      if (grantId) secrets.add(grantId[1]!);
      const body = method === 'GET' ? null : Buffer.from(await incoming.arrayBuffer());
      const response = await request(`${pathname}${search}`, { method, headers, body });
      if (body !== null) await keep(body, response.clone());
      return response;
    },
    expireToken: () => endGrants({ is_expired: true }),
    revokeToken: () => endGrants({ is_revoked: true }),
  };
  const server = await startFaultyServer(network, switchboard);
  return {
    env: { FANFARE_SANDBOX_API_URL: `${server.url}/sandbox` },
    credentials: { handle },
    consent: async (url, decision = 'allow') =>
      void (await giveConsent(url, { decision: { handle, decision } })),
    wrongCredentials: [{ field: 'handle', credentials: { handle: 'not a handle' } }],
    async listPosts() {
      const posts = await db
        .selectFrom('sandbox_posts')
        .selectAll()
        .select(hashesOfMedia)
        .where('handle', '=', handle)
        .orderBy('created_at')
        .execute();
      return posts.map(({ id, caption, reply_to, hashes }) => ({
        id,
        text: caption,
        replyTo: reply_to,
        media: hashes,
        options: options.get(id) ?? {},
      }));
    },
    async countRefreshes() {
      return (await grants.executeTakeFirstOrThrow()).generation - 1;
    },
    listSecrets: () => [...secrets],
    [Symbol.asyncDispose]: () => server.close(),
  };
}
