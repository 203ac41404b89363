// Requests for a check of an account: what is refused, what is counted, and what the answer shows. No worker takes the
// steps.
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { createSandboxPlatform } from '../../../activities/platforms/sandbox/index.ts';
import { createNostr } from '../../../activities/platforms/nostr/index.ts';
import { createYouTube } from '../../../activities/platforms/youtube/index.ts';
import { monthOf } from '../../../schema/database/accounts/usage.ts';
import { useRest, type TestKey } from '../../support/app/rest.ts';

const nowhere = 'https://network.invalid';
const rest = useRest(
  {},
  {
    platforms: createPlatforms([
      createNostr(() => Promise.reject(new Error('No test here calls a relay.'))),
      createYouTube({
        fetch,
        apiUrl: nowhere,
        consentUrl: nowhere,
        tokenUrl: nowhere,
        scopes: [],
      }),
      createSandboxPlatform({ fetch, apiUrl: nowhere, publicUrl: nowhere }),
    ]),
  },
);

let owner: TestKey;
let account: string;
beforeEach(async () => {
  owner = await rest.createTenant();
  account = await rest.insertAccount(owner.projectId, { platform: 'sandbox' });
});

const start = (body?: unknown, { id = account, key = owner.key, headers = {} } = {}) =>
  rest.call('POST', `/v1/accounts/${id}/checks`, { key, body, headers });

const end = (checkId: string) =>
  rest.context.db
    .updateTable('account_checks')
    .set({ status: 'passed' })
    .where('id', '=', checkId)
    .execute();

/** Starts this many, one after the other. Returns their IDs. */
async function run(count: number, body?: unknown): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { status, body: answer } = await start(body);
    expect(status).toBe(202);
    await end(answer.data.id);
    ids.push(answer.data.id);
  }
  return ids;
}

const moveBack = (checkId: string, minutes: number) =>
  rest.context.db
    .updateTable('account_checks')
    .set({ created_at: sql<Date>`created_at - ${minutes} * interval '1 minute'` })
    .where('id', '=', checkId)
    .execute();

describe('checks of an account', () => {
  test('are at most ten an hour', async () => {
    const [first] = await run(10);
    await moveBack(first!, 55);
    const { status, headers, body } = await start();
    expect(status).toBe(429);
    const waitS = Number(headers.get('Retry-After'));
    expect(waitS).toBeGreaterThan(280);
    expect(waitS).toBeLessThanOrEqual(300);
    expect(body.error).toMatchObject({
      code: 'rate_limited',
      hint: 'Check the account again in 5 minutes.',
      is_retriable: true,
      retry_after_s: waitS,
    });
    const other = await rest.insertAccount(owner.projectId, { platform: 'sandbox' });
    expect((await start(undefined, { id: other })).status).toBe(202);
    await moveBack(first!, 5);
    expect((await start()).status).toBe(202);
  });

  test('publish at most three times an hour', async () => {
    const publish = { publish: true };
    const [first] = await run(3, publish);
    await moveBack(first!, 20);
    const refused = await start(publish);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { hint: 'Check the account again in 40 minutes.' } },
    });
    await run(1);
    const usage = await rest.call('GET', `/v1/accounts/${account}/usage`, { key: owner.key });
    expect(usage.body.data.published).toBe(3);
    await moveBack(first!, 40);
    expect((await start(publish)).status).toBe(202);
  });

  test('wait for the later of both limits', async () => {
    const [first] = await run(1);
    await moveBack(first!, 50);
    await run(6);
    await run(3, { publish: true });
    const hint = 'Check the account again in 10 minutes.';
    expect(await start()).toMatchObject({ status: 429, body: { error: { hint } } });
    const later = 'Check the account again in 60 minutes.';
    expect(await start({ publish: true })).toMatchObject({ body: { error: { hint: later } } });
  });
});

