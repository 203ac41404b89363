// The sandbox's connector against the sandbox itself: every outcome becomes the right kind of error.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Credentials } from '../../../../activities/platforms/platform.ts';
import { PlatformError, isThere } from '../../../../activities/platforms/platform-error.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { createTestSandbox, toTarget, type TestSandbox } from '../../../support/app/sandbox.ts';
import { loginOf } from '../../../support/rows/grants.ts';
import { formOf } from '../../../support/networks/connection.ts';

let sandbox: TestSandbox;
let credentials: Credentials;
const signal = AbortSignal.timeout(25_000);

const database = useDatabase();
beforeAll(async () => {
  sandbox = createTestSandbox(database.db);
  credentials = await logIn();
});

async function logIn(handle = 'ada'): Promise<Credentials> {
  return (await formOf(sandbox.platform).run({ handle }, signal)).credentials;
}

async function errorOf(work: Promise<unknown>): Promise<PlatformError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof PlatformError) return error;
  throw new Error('It did not throw a PlatformError.', { cause: error });
}

const commit = (resultId: string, platformOptions: Record<string, unknown>, caption = 'hello') =>
  sandbox.platform.commit(
    toTarget(credentials, { resultId, platformOptions, caption }),
    AbortSignal.timeout(25_000),
  );

describe('connect', () => {
  test('gives the handle without its @, and credentials to act for it', async () => {
    const { credentials: schema } = formOf(sandbox.platform);
    const connection = await formOf(sandbox.platform).run(schema.parse({ handle: '@Ada' }), signal);
    expect(connection).toMatchObject({ externalAccountId: 'ada', accountName: 'ada' });
    expect(connection.credentials['access_token']).toMatch(/^sbx_at_/);
  });

  test('refuses other fields and odd handles', () => {
    const { credentials: schema } = formOf(sandbox.platform);
    expect(schema.safeParse({ handle: 'ada', password: 'x' }).success).toBe(false);
    expect(schema.safeParse({ handle: 'a b' }).success).toBe(false);
  });
});

describe('a login that was pruned', () => {
  test('begins anew with the tokens that the account has', async () => {
    const kept = await logIn('frida');
    const refreshed = (await sandbox.platform.refresh!(loginOf(kept), signal)).credentials;
    await database.db.deleteFrom('sandbox_grants').where('handle', '=', 'frida').execute();
    const target = { resultId: 'res_pruned', platformOptions: {} };
    const answers = await Promise.all(
      [1, 2, 3].map(() => sandbox.platform.commit(toTarget(refreshed, target), signal)),
    );
    expect(answers.map(({ outcome }) => outcome)).toEqual(Array(3).fill('published'));
    const late = await errorOf(sandbox.platform.commit(toTarget(kept, target), signal));
    expect(late.options.platformCode).toBe('token_expired');
  });

  test.each([
    ['another handle', (token: string) => token.replace('greta', 'ada')],
    ['no handle', (token: string) => token.replace(/_greta$/, '')],
    ['a handle that is none', (token: string) => token.replace('greta', 'GRETA')],
  ])('is unknown by a token with %s', async (_, forge) => {
    const login = await logIn('greta');
    const forged = { ...login, access_token: forge(login['access_token']!) };
    const target = { resultId: 'res_forged', platformOptions: {} };
    const error = await errorOf(sandbox.platform.commit(toTarget(forged, target), signal));
    expect(error.options.platformCode).toBe('token_invalid');
  });
});

