// The choices of an account: read from its network at most once an hour, and searched here.
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { Choice, Platform } from '../../../activities/platforms/platform.ts';
import { createSandboxPlatform } from '../../../activities/platforms/sandbox/index.ts';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { addGrant, readCredentials } from '../../support/rows/grants.ts';
import { dump, pruneAccounts } from '../../support/rows/erasures.ts';

const nowhere = 'https://network.invalid';
const plain = createSandboxPlatform({ fetch, apiUrl: nowhere, publicUrl: nowhere });

/** What the network does when it is asked for boards. */
const network = forEachTest(() => ({
  boards: [] as Choice[],
  /** Of the next calls. */
  errors: [] as PlatformError[],
  /** Tokens of the calls. */
  asked: [] as string[],
  hasMore: false,
  /** Runs while a call is under way. */
  onCall: () => Promise.resolve(),
}));

const platform: Platform = {
  ...plain,
  definition: { ...plain.definition, choices: { board: 'Boards.' } },
  choices: {
    async board({ credentials }) {
      network.asked.push(credentials['token']!);
      await network.onCall();
      const error = network.errors.shift();
      if (error) throw error;
      return { choices: network.boards, next: network.hasMore ? 'more' : undefined };
    },
  },
  refresh: ({ credentials: { token } }) =>
    Promise.resolve({ credentials: { token: `${token}+` }, tokenExpiresAt: null }),
  revoke: () => Promise.resolve(),
};

const rest = useRest({}, { platforms: createPlatforms([platform]) });

let key: string;
let projectId: string;
let accountId: string;

beforeEach(async () => {
  ({ key, projectId } = await rest.createTenant());
  accountId = await connect();
});

async function connect(columns: Partial<SocialAccountRow> = {}): Promise<string> {
  const { db, vault } = rest.context;
  const grant_id = await addGrant(db, { projectId }, vault);
  return rest.insertAccount(projectId, { platform: 'sandbox', grant_id, ...columns });
}

const list = (query = '', kind = 'board', by = key) =>
  rest.call('GET', `/v1/accounts/${accountId}/choices/${kind}${query}`, { key: by });

const idsOf = ({ body }: Awaited<ReturnType<typeof list>>): string[] =>
  body.data.map(({ id }: Choice) => id);

const statusOf = async () =>
  (await rest.call('GET', `/v1/accounts/${accountId}`, { key })).body.data.status;

/** As if the list had been fetched so long ago. */
const age = (minutes: number) =>
  sql`update choice_lists set fetched_at = now() - ${minutes} * interval '1 min'`.execute(
    rest.context.db,
  );

const boards = (...ids: string[]): Choice[] => ids.map((id) => ({ id, name: `Board ${id}` }));