describe('a check', () => {
  test('is accepted with its steps, and can be read', async () => {
    const { status, headers, body } = await start();
    expect(status).toBe(202);
    const step = { status: 'pending', code: null, message: null, next_action: 'none' };
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^chk_/),
      social_account_id: account,
      platform: 'sandbox',
      status: 'running',
      publishes: false,
      steps: [
        { name: 'login', ...step },
        { name: 'scopes', ...step },
      ],
      ended_at: null,
    });
    const path = `/v1/accounts/${account}/checks/${body.data.id}`;
    expect(headers.get('Location')).toBe(path);
    const read = await rest.call('GET', path, { key: owner.key });
    expect(read).toMatchObject({ status: 200, body: { data: body.data } });
    const other = await rest.insertAccount(owner.projectId);
    const elsewhere = await rest.call('GET', `/v1/accounts/${other}/checks/${body.data.id}`, {
      key: owner.key,
    });
    expect(elsewhere.status).toBe(404);
  });

  test('shows what to do about a failed step', async () => {
    const { data } = (await start()).body;
    const failed = { name: 'login', status: 'failed', code: 'rejected', message: 'No.' };
    await rest.context.db
      .updateTable('account_checks')
      .set({ steps: JSON.stringify([failed]) })
      .where('id', '=', data.id)
      .execute();
    const path = `/v1/accounts/${account}/checks/${data.id}`;
    const { body } = await rest.call('GET', path, { key: owner.key });
    expect(body.data.steps).toEqual([
      {
        ...failed,
        next_action: 'contact_operator',
        docs_url: 'http://fanfare.test/docs#posting-error-rejected',
      },
    ]);
  });

  test('is refused while another check of the account is running', async () => {
    const { data } = (await start()).body;
    const hint = `Wait until ${data.id} has ended.`;
    const error = { code: 'conflict', hint };
    expect(await start()).toMatchObject({ status: 409, body: { error } });
    const other = await rest.insertAccount(owner.projectId, { platform: 'sandbox' });
    expect((await start(undefined, { id: other })).status).toBe(202);
    await end(data.id);
    expect((await start()).status).toBe(202);
  });

  test('is not started again by a repeated request', async () => {
    const headers = { 'Idempotency-Key': 'check-1' };
    const { data } = (await start(undefined, { headers })).body;
    const repeated = await start(undefined, { headers });
    expect(repeated).toMatchObject({ status: 202, body: { data: { id: data.id } } });
  });

  test.each([{}, { publish: false }, { publish: null }, null])(
    'publishes nothing with %o',
    async (body) => {
      const { status, body: answer } = await start(body);
      expect(status).toBe(202);
      expect(answer.data.publishes).toBe(false);
    },
  );

  test('of a disconnected account is refused', async () => {
    const id = await rest.insertAccount(owner.projectId, { status: 'disconnected' });
    expect(await start(undefined, { id })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
  });
});

describe('a check that publishes', () => {
  test('has further steps', async () => {
    const { status, body } = await start({ publish: true });
    expect(status).toBe(202);
    expect(body.data.publishes).toBe(true);
    const names = body.data.steps.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['login', 'scopes', 'publication', 'read_back', 'removal']);
  });

  test.each(['yes', 'removed', 1])('is refused with `publish: %s`', async (publish) => {
    const { status, body } = await start({ publish });
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([
      { path: 'publish', message: 'must be true, false or "public"' },
    ]);
  });

  test.each([true, 'public'])(
    'is refused at a network whose posts need a video, with `publish: %s`',
    async (publish) => {
      const id = await rest.insertAccount(owner.projectId, { platform: 'youtube' });
      const { status, body } = await start({ publish }, { id });
      expect(status).toBe(422);
      expect(body.error.issues).toMatchObject([
        {
          path: 'publish',
          code: 'no_trial_post',
          message: "must be false at YouTube, where a check can't publish a post.",
        },
      ]);
    },
  );

  test('at a network that cannot delete posts says who sees the post, and needs `publish: public`', async () => {
    const id = await rest.insertAccount(owner.projectId, { platform: 'nostr' });
    const { status, body } = await start({ publish: true }, { id });
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([
      {
        path: 'publish',
        code: 'post_stays',
        message:
          'must be "public" at Nostr: the post is seen by everyone, and stays until someone deletes it there.',
      },
    ]);
    expect((await start({ publish: 'public' }, { id })).status).toBe(202);
  });

  test('needs the scope for posts', async () => {
    const { projectId } = owner;
    const { key } = await rest.createTenant({ projectId, scopes: ['accounts:write'] });
    expect(await start({ publish: true }, { key })).toMatchObject({
      status: 403,
      body: { error: { required_scope: 'posts:write' } },
    });
    const unknown = 'sa_01kc3v5x2m8q4r7t9w0y6z1abc';
    expect((await start({ publish: true }, { key, id: unknown })).status).toBe(403);
    expect((await start(undefined, { key })).status).toBe(202);
  });

  test('counts in the usage of the account, within its limit', async () => {
    await rest.context.db
      .updateTable('projects')
      .set({ monthly_posts_per_account: 1 })
      .where('id', '=', owner.projectId)
      .execute();
    const { data } = (await start({ publish: true })).body;
    const usage = await rest.call('GET', `/v1/accounts/${account}/usage`, { key: owner.key });
    expect(usage.body.data).toMatchObject({ month: monthOf(new Date()), published: 1 });
    await end(data.id);
    expect(await start({ publish: true })).toMatchObject({
      status: 403,
      body: { error: { code: 'quota_exceeded', issues: [{ path: 'publish' }] } },
    });
    expect((await start()).status).toBe(202);
  });
});