describe('commit', () => {
  test('publishes, and returns the id and the URL', async () => {
    const answer = await commit('res_plain', {});
    expect(answer).toEqual({
      outcome: 'published',
      published: {
        externalId: expect.any(String),
        url: expect.stringMatching(/^http:\/\/fanfare\.test\/sandbox\/posts\/[0-9a-z]+$/),
        visibility: 'public',
      },
    });
    expect(await sandbox.countPosts('res_plain')).toBe(1);
  });

  test('creates two posts when it is sent twice', async () => {
    await commit('res_twice', {});
    await commit('res_twice', {});
    expect(await sandbox.countPosts('res_twice')).toBe(2);
  });

  test.each([
    ['rejected', 'rejected', 'content_rejected'],
    ['unavailable', 'unavailable', 'unavailable'],
    ['rate_limited', 'rate_limited', 'rate_limited'],
  ] as const)('throws for the outcome %s and posts nothing', async (outcome, kind, code) => {
    const error = await errorOf(commit(`res_${outcome}`, { outcome }));
    expect(error.kind).toBe(kind);
    expect(error.options.platformCode).toBe(code);
    expect(error.options.retryAfterMs).toBe(outcome === 'rate_limited' ? 1_000 : undefined);
    expect(await sandbox.countPosts(`res_${outcome}`)).toBe(0);
  });

  test('reports an unknown outcome when the answer of a post is lost', async () => {
    const error = await errorOf(commit('res_lost', { outcome: 'answer_lost' }));
    expect(error.kind).toBe('unknown_outcome');
    expect(await sandbox.countPosts('res_lost')).toBe(1);
  });

  test('reads the outcome from the caption, but prefers the outcome in the options', async () => {
    const caption = 'hello [sandbox outcome=rejected delay_ms=5]';
    expect((await errorOf(commit('res_caption', {}, caption))).kind).toBe('rejected');
    const answer = await commit('res_options', { outcome: 'published' }, caption);
    expect(answer.outcome).toBe('published');
  });

  test('rejects a caption with an unknown directive', async () => {
    const error = await errorOf(commit('res_odd', {}, '[sandbox outcome=perhaps]'));
    expect(error.kind).toBe('rejected');
    expect(error.options.platformCode).toBe('invalid_directive');
  });

  test('publishes after the requested number of refusals of one target', async () => {
    const options = { outcome: 'unavailable', times: 2 };
    expect((await errorOf(commit('res_times', options))).kind).toBe('unavailable');
    expect((await errorOf(commit('res_times', options))).kind).toBe('unavailable');
    expect((await commit('res_times', options)).outcome).toBe('published');
    expect((await errorOf(commit('res_other', options))).kind).toBe('unavailable');
  });

  test('makes the post public before a delayed answer', async () => {
    const target = toTarget(credentials, {
      resultId: 'res_slow',
      platformOptions: { delay_ms: 400 },
    });
    const started = Date.now();
    const committed = sandbox.platform.commit(target, signal);
    await expect.poll(() => sandbox.countPosts('res_slow')).toBe(1);
    expect((await committed).outcome).toBe('published');
    expect(Date.now() - started).toBeGreaterThanOrEqual(400);
  });
});

describe('refresh', () => {
  test('renews an expired login, and ends the earlier tokens', async () => {
    const old = await logIn('carol');
    const target = {
      resultId: 'res_expired',
      platformOptions: { outcome: 'token_expired', times: 1 },
    };
    const expired = await errorOf(sandbox.platform.commit(toTarget(old, target), signal));
    expect(expired.kind).toBe('reauthorize');
    expect(expired.options.isRevoked).toBeUndefined();

    const fresh = (await sandbox.platform.refresh!(loginOf(old), signal)).credentials;
    expect((await sandbox.platform.commit(toTarget(fresh, target), signal)).outcome).toBe(
      'published',
    );
    const late = await errorOf(sandbox.platform.commit(toTarget(old, target), signal));
    expect(late.options.platformCode).toBe('token_expired');
    expect((await errorOf(sandbox.platform.refresh!(loginOf(old), signal))).kind).toBe(
      'reauthorize',
    );
  });

  test('fails after the permission was revoked, until the user reconnects', async () => {
    const old = await logIn('dave');
    const target = { resultId: 'res_revoked', platformOptions: { outcome: 'token_revoked' } };
    const error = await errorOf(sandbox.platform.commit(toTarget(old, target), signal));
    expect(error.options.isRevoked).toBe(true);
    expect((await errorOf(sandbox.platform.refresh!(loginOf(old), signal))).options.isRevoked).toBe(
      true,
    );
    const again = toTarget(await logIn('dave'), { resultId: 'res_again' });
    expect((await sandbox.platform.commit(again, signal)).outcome).toBe('published');
  });
});