describe('GET /v1/accounts/:id/choices/:kind', () => {
  test('shows what the network offers', async () => {
    network.boards = [
      {
        id: 'b1',
        name: 'Brass',
        description: 'Loud things',
        url: 'https://network.test/b1',
        imageUrl: 'https://network.test/b1.png',
        parentId: 'b0',
        disabledReason: 'The board is archived.',
      },
      { id: 'b2', name: 'Wind' },
    ];
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id: 'b1',
          name: 'Brass',
          description: 'Loud things',
          url: 'https://network.test/b1',
          image_url: 'https://network.test/b1.png',
          parent_id: 'b0',
          disabled_reason: 'The board is archived.',
        },
        {
          id: 'b2',
          name: 'Wind',
          description: null,
          url: null,
          image_url: null,
          parent_id: null,
          disabled_reason: null,
        },
      ],
      meta: { limit: 100, has_more: false, next_cursor: null },
      fetched_at: expect.any(String),
      is_complete: true,
      request_id: expect.any(String),
    });
  });

  test('searches names and descriptions, and finds children', async () => {
    network.boards = [
      { id: '1', name: 'Straße 100%' },
      { id: '2', name: 'Other', description: 'near the STRASSE' },
      { id: '3', name: 'Wind', parentId: '1' },
    ];
    expect(idsOf(await list('?q=STRA'))).toEqual(['1', '2']);
    expect(idsOf(await list('?q=100%25'))).toEqual(['1']);
    expect(idsOf(await list('?q=%25'))).toEqual(['1']);
    expect(idsOf(await list('?parent_id=1'))).toEqual(['3']);
    expect(idsOf(await list('?parent_id=1&q=stra'))).toEqual([]);
    expect(network.asked).toHaveLength(1);
  });

  test('pages in the order of the network', async () => {
    network.boards = boards('c', 'a', 'b');
    const first = await list('?limit=2');
    expect(idsOf(first)).toEqual(['c', 'a']);
    expect(first.body.meta).toMatchObject({ has_more: true });
    const next = await list(`?limit=2&cursor=${first.body.meta.next_cursor}`);
    expect(idsOf(next)).toEqual(['b']);
    const foreign = Buffer.from('post_1').toString('base64url');
    expect((await list(`?cursor=${foreign}`)).body.error.issues).toMatchObject([
      { path: 'cursor', code: 'invalid_cursor' },
    ]);
  });

  test('says that a very long list is cut', async () => {
    network.boards = boards('a');
    network.hasMore = true;
    expect((await list()).body).toMatchObject({ is_complete: false });
  });

  test('stores an empty list too', async () => {
    expect(idsOf(await list())).toEqual([]);
    expect(idsOf(await list())).toEqual([]);
    expect(network.asked).toHaveLength(1);
  });
});

describe('the network is asked', () => {
  beforeEach(() => void (network.boards = boards('a', 'b')));

  test('again after an hour, and the new list replaces the old one', async () => {
    const first = await list();
    await age(59);
    network.boards = boards('c');
    expect(idsOf(await list())).toEqual(['a', 'b']);
    await age(61);
    const second = await list();
    expect(idsOf(second)).toEqual(['c']);
    expect(second.body.fetched_at >= first.body.fetched_at).toBe(true);
    expect(network.asked).toHaveLength(2);
  });

  test('on demand, but not within a minute', async () => {
    await list();
    network.boards = boards('c');
    expect(idsOf(await list('?refresh=true'))).toEqual(['a', 'b']);
    await age(2);
    expect(idsOf(await list())).toEqual(['a', 'b']);
    expect(idsOf(await list('?refresh=true'))).toEqual(['c']);
  });

  test('once by simultaneous requests', async () => {
    const answers = await Promise.all([list(), list('?refresh=true'), list('?q=board')]);
    expect(answers.map(idsOf)).toEqual(answers.map(() => ['a', 'b']));
    expect(network.asked).toHaveLength(1);
  });

  test('with a refreshed login if the old one has expired', async () => {
    network.errors = [new PlatformError('reauthorize', 'The token has expired.')];
    expect(idsOf(await list())).toEqual(['a', 'b']);
    expect(network.asked).toEqual(['t', 't+']);
    const { db, vault } = rest.context;
    expect(await readCredentials(db, vault, accountId)).toEqual({ token: 't+' });
  });
});

describe('a login that has ended', () => {
  test('must be connected again, even if a list is stored', async () => {
    network.boards = boards('a');
    await list();
    await age(61);
    network.errors = [new PlatformError('reauthorize', 'Revoked.', { isRevoked: true })];
    const expected = {
      status: 409,
      body: {
        error: {
          code: 'reconnect_required',
          message: 'The account has lost its access.',
          is_retriable: false,
        },
      },
    };
    expect(await list()).toMatchObject(expected);
    expect(await statusOf()).toBe('reconnect_required');
    expect(await list()).toMatchObject(expected);
    expect(network.asked).toHaveLength(2);
    const events = rest.context.db
      .selectFrom('events')
      .select('kind')
      .where('social_account_id', '=', accountId);
    expect(await events.execute()).toEqual([{ kind: 'account.disconnected' }]);
  });

  test('is noticed if the network refuses even the refreshed login', async () => {
    network.errors = [1, 2].map(() => new PlatformError('reauthorize', 'The token has expired.'));
    expect(await list()).toMatchObject({ status: 409 });
    expect(await statusOf()).toBe('reconnect_required');
    expect(network.asked).toEqual(['t', 't+']);
  });
});

