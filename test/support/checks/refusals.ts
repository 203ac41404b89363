// A client whose posts are refused: its accounts at networks that take different things, and its refusals.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import { createTestRest } from '../app/rest.ts';
import { createScriptedNetwork } from '../scripted-network.ts';
import { txtOf } from '../servers/bluesky-identity.ts';

export interface RefusedClient extends AsyncDisposable {
  /** An account of Bluesky, which takes replies, but no media in these tests. */
  readonly bluesky: string;
  readonly other: string;
  /** An account of the simulated network, which takes media but no replies. */
  readonly mute: string;
  readonly gone: string;
  /** Returns the targets of a thread of one account. */
  thread(...own: object[]): object;
  issuesOf(body: object): Promise<Issue[]>;
  expectNothingWritten(): Promise<void>;
}

export async function createRefusedClient(
  env: Record<string, string> = {},
): Promise<RefusedClient> {
  const platforms = createPlatforms([
    withoutMedia(
      createBluesky({
        fetch,
        apiUrl: 'https://network.invalid',
        plcUrl: 'https://network.invalid',
        lookUpTxt: txtOf({}),
      }),
    ),
    createScriptedNetwork().platform,
  ]);
  const rest = await createTestRest(env, { platforms });
  const { key, projectId } = await rest.createTenant();
  const bluesky = await rest.insertAccount(projectId);
  return {
    bluesky,
    other: await rest.insertAccount(projectId),
    mute: await rest.insertAccount(projectId, { platform: 'sandbox' }),
    gone: await rest.insertAccount(projectId, { status: 'disconnected' }),
    thread: (...own) => ({
      platform_posts: own.map((part) => ({ account_id: bluesky, ...part })),
    }),
    async issuesOf(body) {
      const answer = await rest.call('POST', '/v1/posts', { key, body: { caption: 'a', ...body } });
      expect(answer.status, JSON.stringify(answer.body)).toBe(422);
      expect(answer.body.error).toMatchObject({ code: 'validation_error', is_retriable: false });
      return answer.body.error.issues;
    },
    async expectNothingWritten() {
      for (const table of ['posts', 'post_results', 'outbox', 'changes', 'idempotency_keys']) {
        const { rows } = await sql`select 1 from ${sql.table(table)}`.execute(rest.context.db);
        expect([table, rows.length]).toEqual([table, 0]);
      }
    },
    [Symbol.asyncDispose]: () => rest[Symbol.asyncDispose](),
  };
}

/** A network that takes no media. */
function withoutMedia(platform: Platform): Platform {
  const { definition } = platform;
  const rules = { ...definition.rules, media: null };
  return { ...platform, definition: { ...definition, rules, rulesFor: () => rules } };
}

export const single = (account_id: string, own: object) => ({
  platform_posts: [{ account_id, ...own }],
});

type Row = [name: string, body: () => object, ...faults: [path: string, code: string][]];

/** Adds one test for each row. */
export function refuseAll(client: () => RefusedClient, rows: Row[]): void {
  test.each(rows)('refuses %s', async (_, body, ...faults) => {
    const issues = await client().issuesOf(body());
    expect(issues.map(({ path, code }) => [path, code])).toEqual(faults);
  });
}