describe('reconcile', () => {
  test('finds the post of a lost answer, and returns absent for a target without a post', async () => {
    await errorOf(commit('res_found', { outcome: 'answer_lost' }));
    const found = await sandbox.platform.reconcile!(
      toTarget(credentials, { resultId: 'res_found' }),
      signal,
    );
    expect(found).toMatchObject({
      outcome: 'published',
      published: { externalId: expect.any(String) },
    });
    const absent = await sandbox.platform.reconcile!(
      toTarget(credentials, { resultId: 'res_nowhere' }),
      signal,
    );
    expect(absent).toEqual({ outcome: 'absent' });
  });
});

describe('revoke', () => {
  test('ends the login', async () => {
    const gone = await logIn('erin');
    await sandbox.platform.revoke!(loginOf(gone), signal);
    const error = await errorOf(
      sandbox.platform.commit(toTarget(gone, { resultId: 'res_gone' }), signal),
    );
    expect(error.options.isRevoked).toBe(true);
  });
});

describe('over a real connection', () => {
  test('a connection cut after the post was taken leaves the outcome unknown', async () => {
    const { platform, close } = await sandbox.listen();
    const target = toTarget(credentials, {
      resultId: 'res_cut',
      platformOptions: { outcome: 'answer_lost', times: 1 },
    });
    expect((await errorOf(platform.commit(target, signal))).kind).toBe('unknown_outcome');
    expect(await sandbox.countPosts('res_cut')).toBe(1);
    expect((await platform.reconcile!(target, signal)).outcome).toBe('published');
    await close();
  });

  test('a timeout leaves the outcome unknown', async () => {
    const { platform, close } = await sandbox.listen();
    const target = toTarget(credentials, {
      resultId: 'res_given_up',
      platformOptions: { delay_ms: 60_000 },
    });
    const error = await errorOf(platform.commit(target, AbortSignal.timeout(300)));
    expect(error.kind).toBe('unknown_outcome');
    expect(await sandbox.countPosts('res_given_up')).toBe(1);
    await close();
  });

  test('a network that is not reached has certainly accepted nothing', async () => {
    const { platform, close } = await sandbox.listen();
    await close();
    const target = toTarget(credentials, { resultId: 'res_away' });
    expect((await errorOf(platform.commit(target, signal))).kind).toBe('unavailable');
    expect((await errorOf(platform.refresh!(loginOf(credentials), signal))).kind).toBe(
      'unavailable',
    );
  });
});

describe('a check', () => {
  const checked = (login: Credentials) => ({
    ...toTarget(login, { resultId: 'res_checked' }),
    app: null,
    scope: null,
  });

  test('finds the account while its login works', async () => {
    const { accounts } = await sandbox.platform.checks!.inspect(checked(credentials), signal);
    expect(accounts).toEqual([{ externalAccountId: 'ada', problem: null }]);
    const ended = { ...credentials, access_token: 'sbx_at_unknown' };
    const error = await errorOf(sandbox.platform.checks!.inspect(checked(ended), signal));
    expect(error.kind).toBe('reauthorize');
  });

  test("removes its own account's post, and no other's", async () => {
    const target = toTarget(credentials, { resultId: 'res_removed' });
    const answer = await sandbox.platform.commit(target, signal);
    const { externalId } = (answer as Extract<typeof answer, { outcome: 'published' }>).published;
    const other = toTarget(await logIn('grace'), { resultId: 'res_other_account' });
    const remove = async (of: typeof target) => {
      const post = { ...of, externalId: externalId!, altTexts: [], publishedAt: null };
      return isThere(sandbox.platform.unpublish!.remove(post, signal));
    };
    expect(await remove(other)).toBe(false);
    expect(await sandbox.countPosts('res_removed')).toBe(1);
    expect(await remove(target)).toBe(true);
    expect(await remove(target)).toBe(false);
    expect(await sandbox.countPosts('res_removed')).toBe(0);
  });
});