describe('a call that fails', () => {
  test.each([
    ['rejected', 409, 'conflict', null],
    ['rate_limited', 429, 'rate_limited', '7'],
    ['unavailable', 503, 'unavailable', '5'],
    ['unknown_outcome', 503, 'unavailable', '5'],
  ] as const)(
    'because of %s is a %i %s, and the next request asks again unless it has to wait',
    async (kind, status, code, retryAfter) => {
      network.boards = boards('a');
      network.errors = [new PlatformError(kind, 'Not now.', { retryAfterMs: 7_000 })];
      const failed = await list();
      expect(failed).toMatchObject({ status, body: { error: { code, message: 'Not now.' } } });
      expect(failed.headers.get('Retry-After')).toBe(retryAfter);
      expect(await statusOf()).toBe('active');
      const next = await list();
      if (retryAfter === null) expect(idsOf(next)).toEqual(['a']);
      else expect(next).toMatchObject({ status, body: { error: { code } } });
      expect(network.asked).toHaveLength(retryAfter === null ? 2 : 1);
    },
  );

  test('leaves the stored list for requests that do not ask for a new one', async () => {
    network.boards = boards('a');
    await list();
    await age(2);
    network.errors = [new PlatformError('unavailable', 'Away.')];
    expect((await list('?refresh=true')).status).toBe(503);
    expect(idsOf(await list())).toEqual(['a']);
  });
});

describe('is refused', () => {
  test.each(['label', 'constructor', 'x'.repeat(300)])('a kind without choices', async (kind) => {
    const { status, body } = await list('', kind);
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ code: 'not_found', hint: 'It has these kinds: board.' });
  });

  test.each(['?q=', '?refresh=yes', '?limit=0', '?parent_id=', '?kind=board'])(
    'a query like %s',
    async (query) => {
      expect((await list(query)).status).toBe(422);
      expect(network.asked).toEqual([]);
    },
  );

  test("another project's account", async () => {
    const other = await rest.createTenant();
    expect((await list('', 'board', other.key)).status).toBe(404);
  });

  test('a key without the scope accounts:read', async () => {
    const other = await rest.createTenant({ projectId, scopes: ['posts:read'] });
    expect((await list('', 'board', other.key)).status).toBe(403);
  });

  test('a disconnected account', async () => {
    accountId = await connect({ status: 'disconnected', grant_id: null });
    expect(await list()).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', message: 'The account was disconnected.' } },
    });
  });
});

describe('lists are deleted', () => {
  const countLists = async () => {
    const { rows } = await sql<{ lists: number; choices: number }>`
      select (select count(*)::int from choice_lists where social_account_id = ${accountId}) as lists,
        (select count(*)::int from choices where social_account_id = ${accountId}) as choices`.execute(
      rest.context.db,
    );
    return rows[0]!;
  };
  const disconnect = (query = '') =>
    rest.call('DELETE', `/v1/accounts/${accountId}${query}`, { key });

  beforeEach(async () => {
    network.boards = boards('planted');
    await list();
    expect(await countLists()).toEqual({ lists: 1, choices: 1 });
  });

  test.each(['', '?erase=true'])('with the account: DELETE …%s', async (query) => {
    expect((await disconnect(query)).status).toBe(204);
    expect(await countLists()).toEqual({ lists: 0, choices: 0 });
    expect(await dump(rest.context.db)).not.toContain('planted');
  });

  test('and not kept if the account is disconnected meanwhile', async () => {
    await age(61);
    network.onCall = async () => void (await disconnect());
    expect(await list()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(await countLists()).toEqual({ lists: 0, choices: 0 });
  });

  test('when nobody has asked for a day', async () => {
    await pruneAccounts(rest.context.db);
    expect(await countLists()).toEqual({ lists: 1, choices: 1 });
    await age(25 * 60);
    await pruneAccounts(rest.context.db);
    expect(await countLists()).toEqual({ lists: 0, choices: 0 });
  });
});
